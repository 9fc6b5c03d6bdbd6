package directory

import (
	"cmp"
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

func readThreadMembers(r store.Reader, id snowflake.Channel) (*store.ThreadMembers, error) {
	list, err := r.Threads.Members(id)
	return (*store.ThreadMembers)(&list), err
}

// newThread is a thread that a decision creates.
type newThread struct {
	channel *store.Channel
	members store.ThreadMembers
}

type newThreadKey struct{}

// WithThread returns a context in which a decision reads the thread that it creates or changes.
func WithThread(ctx context.Context, c *store.Channel, members store.ThreadMembers) context.Context {
	return context.WithValue(ctx, newThreadKey{}, &newThread{c, members})
}

// newThreadOf returns the thread with an id that the decision of ctx creates or changes, or nil.
func newThreadOf(ctx context.Context, id snowflake.Channel) *newThread {
	if t, ok := ctx.Value(newThreadKey{}).(*newThread); ok && t.channel.ID == id {
		return t
	}
	return nil
}

// ThreadMembers returns the members of a thread. The caller does not change the list.
func (c *Channels) ThreadMembers(ctx context.Context, id snowflake.Channel) (store.ThreadMembers, error) {
	if t := newThreadOf(ctx, id); t != nil {
		return t.members, nil
	}
	members, err := load(ctx, &c.cached.inThreads, id, ErrUnknownChannel)
	if err != nil {
		return nil, err
	}
	return *members, nil
}

// Thread returns the API object of a thread for many users: without a member.
func (c *Channels) Thread(ctx context.Context, t *store.Channel) (wire.Thread, error) {
	guild, err := load(ctx, &c.cached.guilds, t.Guild, ErrUnknownGuild)
	if err != nil {
		return wire.Thread{}, err
	}
	members, err := c.ThreadMembers(ctx, t.ID)
	if err != nil {
		return wire.Thread{}, err
	}
	has, err := load(ctx, &c.cached.messages, t.ID, ErrUnknownChannel)
	if err != nil {
		return wire.Thread{}, err
	}
	shown := convert.WireThread(*t, guild.Owner, len(members), has.ChannelMessages)
	if parent := guild.Channel(t.Parent); parent != nil && shown.AppliedTags == nil &&
		(parent.Type == world.ForumChannel || parent.Type == world.MediaChannel) {
		shown.AppliedTags = []snowflake.Tag{}
	}
	return shown, nil
}

// ThreadFor returns the API object of a thread for one user: with the user's member if the user has joined the thread.
func (c *Channels) ThreadFor(ctx context.Context, t *store.Channel, user snowflake.User) (wire.Thread, error) {
	shown, err := c.Thread(ctx, t)
	if err != nil {
		return shown, err
	}
	members, err := c.ThreadMembers(ctx, t.ID)
	if m, joined := members.Find(user); joined {
		shown.Member = new(convert.WireThreadMember(m))
	}
	return shown, err
}

// sees reports whether a viewer sees a channel of a guild, also if the channel is an archived or private thread.
func (g *Guilds) sees(ctx context.Context, v GuildView, id snowflake.Channel) (bool, error) {
	return g.has(ctx, v, events.Sight{Channel: id})
}

// has reports whether a viewer has the permissions for events of a guild.
func (g *Guilds) has(ctx context.Context, v GuildView, s events.Sight) (bool, error) {
	if s.Channel == 0 {
		return v.Member.Permissions()&s.Needs != 0, nil
	}
	at := permission.Channel{}
	if known := v.Guild.Channel(s.Channel); known != nil {
		at = known.Channel
	} else {
		archived, err := (&Channels{g.shared}).Channel(ctx, s.Channel)
		if errors.Is(err, ErrUnknownChannel) || err == nil && (archived.Guild != v.Guild.ID || archived.Thread == nil) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		at = v.Guild.at(archived)
	}
	joined := false
	if at.Private {
		members, err := (&Channels{g.shared}).ThreadMembers(ctx, s.Channel)
		if err != nil {
			return false, err
		}
		joined = members.Has(v.Member.User)
	}
	return v.Member.InThread(at, joined)&cmp.Or(s.Needs, permission.ViewChannel) != 0, nil
}

// Sees reports whether a viewer sees a channel of a guild.
func (g *Guilds) Sees(ctx context.Context, guild snowflake.Guild, channel snowflake.Channel, viewer Viewer) (bool, error) {
	v, err := g.View(ctx, guild, viewer)
	if errors.Is(err, ErrUnknownGuild) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return g.sees(ctx, v, channel)
}

// Threads returns the API objects of the active threads of a guild that a viewer sees, ordered by id.
func (g *Guilds) Threads(ctx context.Context, guild snowflake.Guild, viewer Viewer) ([]wire.Thread, error) {
	v, err := g.View(ctx, guild, viewer)
	if err != nil {
		return nil, err
	}
	channels := Channels{g.shared}
	list := []wire.Thread{}
	for i := range v.Guild.channels {
		t := &v.Guild.channels[i]
		if !world.IsThread(t.Type) || t.Archived {
			continue
		}
		sees, err := g.sees(ctx, v, t.ID)
		if err != nil {
			return nil, err
		}
		if !sees {
			continue
		}
		shown, err := channels.ThreadFor(ctx, t, viewer.User)
		if err != nil {
			return nil, err
		}
		list = append(list, shown)
	}
	return list, nil
}
