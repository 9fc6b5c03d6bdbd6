package permissions

import (
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/permission"
)

// kind is what commands have in common that the same members can use in the same channels.
type kind struct {
	rule     permission.Command
	set, app *permission.Set
	hidden   bool // nobody sees it
	// byChannel says that entries make a difference between channels.
	byChannel bool
}

// kindKey tells kinds apart.
type kindKey struct {
	rule     permission.Command // without its pointers
	contexts permission.Contexts
	asks     permission.Bits
	open     bool // there are contexts
	asking   bool // there is a default
	hidden   bool
	set, app *permission.Set
}

func (k *kind) key() kindKey {
	key := kindKey{rule: k.rule, hidden: k.hidden, set: k.set, app: k.app}
	key.rule.Contexts, key.rule.Default = nil, nil
	if k.rule.Contexts != nil {
		key.contexts, key.open = *k.rule.Contexts, true
	}
	if k.rule.Default != nil {
		key.asks, key.asking = *k.rule.Default, true
	}
	return key
}

func forChannels(s *permission.Set) bool {
	for _, e := range s.Entries() {
		if e.Type == permission.ForChannel {
			return true
		}
	}
	return false
}

// audience is a member in all channels of a guild.
type audience struct {
	member permission.Member
	adult  bool
	all    []view // every channel
	each   []view // one of those in which the member may do the same
}

// view is a channel and what the member may do there.
type view struct {
	channel permission.Channel // without its overwrites
	rights  permission.Bits
}

// newAudience looks at a guild with the eyes of a member. Administrators see all commands that belong in the guild, so
// they look at a channel where everything can be used, whatever channels there are.
func newAudience(place *directory.Place, m permission.Member, adult bool) *audience {
	a := &audience{member: m, adult: adult}
	if m.Administrator() {
		a.adult = true
		a.all = []view{{permission.Channel{NSFW: true}, permission.All}}
		a.each = a.all
		return a
	}
	for i := range place.Channels {
		c := &place.Channels[i]
		if !c.TakesCommands() {
			continue
		}
		v := view{c.Channel, m.In(c.Channel)}
		if !v.rights.Has(permission.ViewChannel) {
			continue // it makes no difference
		}
		v.channel.Overwrites = nil
		a.all = append(a.all, v)
		if !slices.ContainsFunc(a.each, v.like) {
			a.each = append(a.each, v)
		}
	}
	return a
}

// like reports whether two channels are the same but for what entries say of them.
func (v view) like(o view) bool {
	a, b := v.channel, o.channel
	return v.rights == o.rights && a.NSFW == b.NSFW && a.Thread == b.Thread && a.Archived == b.Archived
}

// sees reports whether the member can use commands of a kind in some channel.
func (a *audience) sees(k *kind) bool {
	if k.hidden {
		return false
	}
	views := a.each
	if k.byChannel {
		views = a.all
	}
	for i := range views {
		d := permission.Decide(permission.Question{
			Asked: k.rule.Type, Command: k.rule, Overwrites: k.set, App: k.app,
			Context: permission.ContextGuild, Installed: permission.GuildInstall, Adult: a.adult,
			Member: &a.member, Channel: views[i].channel, Permissions: views[i].rights,
		})
		if d.Allowed {
			return true
		}
	}
	return false
}
