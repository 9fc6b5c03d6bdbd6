package announce

import (
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// user tells a user, or a bot, how it looks now.
func (w *writer) user(c directory.Change) error {
	u, err := directory.ReadUser(w.Reader, c.User)
	if err != nil {
		return err
	}
	about := store.UserSubject(u.ID)
	if u.Bot {
		about = store.ApplicationSubject(snowflake.Application(u.ID))
	}
	return w.add(about, "USER_UPDATE", wire.MeOf(u, true), own(u, 0), nil)
}

// own is the audience of a user's or a bot's own sessions.
func own(u *directory.User, guild snowflake.Guild) events.Audience {
	if u.Bot {
		return events.Audience{Application: snowflake.Application(u.ID), Guild: guild}
	}
	return events.Audience{Users: []snowflake.User{u.ID}}
}

// guildMember is a member in an event.
type guildMember struct {
	Guild snowflake.Guild `json:"guild_id"`
	wire.Member
}

// member tells of a member. A member that joins gets the guild instead, one that leaves its removal.
func (w *writer) member(c directory.Change) error {
	guild := store.GuildSubject(c.Guild)
	others := events.Audience{Guild: c.Guild, Intents: events.GuildMembers, Except: []snowflake.User{c.User}}
	if c.How == directory.Gone {
		user, err := w.deletedUser(c.User)
		if err != nil {
			return err
		}
		return w.add(guild, "GUILD_MEMBER_REMOVE", struct {
			Guild snowflake.Guild `json:"guild_id"`
			User  wire.User       `json:"user"`
		}{c.Guild, user}, others, &events.Change{Guild: c.Guild, Left: c.User})
	}
	record, err := w.Directory.Member(c.Guild, c.User)
	if err != nil {
		return err
	}
	m, err := directory.ReadResident(w.Reader, record)
	if err != nil {
		return err
	}
	value := guildMember{c.Guild, wire.MemberOf(m.Member, m.Who)}
	if c.How == directory.Made {
		return w.add(guild, "GUILD_MEMBER_ADD", value, others, &events.Change{Guild: c.Guild, Joined: c.User})
	}
	if err := w.add(guild, "GUILD_MEMBER_UPDATE", value, others, &events.Change{Guild: c.Guild}); err != nil {
		return err
	}
	return w.add(guild, "GUILD_MEMBER_UPDATE", value, own(m.Who, c.Guild), nil)
}

// deletedUser returns a user who may have been deleted.
func (w *writer) deletedUser(id snowflake.User) (wire.User, error) {
	u, err := directory.ReadUser(w.Reader, id)
	if errors.Is(err, store.ErrNotFound) {
		u, err = &directory.User{User: store.User{ID: id}}, nil
	}
	if err != nil {
		return wire.User{}, err
	}
	return wire.UserOf(u), nil
}

// inThisGuild names a guild and nothing else.
type inThisGuild struct {
	Guild snowflake.Guild `json:"guild_id"`
}

// install tells bots that an application came into a guild or left it, and people's clients that there are other commands.
func (w *writer) install(c directory.Change) error {
	if err := w.integration(c); err != nil {
		return err
	}
	if err := w.inGuild(c.Guild, events.GuildIntegrated, "GUILD_INTEGRATIONS_UPDATE", inThisGuild{c.Guild}); err != nil {
		return err
	}
	return w.add(store.GuildSubject(c.Guild), "GUILD_APPLICATION_COMMAND_INDEX_UPDATE", inThisGuild{c.Guild},
		events.Audience{Guild: c.Guild, Kinds: events.People}, nil)
}

func (w *writer) integration(c directory.Change) error {
	if c.How == directory.Gone {
		return w.inGuild(c.Guild, events.GuildIntegrated, "INTEGRATION_DELETE", struct {
			inThisGuild

			ID          snowflake.Application `json:"id"`
			Application snowflake.Application `json:"application_id"`
		}{inThisGuild{c.Guild}, c.Application, c.Application})
	}
	app, err := w.Directory.Application(c.Application)
	if err != nil {
		return err
	}
	in, err := w.Directory.GuildInstall(c.Guild, c.Application)
	if err != nil {
		return err
	}
	bot, err := directory.ReadUser(w.Reader, snowflake.User(c.Application))
	if err != nil {
		return err
	}
	return w.inGuild(c.Guild, events.GuildIntegrated, named(c.How, "INTEGRATION_CREATE", "INTEGRATION_UPDATE", ""), struct {
		inThisGuild
		wire.Integration
	}{inThisGuild{c.Guild}, wire.IntegrationOf(&app, in, bot)})
}
