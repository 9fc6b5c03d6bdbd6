package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// The types of channels between people.
const (
	DirectType = 1
	GroupType  = 3
)

const (
	// MaxRecipients is how many a channel between people holds.
	MaxRecipients = 10
	// MaxGroups is how many groups a person can be in and still begin another.
	MaxGroups = 1000
)

// Why there is no channel between some users.
var (
	// ErrNoConversation says that these cannot talk with each other: somebody with nobody else, two bots, or a bot in a
	// group.
	ErrNoConversation = errors.New("no conversation between these users")
	// ErrTooManyGroups says that a user is in MaxGroups groups.
	ErrTooManyGroups = errors.New("too many groups")
)

// OpenDirect returns the channel between a user and others, and makes it when there is none. More than MaxRecipients are
// ErrNoConversation, as are none.
func (d *Directory) OpenDirect(ctx context.Context, user snowflake.User, others []snowflake.User) (Sight, error) {
	all := append([]snowflake.User{user}, others...)
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) < 2 || len(all) > MaxRecipients {
		return Sight{}, ErrNoConversation
	}
	c, err := d.DirectChannel(ctx, all)
	if errors.Is(err, ErrUnknownChannel) {
		c, err = d.makeDirect(ctx, user, all)
	}
	if err != nil {
		return Sight{}, err
	}
	return d.direct(ctx, c, user)
}

// makeDirect makes a channel unless somebody else just has.
func (d *Directory) makeDirect(ctx context.Context, user snowflake.User, all []snowflake.User) (c store.Channel, err error) {
	_, err = d.update(ctx, func(w *work) error {
		c, err = w.tx.Directory.DirectChannel(all)
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err := w.mayTalk(all); err != nil {
			return err
		}
		c = store.Channel{ID: snowflake.Channel(w.IDs.Next()), Type: DirectType, Recipients: all}
		if len(all) > 2 {
			c.Type = GroupType
			if err := w.oneGroupMore(user); err != nil {
				return err
			}
		}
		return w.put(c)
	})
	return c, err
}

func (w *work) mayTalk(all []snowflake.User) error {
	bots := 0
	for _, id := range all {
		u, err := ReadUser(w.tx.Reader, id)
		if err != nil {
			return in(err, ErrUnknownUser)
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

func (w *work) oneGroupMore(user snowflake.User) error {
	channels, err := w.tx.Directory.DirectChannels(user)
	if err != nil {
		return err
	}
	groups := 0
	for _, c := range channels {
		if c.Type == GroupType {
			groups++
		}
	}
	if groups >= MaxGroups {
		return ErrTooManyGroups
	}
	return nil
}

// Directs returns the channels between a user and others, in the order of their ids.
func (d *Directory) Directs(ctx context.Context, user snowflake.User) ([]Sight, error) {
	channels, err := d.DirectChannels(ctx, user)
	if err != nil {
		return nil, err
	}
	sights := make([]Sight, 0, len(channels))
	for _, c := range channels {
		s, err := d.direct(ctx, c, user)
		if errors.Is(err, ErrUnknownUser) {
			continue // deleted in the meantime, and the channel with it
		}
		if err != nil {
			return nil, err
		}
		sights = append(sights, s)
	}
	return sights, nil
}
