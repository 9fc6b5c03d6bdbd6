package announce

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// user tells a user, or a bot, how it looks now.
func (a *Announcer) user(ctx context.Context, c directory.Change) error {
	u, err := a.Directory.User(ctx, c.User)
	if err != nil {
		return err
	}
	return a.publish("USER_UPDATE", wire.MeOf(u, true), own(u, 0), nil)
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

// member tells of a member. One that comes hears about the guild instead, one that goes that it is gone.
func (a *Announcer) member(ctx context.Context, c directory.Change) error {
	others := events.Audience{Guild: c.Guild, Intents: events.GuildMembers, Except: []snowflake.User{c.User}}
	if c.How == directory.Gone {
		return a.publish("GUILD_MEMBER_REMOVE", struct {
			Guild snowflake.Guild `json:"guild_id"`
			User  wire.User       `json:"user"`
		}{c.Guild, a.whoWas(ctx, c.User)}, others, &events.Change{Guild: c.Guild, Left: c.User})
	}
	m, err := a.Directory.Resident(ctx, c.Guild, c.User)
	if err != nil {
		return err
	}
	value := guildMember{c.Guild, wire.MemberOf(m.Member, m.Who)}
	if c.How == directory.Made {
		return a.publish("GUILD_MEMBER_ADD", value, others, &events.Change{Guild: c.Guild, Joined: c.User})
	}
	if err := a.publish("GUILD_MEMBER_UPDATE", value, others, &events.Change{Guild: c.Guild}); err != nil {
		return err
	}
	return a.publish("GUILD_MEMBER_UPDATE", value, own(m.Who, c.Guild), nil)
}

// whoWas returns a user who may be no more.
func (a *Announcer) whoWas(ctx context.Context, id snowflake.User) wire.User {
	u, err := a.Directory.User(ctx, id)
	if err != nil {
		u = &directory.User{User: store.User{ID: id}}
	}
	return wire.UserOf(u)
}

// inThisGuild names a guild and nothing else.
type inThisGuild struct {
	Guild snowflake.Guild `json:"guild_id"`
}

// install tells bots that an application came into a guild or left it, and people's clients that there are other commands.
func (a *Announcer) install(ctx context.Context, c directory.Change) error {
	if err := a.integration(ctx, c); err != nil {
		return err
	}
	if err := a.inGuild(c.Guild, events.GuildIntegrated, "GUILD_INTEGRATIONS_UPDATE", inThisGuild{c.Guild}); err != nil {
		return err
	}
	return a.publish("GUILD_APPLICATION_COMMAND_INDEX_UPDATE", inThisGuild{c.Guild},
		events.Audience{Guild: c.Guild, Kinds: events.People}, nil)
}

func (a *Announcer) integration(ctx context.Context, c directory.Change) error {
	if c.How == directory.Gone {
		return a.inGuild(c.Guild, events.GuildIntegrated, "INTEGRATION_DELETE", struct {
			inThisGuild

			ID          snowflake.Application `json:"id"`
			Application snowflake.Application `json:"application_id"`
		}{inThisGuild{c.Guild}, c.Application, c.Application})
	}
	app, err := a.Directory.Application(ctx, c.Application)
	if err != nil {
		return err
	}
	in, err := a.Directory.GuildInstall(ctx, c.Guild, c.Application)
	if err != nil {
		return err
	}
	bot, err := a.Directory.User(ctx, snowflake.User(c.Application))
	if err != nil {
		return err
	}
	return a.inGuild(c.Guild, events.GuildIntegrated, named(c.How, "INTEGRATION_CREATE", "INTEGRATION_UPDATE", ""), struct {
		inThisGuild
		wire.Integration
	}{inThisGuild{c.Guild}, wire.IntegrationOf(app, in, bot)})
}
