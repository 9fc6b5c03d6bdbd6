package permissions

import (
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/permission"
)

// ruleGroup is a group of commands that the same members can use in the same channels. The decision is made once per
// group.
type ruleGroup struct {
	rule     permission.Command
	set, app *permission.Set
	hidden   bool // no member sees the commands
	// byChannel means that entries distinguish channels.
	byChannel bool
}

// ruleKey identifies a ruleGroup.
type ruleKey struct {
	rule        permission.Command // without its pointers
	contexts    [3]bool
	required    permission.Bits
	hasContexts bool
	hasRequired bool
	hidden      bool
	set, app    *permission.Set
}

func (g *ruleGroup) key() ruleKey {
	key := ruleKey{rule: g.rule, hidden: g.hidden, set: g.set, app: g.app}
	key.rule.Contexts, key.rule.Default = nil, nil
	if g.rule.Contexts != nil {
		key.contexts, key.hasContexts = *g.rule.Contexts, true
	}
	if g.rule.Default != nil {
		key.required, key.hasRequired = *g.rule.Default, true
	}
	return key
}

func hasChannelEntry(s *permission.Set) bool {
	for _, e := range s.Entries() {
		if e.Type == permission.ForChannel {
			return true
		}
	}
	return false
}

// memberChannels are the channels of a guild that a member sees, with the member's permissions there.
type memberChannels struct {
	member permission.Member
	adult  bool
	all    []channelRights
	// distinct has one of each group of channels that are alike.
	distinct []channelRights
}

// channelRights are a channel and the permissions of a member there.
type channelRights struct {
	channel permission.Channel // without its overwrites
	rights  permission.Bits
}

// newMemberChannels returns the channels that a member sees. Administrators see all commands that belong in the guild,
// so they get one artificial channel where everything is allowed.
func newMemberChannels(guild *directory.GuildState, m permission.Member, adult bool) *memberChannels {
	v := &memberChannels{member: m, adult: adult}
	if m.Administrator() {
		v.adult = true
		v.all = []channelRights{{permission.Channel{NSFW: true}, permission.All}}
		v.distinct = v.all
		return v
	}
	for i := range guild.Channels {
		c := &guild.Channels[i]
		if !c.TakesCommands() {
			continue
		}
		r := channelRights{c.Channel, m.In(c.Channel)}
		if !r.rights.Has(permission.ViewChannel) {
			continue // no command can be used there
		}
		r.channel.Overwrites = nil
		v.all = append(v.all, r)
		if !slices.ContainsFunc(v.distinct, r.like) {
			v.distinct = append(v.distinct, r)
		}
	}
	return v
}

// like reports whether the decision is the same in two channels, unless entries distinguish them.
func (r channelRights) like(o channelRights) bool {
	a, b := r.channel, o.channel
	return r.rights == o.rights && a.NSFW == b.NSFW && a.Thread == b.Thread && a.Archived == b.Archived
}

// canUse reports whether the member can use the commands of a group in some channel.
func (v *memberChannels) canUse(g *ruleGroup) bool {
	if g.hidden {
		return false
	}
	channels := v.distinct
	if g.byChannel {
		channels = v.all
	}
	for i := range channels {
		d := permission.Decide(permission.Question{
			Asked: g.rule.Type, Command: g.rule, Overwrites: g.set, App: g.app,
			Context: permission.ContextGuild, Installed: permission.Installs{Guild: true}, Adult: v.adult,
			Member: &v.member, Channel: channels[i].channel, Permissions: channels[i].rights,
		})
		if d.Allowed {
			return true
		}
	}
	return false
}
