package picker

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// GuildIndex returns the commands of a guild that a member can use in one of its channels at least. Who is no member gets
// ErrNoAccess. The caller does not change the index.
func (p *Picker) GuildIndex(
	ctx context.Context, user snowflake.User, guild snowflake.Guild, code locale.Code,
) ([]byte, error) {
	m, err := p.Directory.Member(ctx, guild, user)
	if errors.Is(err, directory.ErrUnknownMember) {
		return nil, ErrNoAccess
	}
	if err != nil {
		return nil, err
	}
	u, err := p.Directory.User(ctx, user)
	if err != nil {
		return nil, err
	}
	place, err := p.Directory.Place(ctx, guild)
	if err != nil {
		return nil, err
	}
	c, err := p.catalog(ctx, place)
	if err != nil {
		return nil, err
	}
	a := newAudience(place, place.Member(m, p.Clock.Now()), adult(u))
	seen := make([]bool, len(c.kinds))
	for i := range c.kinds {
		seen[i] = a.sees(&c.kinds[i])
	}
	who := &caller{guild, user, m.Roles}
	key, shared := c.key(seen, code, who)
	if body, ok := c.ready(key); ok && shared {
		return body, nil
	}
	body, err := p.printCatalog(c, seen, code, who)
	if err == nil && shared {
		p.keep(c, key, body)
	}
	return body, err
}

// ChannelIndex returns the commands that a person can use in a channel; in direct messages with a bot those of its
// application alone. Who does not see the channel gets ErrNoAccess.
func (p *Picker) ChannelIndex(
	ctx context.Context, user snowflake.User, channel snowflake.Channel, code locale.Code,
) ([]byte, error) {
	s, err := p.seen(ctx, user, channel)
	if err != nil {
		return nil, err
	}
	offers, err := p.offers(ctx, s)
	if err != nil {
		return nil, err
	}
	var picks []pick
	for _, o := range offers {
		if s.Bot == 0 || s.Bot == o.app.ID {
			picks = o.usable(picks, func(it *item) bool { return s.may(o, it).Allowed })
		}
	}
	return p.print(picks, code, s.caller(), nil)
}

// seen returns a person in a channel that the person sees.
func (p *Picker) seen(ctx context.Context, user snowflake.User, channel snowflake.Channel) (*Spot, error) {
	s, err := p.Spot(ctx, user, channel)
	if err == nil && !s.Sees() {
		err = ErrNoAccess
	}
	return s, err
}

func (s *Spot) caller() *caller { return &caller{s.Where.Guild, s.User.ID, s.roles} }

// UserIndex returns the commands of the applications that a person has installed.
func (p *Picker) UserIndex(ctx context.Context, user snowflake.User, code locale.Code) ([]byte, error) {
	u, err := p.Directory.User(ctx, user)
	if err != nil {
		return nil, err
	}
	own, err := p.Directory.UserInstalls(ctx, user)
	if err != nil {
		return nil, err
	}
	var picks []pick
	for i := range own {
		o, err := p.globalOffer(ctx, own[i].Application, permission.UserInstall)
		if errors.Is(err, directory.ErrUnknownApplication) {
			continue // gone in this very moment
		}
		if err != nil {
			return nil, err
		}
		picks = o.usable(picks, func(it *item) bool { return somewhere(it, adult(u), true, false) })
	}
	return p.print(picks, code, &caller{user: user}, nil)
}

// ApplicationIndex returns the commands of an application that a person can use without a guild that has it: in direct
// messages with its bot, and where the person's own install reaches.
func (p *Picker) ApplicationIndex(
	ctx context.Context, user snowflake.User, app snowflake.Application, code locale.Code,
) ([]byte, error) {
	u, err := p.Directory.User(ctx, user)
	if err != nil {
		return nil, err
	}
	own, err := p.Directory.UserInstalls(ctx, user)
	if err != nil {
		return nil, err
	}
	installed := installedIn(own, app)
	o, err := p.globalOffer(ctx, app, permission.UserInstall)
	if err != nil {
		return nil, err
	}
	bot, err := p.Directory.User(ctx, snowflake.User(app))
	if err != nil {
		return nil, err
	}
	picks := o.usable(nil, func(it *item) bool { return somewhere(it, adult(u), installed, true) })
	return p.print(picks, code, &caller{user: user}, bot)
}

