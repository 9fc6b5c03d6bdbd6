package permissions

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// GuildIndex returns the commands of a guild that a member can use in at least one of its channels. It returns
// ErrNoAccess when the user is not a member. The caller must not modify the index.
func (p *Picker) GuildIndex(
	ctx context.Context, user snowflake.User, guild snowflake.Guild, code locale.Code,
) ([]byte, error) {
	m, err := p.Directory.Guilds.Member(ctx, guild, user)
	if errors.Is(err, directory.ErrUnknownMember) {
		return nil, ErrNoAccess
	}
	if err != nil {
		return nil, err
	}
	u, err := p.Directory.Users.User(ctx, user)
	if err != nil {
		return nil, err
	}
	state, err := p.Directory.Guilds.State(ctx, guild)
	if err != nil {
		return nil, err
	}
	apps, err := p.guildApps(ctx, state)
	if err != nil {
		return nil, err
	}
	c, err := p.catalog(state, apps)
	if err != nil {
		return nil, err
	}
	channels := newMemberChannels(state, state.Member(m, p.Clock.Now()), adult(u))
	usable := make([]bool, len(c.groups))
	for i := range c.groups {
		usable[i] = channels.canUse(&c.groups[i])
	}
	r := &reader{guild, user, m.Roles}
	key, shared := c.key(usable, code, r)
	if body, ok := c.cachedIndex(key); ok && shared {
		return body, nil
	}
	body, err := p.renderCatalog(c, apps, usable, code, r)
	if err == nil && shared {
		p.cacheIndex(c, key, body)
	}
	return body, err
}

// ChannelIndex returns the commands that a user can use in a channel. In a direct message with a bot these are only the
// commands of its application. It returns ErrNoAccess when the user does not see the channel.
func (p *Picker) ChannelIndex(
	ctx context.Context, user snowflake.User, channel snowflake.Channel, code locale.Code,
) ([]byte, error) {
	v, err := p.visible(ctx, user, channel)
	if err != nil {
		return nil, err
	}
	apps, err := p.allCommands(ctx, v)
	if err != nil {
		return nil, err
	}
	var picks []pick
	for i := range apps {
		if a := &apps[i]; v.Bot == 0 || v.Bot == a.app.ID {
			picks = a.appendPicks(picks, func(it *item) bool { return v.decide(a, it).Allowed })
		}
	}
	return p.renderIndex(picks, code, v.reader(), nil)
}

// UserIndex returns the commands of the applications that a user has installed.
func (p *Picker) UserIndex(ctx context.Context, user snowflake.User, code locale.Code) ([]byte, error) {
	u, err := p.Directory.Users.User(ctx, user)
	if err != nil {
		return nil, err
	}
	installs, err := p.Directory.Users.Installs(ctx, user)
	if err != nil {
		return nil, err
	}
	var picks []pick
	for i := range installs {
		a, err := p.globalCommands(ctx, installs[i].Application, permission.Installs{User: true})
		if errors.Is(err, directory.ErrUnknownApplication) {
			continue // deleted between the two reads
		}
		if err != nil {
			return nil, err
		}
		picks = a.appendPicks(picks, func(it *item) bool { return usableOutsideGuild(it, adult(u), true, false) })
	}
	return p.renderIndex(picks, code, &reader{user: user}, nil)
}

// ApplicationIndex returns the commands of an application that a user can use without an install in a guild: in direct
// messages with its bot, and wherever the user's own install allows.
func (p *Picker) ApplicationIndex(
	ctx context.Context, user snowflake.User, app snowflake.Application, code locale.Code,
) ([]byte, error) {
	u, err := p.Directory.Users.User(ctx, user)
	if err != nil {
		return nil, err
	}
	installs, err := p.Directory.Users.Installs(ctx, user)
	if err != nil {
		return nil, err
	}
	installed := installedIn(installs, app)
	a, err := p.globalCommands(ctx, app, permission.Installs{User: true})
	if err != nil {
		return nil, err
	}
	bot, err := p.Directory.Users.User(ctx, snowflake.User(app))
	if err != nil {
		return nil, err
	}
	picks := a.appendPicks(nil, func(it *item) bool { return usableOutsideGuild(it, adult(u), installed, true) })
	return p.renderIndex(picks, code, &reader{user: user}, bot)
}

// appendPicks appends the commands for which usable returns true.
func (a *appCommands) appendPicks(picks []pick, usable func(*item) bool) []pick {
	for j, s := range a.scopes {
		for i := range s.items {
			if it := &s.items[i]; !a.hides(it) && usable(it) {
				picks = append(picks, pick{a, j, i})
			}
		}
	}
	return picks
}

// usableOutsideGuild reports whether a user can use a command without an install in a guild: by the user's own install
// in private channels or in a guild where channel permissions allow it, or in direct messages with the bot.
func usableOutsideGuild(it *item, adult, installed, withBot bool) bool {
	owner := permission.NewGuild(1, 1, 0, nil).Member(1, nil) // has all permissions: only contexts and installs decide
	for _, where := range []permission.Context{permission.ContextGuild, permission.ContextBotDM, permission.ContextPrivateChannel} {
		q := permission.Question{
			Asked: it.rule.Type, Command: it.rule, Context: where, Adult: adult, AdultDMs: adult,
			Member: &owner, Channel: permission.Channel{NSFW: true}, Permissions: permission.All,
		}
		if installed {
			q.Installed.User = true
		}
		if where == permission.ContextBotDM && !withBot && !it.rule.IntegrationTypes.User {
			continue // available only because of the bot
		}
		if permission.Decide(q).Allowed {
			return true
		}
	}
	return false
}
