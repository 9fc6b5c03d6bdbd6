package permissions

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/registry"
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
	held, err := p.holdings(ctx, place)
	if err != nil {
		return nil, err
	}
	c, err := p.catalog(place, held)
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
	body, err := p.printCatalog(c, held, seen, code, who)
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
	for i := range offers {
		if o := &offers[i]; s.Bot == 0 || s.Bot == o.app.ID {
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

// printCatalog returns the index with the kinds that are seen. held is what the catalog was made from.
func (p *Picker) printCatalog(
	c *catalog, held []holding, seen []bool, code locale.Code, who *caller,
) ([]byte, error) {
	offers := make([]offer, len(held))
	texts := make([][2]*text, len(held))
	size := 64
	for i := range held {
		var err error
		if offers[i], err = p.stocked(&held[i], c.place.ID, permission.GuildInstall); err != nil {
			return nil, err
		}
		for j, sh := range offers[i].shelves {
			if texts[i][j], err = p.inLanguage(sh.scope, sh.stock, code); err != nil {
				return nil, err
			}
			size += len(texts[i][j].blob) + 1
		}
		size += len(c.offers[i].head) + len(noPermissions) + 1
	}
	dst := append(make([]byte, 0, size), `{"applications":[`...)
	for i := range c.offers {
		if o := &c.offers[i]; o.any(seen) {
			dst = append(comma(dst), o.head...)
			dst = append(who.appendPermissions(dst, o.shelf.Sets.App), '}')
		}
	}
	dst = append(dst, `],"application_commands":[`...)
	var newest snowflake.Version
	for i := range c.offers {
		for j, sh := range offers[i].shelves {
			row := row{sh.items, c.offers[i].kinds[j], texts[i][j], offers[i].sets}
			dst, newest = row.appendSeen(dst, newest, seen, who)
		}
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

// row is a stock in a language with what is kept of it in a catalog.
type row struct {
	items []item
	kinds []int
	text  *text
	sets  *registry.Sets
}

// appendSeen appends the commands that are seen, neighbours together where no entry can speak of the caller.
func (r *row) appendSeen(
	dst []byte, newest snowflake.Version, seen []bool, who *caller,
) ([]byte, snowflake.Version) {
	for i := 0; i < len(r.items); i++ {
		if !seen[r.kinds[i]] {
			continue
		}
		dst = comma(dst)
		newest = max(newest, r.items[i].Version)
		if set := r.sets.Of(r.items[i].ID); set != nil {
			dst = who.appendItem(dst, r.text.piece(i), set)
			continue
		}
		from := r.text.spans[i].from
		for i+1 < len(r.items) && seen[r.kinds[i+1]] && r.sets.Of(r.items[i+1].ID) == nil {
			i++
			newest = max(newest, r.items[i].Version)
		}
		dst = append(dst, r.text.blob[from:r.text.spans[i].to]...)
	}
	return dst, newest
}