// usable appends the commands of an offer that can be used.
func (o *offer) usable(picks []pick, can func(*item) bool) []pick {
	for j, sh := range o.shelves {
		for i := range sh.items {
			if it := &sh.items[i]; !o.hides(it) && can(it) {
				picks = append(picks, pick{o, j, i})
			}
		}
	}
	return picks
}

// somewhere reports whether a command can be used in some place that no guild has a say in: by the person's own install in
// private channels or in guilds, where the rights in the channel then decide, or in direct messages with the bot.
func somewhere(it *item, adult, installed, withBot bool) bool {
	anyRights := permission.NewGuild(1, 1, 0, nil).Member(1, nil) // an owner: only kind of place and install are asked
	for _, where := range []permission.Context{permission.ContextGuild, permission.ContextBotDM, permission.ContextPrivateChannel} {
		q := permission.Question{
			Asked: it.rule.Type, Command: it.rule, Context: where, Adult: adult, AdultDMs: adult,
			Member: &anyRights, Channel: permission.Channel{NSFW: true}, Permissions: permission.All,
		}
		if installed {
			q.Installed = permission.UserInstall
		}
		if where == permission.ContextBotDM && !withBot && !it.rule.IntegrationTypes.Has(permission.UserInstall) {
			continue // there by the bot alone
		}
		if permission.Decide(q).Allowed {
			return true
		}
	}
	return false
}

// printCatalog returns the index with the kinds that are seen.
func (p *Picker) printCatalog(c *catalog, seen []bool, code locale.Code, who *caller) ([]byte, error) {
	texts := make([][2]*text, len(c.offers))
	size := 64
	for i := range c.offers {
		for j, sh := range c.offers[i].shelves {
			t, err := p.inLanguage(sh.scope, sh.stock, code)
			if err != nil {
				return nil, err
			}
			texts[i][j] = t
			size += len(t.blob) + 1
		}
		size += len(c.offers[i].head) + len(noPermissions) + 1
	}
	dst := append(make([]byte, 0, size), `{"applications":[`...)
	for i := range c.offers {
		o := &c.offers[i]
		if !o.any(seen) {
			continue
		}
		dst = comma(dst)
		dst = append(dst, o.head...)
		dst = append(who.appendPermissions(dst, o.sets.App), '}')
	}
	dst = append(dst, `],"application_commands":[`...)
	var newest snowflake.Version
	for i := range c.offers {
		dst, newest = c.offers[i].appendSeen(dst, newest, seen, texts[i][:], who)
	}
	return appendVersion(dst, newest), nil
}

// any reports whether a command of the offer is seen.
func (o *shelved) any(seen []bool) bool {
	for _, sorted := range o.kinds {
		for _, k := range sorted {
			if seen[k] {
				return true
			}
		}
	}
	return false
}

// appendSeen appends the commands that are seen, neighbours together where no entry can speak of the caller.
func (o *shelved) appendSeen(
	dst []byte, newest snowflake.Version, seen []bool, texts []*text, who *caller,
) ([]byte, snowflake.Version) {
	for j, sh := range o.shelves {
		t := texts[j]
		for i := 0; i < len(sh.items); i++ {
			if !seen[o.kinds[j][i]] {
				continue
			}
			dst = comma(dst)
			if set := o.sets.Of(sh.items[i].ID); set != nil {
				dst = who.appendItem(dst, t.piece(i), set)
				newest = max(newest, sh.items[i].Version)
				continue
			}
			last := i
			for n := i; n < len(sh.items) && seen[o.kinds[j][n]] && o.sets.Of(sh.items[n].ID) == nil; n++ {
				newest = max(newest, sh.items[n].Version)
				last = n
			}
			dst = append(dst, t.blob[t.spans[i].from:t.spans[last].to]...)
			i = last
		}
	}
	return dst, newest
}
