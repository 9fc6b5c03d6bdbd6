package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// MaxRecipients is the largest number of recipients of a direct-message channel.
	MaxRecipients = 10
	// MaxGroups is the number of groups from which on a user cannot open another one.
	MaxGroups = 1000
)

var (
	// ErrNoConversation says that these recipients cannot have a channel: fewer than two or too many recipients, two
	// bots, or a bot in a group.
	ErrNoConversation = errors.New("no conversation between these users")
	// ErrTooManyGroups says that a user is in MaxGroups groups.
	ErrTooManyGroups = errors.New("too many groups")
)

// addDirect adds an event for each user in a direct-message channel, with the other recipients. Bots get no event before
// the channel is used.
func (e *Events) addDirect(name string, c *store.Channel) error {
	users := make([]*store.User, 0, len(c.Recipients))
	for _, id := range c.Recipients {
		u, err := ReadUser(e.Reader, id)
		if err != nil {
			return err
		}
		users = append(users, u)
	}
	has, err := e.Messages.OfChannels(c.ID)
	if err != nil {
		return err
	}
	for _, u := range users {
		if u.Bot {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(users), func(o *store.User) bool { return o.ID == u.ID })
		to := events.Audience{Users: []snowflake.User{u.ID}}
		if err := e.Add(store.ChannelSubject(c.ID), name, convert.WireDirect(*c, others, has[c.ID]), to, nil); err != nil {
			return err
		}
	}
	return nil
}

// together returns a user and others in ascending order, each once.
func together(user snowflake.User, others []snowflake.User) []snowflake.User {
	all := append([]snowflake.User{user}, others...)
	slices.Sort(all)
	return slices.Compact(all)
}

// HasDirect reports whether there is a channel between a user and others.
func (c *Channels) HasDirect(ctx context.Context, user snowflake.User, others []snowflake.User) (bool, error) {
	_, err := c.Direct(ctx, together(user, others))
	if errors.Is(err, ErrUnknownChannel) {
		return false, nil
	}
	return err == nil, err
}

// OpenDirect returns the channel between a user and others. It creates the channel when there is none.
func (c *Channels) OpenDirect(ctx context.Context, user snowflake.User, others []snowflake.User) (ChannelView, error) {
	all := together(user, others)
	if len(all) < 2 || len(all) > MaxRecipients {
		return ChannelView{}, ErrNoConversation
	}
	channel, err := c.Direct(ctx, all)
	if errors.Is(err, ErrUnknownChannel) {
		err = c.Update(ctx, func(tx *Tx) error {
			channel, err = c.createDirect(tx, user, all)
			return err
		})
	}
	if err != nil {
		return ChannelView{}, err
	}
	return c.viewDirect(ctx, channel, user)
}

// Direct returns the direct-message channel with exactly these recipients, given in ascending order.
func (c *Channels) Direct(ctx context.Context, recipients []snowflake.User) (store.Channel, error) {
	return view(ctx, c.shared, ErrUnknownChannel, func(r store.Reader) (store.Channel, error) {
		gone, err := ReadTombstones(r.Directory)
		if err != nil {
			return store.Channel{}, err
		}
		channel, err := r.Directory.DirectChannel(recipients)
		if err == nil && gone.channel(channel) {
			err = store.ErrNotFound
		}
		return channel, err
	})
}

// createDirect creates a channel unless another request just created it.
func (c *Channels) createDirect(tx *Tx, user snowflake.User, all []snowflake.User) (store.Channel, error) {
	channel, err := tx.Directory.DirectChannel(all)
	if !errors.Is(err, store.ErrNotFound) {
		return channel, err
	}
	if err := checkRecipients(tx, all); err != nil {
		return channel, err
	}
	channel = store.Channel{ID: snowflake.Channel(c.ids.Next()), Type: wire.DM, Recipients: all}
	if len(all) > 2 {
		channel.Type, channel.Owner = wire.GroupDM, user
		if err := checkGroupCount(tx, user); err != nil {
			return channel, err
		}
	}
	return channel, ChannelKind.Put(tx, channel)
}

// checkRecipients returns an error unless all recipients exist and may share a channel.
func checkRecipients(tx *Tx, all []snowflake.User) error {
	bots := 0
	for _, id := range all {
		u, err := ReadUser(tx.Reader, id)
		if err != nil {
			return unknown(err, ErrUnknownUser)
		}
		if u.Bot {
			bots++
		}
	}
	if bots > 1 || bots > 0 && len(all) > 2 {
		return ErrNoConversation
	}
	return nil
}

// checkGroupCount returns ErrTooManyGroups when the user cannot open another group.
func checkGroupCount(tx *Tx, user snowflake.User) error {
	channels, err := tx.Directory.DirectChannels(user)
	if err != nil {
		return err
	}
	groups := 0
	for _, c := range channels {
		if c.Type == wire.GroupDM {
			groups++
		}
	}
	if groups >= MaxGroups {
		return ErrTooManyGroups
	}
	return nil
}

// Directs returns the direct-message channels of a user, ordered by id.
func (c *Channels) Directs(ctx context.Context, user snowflake.User) ([]ChannelView, error) {
	channels, err := viewUser(ctx, c.shared, user, func(r store.Reader, gone Tombstones) ([]store.Channel, error) {
		list, err := r.Directory.DirectChannels(user)
		return slices.DeleteFunc(list, gone.channel), err
	})
	if err != nil {
		return nil, err
	}
	views := make([]ChannelView, 0, len(channels))
	for _, channel := range channels {
		v, err := c.viewDirect(ctx, channel, user)
		if errors.Is(err, ErrUnknownUser) {
			continue // a recipient was deleted in the meantime, and the channel with it
		}
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// viewDirect returns a direct-message channel as one of its recipients sees it.
func (c *Channels) viewDirect(ctx context.Context, channel store.Channel, user snowflake.User) (ChannelView, error) {
	if !slices.Contains(channel.Recipients, user) {
		return ChannelView{}, ErrHidden
	}
	v := ChannelView{Channel: channel}
	for _, id := range channel.Recipients {
		if id == user {
			continue
		}
		u, err := c.cachedUser(ctx, id)
		if err != nil {
			return ChannelView{}, err
		}
		v.Others = append(v.Others, &u.user)
	}
	return v, nil
}
