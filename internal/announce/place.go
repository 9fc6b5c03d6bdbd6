package announce

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// guild tells of a guild. Of one that was made those hear who come into it.
func (a *Announcer) guild(ctx context.Context, c directory.Change) error {
	switch c.How {
	case directory.Gone:
		return a.publish("GUILD_DELETE", struct {
			ID snowflake.Guild `json:"id"`
		}{c.Guild}, events.Audience{Guild: c.Guild, Intents: events.Guilds}, &events.Change{Guild: c.Guild, Closed: true})
	case directory.Altered:
		g, err := a.Directory.Guild(ctx, c.Guild)
		if err != nil {
			return err
		}
		return a.inGuild(c.Guild, events.Guilds, "GUILD_UPDATE", wire.GuildOf(g, nil))
	case directory.Made:
	}
	return nil
}

func (a *Announcer) role(ctx context.Context, c directory.Change) error {
	if c.How == directory.Gone {
		return a.inGuild(c.Guild, events.Guilds, "GUILD_ROLE_DELETE", struct {
			Guild snowflake.Guild `json:"guild_id"`
			Role  snowflake.Role  `json:"role_id"`
		}{c.Guild, c.Role})
	}
	g, err := a.Directory.Guild(ctx, c.Guild)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(g.Roles, func(r store.Role) bool { return r.ID == c.Role })
	if i < 0 {
		return directory.ErrUnknownRole
	}
	return a.inGuild(c.Guild, events.Guilds, named(c.How, "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", ""), struct {
		Guild snowflake.Guild `json:"guild_id"`
		Role  wire.Role       `json:"role"`
	}{c.Guild, wire.RoleOf(g.Roles[i])})
}

func (a *Announcer) channel(ctx context.Context, c directory.Change) error {
	record := c.Was
	if c.How != directory.Gone {
		now, err := a.Directory.Channel(ctx, c.Channel)
		if err != nil {
			return err
		}
		record = &now
	}
	switch {
	case c.Guild == 0:
		return a.direct(ctx, c.How, record)
	case world.IsThread(record.Type):
		return a.thread(ctx, c.How, record)
	}
	return a.inGuild(c.Guild, events.Guilds, named(c.How, "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE"), wire.ChannelOf(*record))
}

// thread tells of a thread. Of one that is gone little is said.
func (a *Announcer) thread(ctx context.Context, how directory.How, c *store.Channel) error {
	if how == directory.Gone {
		return a.inGuild(c.Guild, events.Guilds, "THREAD_DELETE", struct {
			ID     snowflake.Channel `json:"id"`
			Guild  snowflake.Guild   `json:"guild_id"`
			Parent snowflake.Channel `json:"parent_id"`
			Type   int               `json:"type"`
		}{c.ID, c.Guild, c.Parent, c.Type})
	}
	g, err := a.Directory.Guild(ctx, c.Guild)
	if err != nil {
		return err
	}
	type thread struct {
		wire.Thread

		New bool `json:"newly_created,omitzero"`
	}
	return a.inGuild(c.Guild, events.Guilds, named(how, "THREAD_CREATE", "THREAD_UPDATE", ""),
		thread{wire.ThreadOf(*c, g.Owner), how == directory.Made})
}

// direct tells the people in a channel between people, each as it looks to them. Bots learn of one when it is used.
func (a *Announcer) direct(ctx context.Context, how directory.How, c *store.Channel) error {
	users := make([]*directory.User, 0, len(c.Recipients))
	for _, id := range c.Recipients {
		u, err := a.Directory.User(ctx, id)
		if err != nil {
			return err
		}
		users = append(users, u)
	}
	for _, u := range users {
		if u.Bot {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(users), func(o *directory.User) bool { return o.ID == u.ID })
		err := a.publish(named(how, "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE"), wire.DirectOf(*c, others),
			events.Audience{Users: []snowflake.User{u.ID}}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}
