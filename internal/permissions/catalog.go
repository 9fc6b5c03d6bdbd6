package permissions

import (
	"encoding/binary"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// catalog is everything that a guild offers at one moment. All but its bodies is immutable.
type catalog struct {
	place  *directory.Place
	offers []shelved
	kinds  []kind
	// What the catalog as a whole is about.
	localized bool
	// roles and users are those of which entries speak.
	roles map[snowflake.Role]bool
	users map[snowflake.User]bool

	// bodies holds indexes that were asked for, as they go on the wire.
	bodies atomic.Pointer[map[bodyKey][]byte]
}

// bodyKey names an index that is the same for all members who see the same and of whom entries say the same.
type bodyKey struct {
	code  locale.Code
	seen  string // a bit for every kind
	roles string // of which entries speak
}

// maxBodies is how many indexes of a guild are held.
const maxBodies = 16

// shelved is what the catalog keeps of an application. It keeps no stock: those are many guilds', and go when they are
// not used.
type shelved struct {
	holding

	head  []byte   // the application as an index shows it, without what is about the caller
	kinds [2][]int // of every global command, and of every one of the guild
}

// catalog returns what a guild offers, of which held is the newest state.
func (p *Picker) catalog(place *directory.Place, held []holding) (*catalog, error) {
	if kept, ok := p.catalogs.get(place.ID); ok && kept.place == place && kept.stands(held) {
		return kept, nil
	}
	made := &catalog{place: place, roles: map[snowflake.Role]bool{}, users: map[snowflake.User]bool{}}
	kinds := map[kindKey]int{}
	for i := range held {
		o, err := p.stocked(&held[i], place.ID, permission.GuildInstall)
		if err != nil {
			return nil, err
		}
		made.add(held[i], &o, kinds)
	}
	p.catalogs.put(place.ID, made, made.size())
	return made, nil
}

// stands reports whether a catalog holds the newest state of everything in it.
func (c *catalog) stands(held []holding) bool {
	return slices.EqualFunc(c.offers, held, func(a shelved, b holding) bool {
		return a.app == b.app && a.shelf.Sets == b.shelf.Sets && a.shelf.Global.Serial == b.shelf.Global.Serial &&
			a.shelf.Local.Serial == b.shelf.Local.Serial
	})
}

// add adds what an application has and sorts its commands into kinds.
func (c *catalog) add(h holding, o *offer, kinds map[kindKey]int) {
	s := shelved{holding: h, head: o.appendApplication(nil, nil)}
	for j, sh := range o.shelves {
		sorted := make([]int, len(sh.items))
		for i := range sh.items {
			it := &sh.items[i]
			k := kind{rule: it.rule, set: o.sets.Of(it.ID), app: o.sets.App, hidden: o.hides(it)}
			key := k.key()
			n, known := kinds[key]
			if !known {
				n = len(c.kinds)
				kinds[key] = n
				k.byChannel = forChannels(k.set) || forChannels(k.app)
				c.mention(k.set)
				c.kinds = append(c.kinds, k)
			}
			sorted[i] = n
		}
		s.kinds[j] = sorted
		c.localized = c.localized || sh.localized
	}
	s.shelf.Global.Commands, s.shelf.Local.Commands = nil, nil // the registry's
	c.mention(o.sets.App)
	c.offers = append(c.offers, s)
}

// size is roughly what the catalog keeps in memory beside its bodies.
func (c *catalog) size() int {
	const application, kindSize, item = 1024, 160, 8
	n := c.place.Size() + kindSize*len(c.kinds)
	for i := range c.offers {
		o := &c.offers[i]
		n += application + len(o.head) + o.shelf.Sets.Size() + item*(len(o.kinds[0])+len(o.kinds[1]))
	}
	return n
}

// mention notes of whom the entries of a set speak.
func (c *catalog) mention(set *permission.Set) {
	for _, e := range set.Entries() {
		switch e.Type {
		case permission.ForRole:
			c.roles[snowflake.Role(e.ID)] = true
		case permission.ForUser:
			c.users[snowflake.User(e.ID)] = true
		case permission.ForChannel: // all members are shown the same
		}
	}
}

// key returns the name of the index for a member who sees these kinds, and whether others share it.
func (c *catalog) key(seen []bool, code locale.Code, who *caller) (k bodyKey, shared bool) {
	if c.users[who.user] {
		return k, false
	}
	bits := make([]byte, (len(seen)+7)/8)
	for i, sees := range seen {
		if sees {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	k = bodyKey{code: anyLanguage, seen: string(bits)}
	if c.localized {
		k.code = code
	}
	var roles []byte
	for _, role := range who.roles {
		if c.roles[role] {
			roles = binary.BigEndian.AppendUint64(roles, uint64(role))
		}
	}
	k.roles = string(roles)
	return k, true
}

// ready returns an index that is held.
func (c *catalog) ready(k bodyKey) ([]byte, bool) {
	all := c.bodies.Load()
	if all == nil {
		return nil, false
	}
	body, ok := (*all)[k]
	return body, ok
}

// keep holds an index. When there are too many the others go.
func (p *Picker) keep(c *catalog, k bodyKey, body []byte) {
	for {
		old := c.bodies.Load()
		next := map[bodyKey][]byte{k: body}
		grown := len(body)
		switch {
		case old == nil:
		case len(*old) < maxBodies:
			maps.Copy(next, *old)
		default:
			for _, gone := range *old {
				grown -= len(gone)
			}
		}
		if c.bodies.CompareAndSwap(old, &next) {
			p.catalogs.grow(c.place.ID, grown)
			return
		}
	}
}
