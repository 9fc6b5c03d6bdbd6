package permissions

import (
	"encoding/binary"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// catalog describes all commands of a guild at one moment. Everything except indexes is immutable.
type catalog struct {
	guild     *directory.GuildState
	apps      []catalogApp
	groups    []ruleGroup
	localized bool // some text differs between languages
	// roles and users are those that have entries.
	roles map[snowflake.Role]bool
	users map[snowflake.User]bool

	// indexes caches indexes as JSON.
	indexes atomic.Pointer[map[indexKey][]byte]
}

// indexKey identifies an index. Members who can use the same commands and have the same entries share it.
type indexKey struct {
	code   locale.Code
	usable string // one bit per rule group
	roles  string // that have entries
}

// maxIndexes is the highest number of cached indexes of a guild.
const maxIndexes = 16

// catalogApp is an application in a catalog. It does not hold the prepared commands: many guilds share them, and their
// own cache drops them.
type catalogApp struct {
	guildApp

	head   []byte   // the application as it appears in an index, up to the reader's permissions
	groups [2][]int // the rule group of each global command, and of each guild command
}

// catalog returns the catalog of a guild. apps is the newest state of its applications.
func (p *Picker) catalog(guild *directory.GuildState, apps []guildApp) (*catalog, error) {
	if cached, ok := p.catalogs.get(guild.ID); ok && cached.guild == guild && cached.current(apps) {
		return cached, nil
	}
	made := &catalog{guild: guild, roles: map[snowflake.Role]bool{}, users: map[snowflake.User]bool{}}
	groups := map[ruleKey]int{}
	for i := range apps {
		a, err := p.prepare(&apps[i], guild.ID, permission.Installs{Guild: true})
		if err != nil {
			return nil, err
		}
		made.add(apps[i], &a, groups)
	}
	p.catalogs.put(guild.ID, made, made.size(), p.budget())
	return made, nil
}

// current reports whether the catalog was made from these states.
func (c *catalog) current(apps []guildApp) bool {
	return slices.EqualFunc(c.apps, apps, func(a catalogApp, b guildApp) bool {
		return a.app == b.app && a.commands.Sets == b.commands.Sets &&
			a.commands.Global.Serial == b.commands.Global.Serial && a.commands.Guild.Serial == b.commands.Guild.Serial
	})
}

// add adds an application and assigns its commands to rule groups.
func (c *catalog) add(g guildApp, a *appCommands, groups map[ruleKey]int) {
	added := catalogApp{guildApp: g, head: a.appendApplication(nil, nil)}
	for j, s := range a.scopes {
		assigned := make([]int, len(s.items))
		for i := range s.items {
			it := &s.items[i]
			group := ruleGroup{rule: it.rule, set: a.sets.Of(it.ID), app: a.sets.App, hidden: a.hides(it)}
			key := group.key()
			n, known := groups[key]
			if !known {
				n = len(c.groups)
				groups[key] = n
				group.byChannel = hasChannelEntry(group.set) || hasChannelEntry(group.app)
				c.noteEntries(group.set)
				c.groups = append(c.groups, group)
			}
			assigned[i] = n
		}
		added.groups[j] = assigned
		c.localized = c.localized || s.localized
	}
	added.commands.Global.Commands, added.commands.Guild.Commands = nil, nil // the registry holds them
	c.noteEntries(a.sets.App)
	c.apps = append(c.apps, added)
}

// size returns roughly how many bytes the catalog takes, without its indexes.
func (c *catalog) size() int {
	const application, group, item = 1024, 160, 8
	n := c.guild.Size() + group*len(c.groups)
	for i := range c.apps {
		a := &c.apps[i]
		n += application + len(a.head) + a.commands.Sets.Size() + item*(len(a.groups[0])+len(a.groups[1]))
	}
	return n
}

// noteEntries adds the roles and users of the entries of a set.
func (c *catalog) noteEntries(set *permission.Set) {
	for _, e := range set.Entries() {
		switch e.Type {
		case permission.ForRole:
			c.roles[snowflake.Role(e.ID)] = true
		case permission.ForUser:
			c.users[snowflake.User(e.ID)] = true
		case permission.ForChannel: // the same for all members
		}
	}
}

// key returns the cache key of an index for a reader who can use these rule groups. It is not shared when the reader
// has entries.
func (c *catalog) key(usable []bool, code locale.Code, r *reader) (k indexKey, shared bool) {
	if c.users[r.user] {
		return k, false
	}
	bits := make([]byte, (len(usable)+7)/8)
	for i, can := range usable {
		if can {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	k = indexKey{code: anyLanguage, usable: string(bits)}
	if c.localized {
		k.code = code
	}
	var roles []byte
	for _, role := range r.roles {
		if c.roles[role] {
			roles = binary.BigEndian.AppendUint64(roles, uint64(role))
		}
	}
	k.roles = string(roles)
	return k, true
}

// cachedIndex returns an index from the cache.
func (c *catalog) cachedIndex(k indexKey) ([]byte, bool) {
	all := c.indexes.Load()
	if all == nil {
		return nil, false
	}
	body, ok := (*all)[k]
	return body, ok
}

// cacheIndex adds an index to the cache. When the cache is full, the new index replaces all others.
func (p *Picker) cacheIndex(c *catalog, k indexKey, body []byte) {
	for {
		old := c.indexes.Load()
		next := map[indexKey][]byte{k: body}
		grown := len(body)
		switch {
		case old == nil:
		case len(*old) < maxIndexes:
			maps.Copy(next, *old)
		default:
			for _, dropped := range *old {
				grown -= len(dropped)
			}
		}
		if c.indexes.CompareAndSwap(old, &next) {
			p.catalogs.grow(c.guild.ID, grown, p.budget())
			return
		}
	}
}

// renderCatalog returns the index with the commands of the usable rule groups. apps is the state that the catalog was
// made from.
func (p *Picker) renderCatalog(
	c *catalog, apps []guildApp, usable []bool, code locale.Code, r *reader,
) ([]byte, error) {
	prepared := make([]appCommands, len(apps))
	texts := make([][2]*rendering, len(apps))
	size := 64
	for i := range apps {
		var err error
		if prepared[i], err = p.prepare(&apps[i], c.guild.ID, permission.Installs{Guild: true}); err != nil {
			return nil, err
		}
		for j, s := range prepared[i].scopes {
			if texts[i][j], err = p.rendering(s, code); err != nil {
				return nil, err
			}
			size += len(texts[i][j].json) + 1
		}
		size += len(c.apps[i].head) + len(noPermissions) + 1
	}
	dst := append(make([]byte, 0, size), `{"applications":[`...)
	for i := range c.apps {
		if a := &c.apps[i]; a.hasUsable(usable) {
			dst = append(comma(dst), a.head...)
			dst = append(r.appendPermissions(dst, a.commands.Sets.App), '}')
		}
	}
	dst = append(dst, `],"application_commands":[`...)
	var newest snowflake.Version
	for i := range c.apps {
		for j, s := range prepared[i].scopes {
			part := catalogScope{s.items, c.apps[i].groups[j], texts[i][j], prepared[i].sets}
			dst, newest = part.appendUsable(dst, newest, usable, r)
		}
	}
	return appendVersion(dst, newest), nil
}

// hasUsable reports whether a command of the application is in a usable rule group.
func (a *catalogApp) hasUsable(usable []bool) bool {
	for _, groups := range a.groups {
		for _, g := range groups {
			if usable[g] {
				return true
			}
		}
	}
	return false
}

// catalogScope is a scope of an application, with the rule groups of its commands.
type catalogScope struct {
	items  []item
	groups []int
	text   *rendering
	sets   *registry.Sets
}

// appendUsable appends the usable commands. It copies neighbors without a permission set together.
func (s *catalogScope) appendUsable(
	dst []byte, newest snowflake.Version, usable []bool, r *reader,
) ([]byte, snowflake.Version) {
	for i := 0; i < len(s.items); i++ {
		if !usable[s.groups[i]] {
			continue
		}
		dst = comma(dst)
		newest = max(newest, s.items[i].Version)
		if set := s.sets.Of(s.items[i].ID); set != nil {
			dst = r.appendItem(dst, s.text.item(i), set)
			continue
		}
		from := s.text.spans[i].from
		for i+1 < len(s.items) && usable[s.groups[i+1]] && s.sets.Of(s.items[i+1].ID) == nil {
			i++
			newest = max(newest, s.items[i].Version)
		}
		dst = append(dst, s.text.json[from:s.text.spans[i].to]...)
	}
	return dst, newest
}
