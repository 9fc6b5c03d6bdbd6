package announce

import (
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// guild tells of a guild. Of one that was made those hear who come into it.
func (w *writer) guild(c directory.Change) error {
	switch c.How {
	case directory.Gone:
		return w.add(store.GuildSubject(c.Guild), "GUILD_DELETE", struct {
			ID snowflake.Guild `json:"id"`
		}{c.Guild}, events.Audience{Guild: c.Guild, Intents: events.Guilds}, &events.Change{Guild: c.Guild, Closed: true})
	case directory.Altered:
		g, err := directory.ReadGuild(w.Reader, c.Guild)
		if err != nil {
			return err
		}
		return w.inGuild(c.Guild, events.Guilds, "GUILD_UPDATE", wire.GuildOf(g, nil))
	case directory.Made:
	}
	return nil
}

func (w *writer) role(c directory.Change) error {
	if c.How == directory.Gone {
		return w.inGuild(c.Guild, events.Guilds, "GUILD_ROLE_DELETE", struct {
			Guild snowflake.Guild `json:"guild_id"`
			Role  snowflake.Role  `json:"role_id"`
		}{c.Guild, c.Role})
	}
	role, err := w.Directory.Role(c.Guild, c.Role)
	if err != nil {
		return err
	}
	return w.inGuild(c.Guild, events.Guilds, named(c.How, "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", ""), struct {
		Guild snowflake.Guild `json:"guild_id"`
		Role  wire.Role       `json:"role"`
	}{c.Guild, wire.RoleOf(role)})
}

func (w *writer) channel(c directory.Change) error {
	record := c.Was
	if c.How != directory.Gone {
		now, err := w.Directory.Channel(c.Channel)
		if err != nil {
			return err
		}
		record = &now
	}
	switch {
	case c.Guild == 0:
		return w.direct(c.How, record)
	case world.IsThread(record.Type):
		return w.thread(c.How, record)
	}
	return w.inGuild(c.Guild, events.Guilds, named(c.How, "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE"), wire.ChannelOf(*record))
}

// thread tells of a thread. Of one that is gone little is said.
func (w *writer) thread(how directory.How, c *store.Channel) error {
	if how == directory.Gone {
		return w.inGuild(c.Guild, events.Guilds, "THREAD_DELETE", struct {
			ID     snowflake.Channel `json:"id"`
			Guild  snowflake.Guild   `json:"guild_id"`
			Parent snowflake.Channel `json:"parent_id"`
			Type   int               `json:"type"`
		}{c.ID, c.Guild, c.Parent, c.Type})
	}
	g, err := w.Directory.Guild(c.Guild)
	if err != nil {
		return err
	}
	type thread struct {
		wire.Thread

		New bool `json:"newly_created,omitzero"`
	}
	return w.inGuild(c.Guild, events.Guilds, named(how, "THREAD_CREATE", "THREAD_UPDATE", ""),
		thread{wire.ThreadOf(*c, g.Owner), how == directory.Made})
}

// direct tells the people in a channel between people, each as it looks to them. Bots learn of one when it is used.
func (w *writer) direct(how directory.How, c *store.Channel) error {
	users := make([]*directory.User, 0, len(c.Recipients))
	for _, id := range c.Recipients {
		u, err := directory.ReadUser(w.Reader, id)
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
		err := w.add(store.ChannelSubject(c.ID), named(how, "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE"), wire.DirectOf(*c, others),
			events.Audience{Users: []snowflake.User{u.ID}}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}
