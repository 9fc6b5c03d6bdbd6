package permissions

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Invoker is a user in a channel, with everything that decides which commands the user can use there. It describes one
// moment and is not modified.
type Invoker struct {
	User    *store.User
	Channel snowflake.Channel
	Where   *store.Channel

	// Bot is the application whose bot is the other participant of a direct message; 0 elsewhere.
	Bot snowflake.Application

	// Guild, Member and Rights are set in channels of a guild. Member is nil when the user is not a member. Rights are the
	// permissions of the member in the channel.
	Guild  *directory.GuildState
	Member *permission.Member
	Rights permission.Bits

	roles    []snowflake.Role // of the member, ascending
	channel  permission.Channel
	installs []store.Install // of the user, ordered by application
}

// Invoker returns a user in a channel. It does not check that the user sees the channel: see Sees.
func (p *Picker) Invoker(ctx context.Context, user snowflake.User, channel snowflake.Channel) (*Invoker, error) {
	where, err := p.Directory.Channels.Channel(ctx, channel)
	if err != nil {
		return nil, err
	}
	v := &Invoker{Channel: channel, Where: where}
	if v.User, err = p.Directory.Users.User(ctx, user); err != nil {
		return nil, err
	}
	if v.installs, err = p.Directory.Users.Installs(ctx, user); err != nil {
		return nil, err
	}
	if where.Guild == 0 {
		err = p.loadBot(ctx, v)
	} else {
		err = p.loadMember(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// loadBot sets Bot when the channel is a direct message with a bot.
func (p *Picker) loadBot(ctx context.Context, v *Invoker) error {
	if v.Where.Type != wire.DM {
		return nil
	}
	for _, other := range v.Where.Recipients {
		if other == v.User.ID {
			continue
		}
		u, err := p.Directory.Users.User(ctx, other)
		if errors.Is(err, directory.ErrUnknownUser) {
			continue
		}
		if err != nil {
			return err
		}
		if u.Bot {
			v.Bot = snowflake.Application(other)
		}
	}
	return nil
}

// loadMember sets the guild, the member and the member's permissions in the channel.
func (p *Picker) loadMember(ctx context.Context, v *Invoker) (err error) {
	if v.Guild, err = p.Directory.Guilds.State(ctx, v.Where.Guild); err != nil {
		return err
	}
	c := v.Guild.Channel(v.Channel)
	if c == nil {
		return directory.ErrUnknownChannel // deleted between the two reads
	}
	v.channel = c.Channel
	m, err := p.Directory.Guilds.Member(ctx, v.Where.Guild, v.User.ID)
	if errors.Is(err, directory.ErrUnknownMember) {
		return nil
	}
	if err != nil {
		return err
	}
	joined := false
	if v.channel.Private {
		inside, err := p.Directory.Channels.ThreadMembers(ctx, v.Channel)
		if err != nil {
			return err
		}
		joined = inside.Has(v.User.ID)
	}
	member := v.Guild.Member(m, p.Clock.Now())
	v.Member, v.roles, v.Rights = &member, m.Roles, member.InThread(v.channel, joined)
	return nil
}

// visible returns a user in a channel, or ErrNoAccess when the user does not see the channel.
func (p *Picker) visible(ctx context.Context, user snowflake.User, channel snowflake.Channel) (*Invoker, error) {
	v, err := p.Invoker(ctx, user, channel)
	if err == nil && !v.Sees() {
		err = ErrNoAccess
	}
	return v, err
}

// Sees reports whether the user sees the channel.
func (v *Invoker) Sees() bool {
	if v.Guild != nil {
		return v.Rights.Has(permission.ViewChannel)
	}
	return slices.Contains(v.Where.Recipients, v.User.ID)
}

// Context returns the interaction context of the channel for an application.
func (v *Invoker) Context(app snowflake.Application) permission.Context {
	switch {
	case v.Guild != nil:
		return permission.ContextGuild
	case v.Bot == app:
		return permission.ContextBotDM
	default:
		return permission.ContextPrivateChannel
	}
}

// Installed returns whether an application is installed in the guild, by the user, or both.
func (v *Invoker) Installed(app snowflake.Application) permission.Installs {
	return permission.Installs{
		Guild: v.Guild != nil && v.Guild.Installed(app),
		User:  installedIn(v.installs, app),
	}
}

func installedIn(list []store.Install, app snowflake.Application) bool {
	_, found := slices.BinarySearchFunc(list, app, func(i store.Install, app snowflake.Application) int {
		return cmp.Compare(i.Application, app)
	})
	return found
}

// otherApps returns the applications that are available in the channel without an install in the guild: the bot of the
// direct message, and those that the user has installed.
func (v *Invoker) otherApps() []snowflake.Application {
	var apps []snowflake.Application
	if v.Bot != 0 && !installedIn(v.installs, v.Bot) {
		apps = append(apps, v.Bot)
	}
	for i := range v.installs {
		if app := v.installs[i].Application; v.Guild == nil || !v.Guild.Installed(app) {
			apps = append(apps, app)
		}
	}
	return apps
}

func (v *Invoker) reader() *reader { return &reader{v.Where.Guild, v.User.ID, v.roles} }

// adult reports whether a user is an adult. Adults see age-restricted commands in direct messages too: there is no
// setting for it.
func adult(u *store.User) bool { return !u.Minor }

// decide decides whether the user can use a command here.
func (v *Invoker) decide(a *appCommands, it *item) permission.Decision {
	q := permission.Question{
		Asked: it.rule.Type, Command: it.rule, Context: v.Context(a.app.ID), Installed: a.installed,
		Adult: adult(v.User), AdultDMs: adult(v.User),
		Member: v.Member, Channel: v.channel, Permissions: v.Rights,
	}
	if a.sets != nil {
		q.Overwrites, q.App = a.sets.Of(it.ID), a.sets.App
	}
	return permission.Decide(q)
}

// Decide decides whether the user can use a command here, and why. It returns registry.ErrUnknownCommand when the
// application has no such command in this channel for any user.
func (p *Picker) Decide(
	ctx context.Context, v *Invoker, app snowflake.Application, id snowflake.Command,
) (*command.Command, permission.Decision, error) {
	a, err := p.appCommands(ctx, v, app)
	if err != nil {
		return nil, permission.Decision{}, err
	}
	for _, s := range a.scopes {
		for i := range s.items {
			if it := &s.items[i]; it.ID == id && !a.hides(it) {
				return it.Command, v.decide(&a, it), nil
			}
		}
	}
	return nil, permission.Decision{}, registry.ErrUnknownCommand
}
