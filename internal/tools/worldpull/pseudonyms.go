package worldpull

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Pseudonyms replace people. They are derived from a key, so the same key gives the same pseudonyms, and without the key
// they do not lead back to the people.
type Pseudonyms struct {
	key []byte
	ids map[snowflake.User]snowflake.User
}

// NewPseudonyms returns the pseudonyms of a key.
func NewPseudonyms(key string) *Pseudonyms {
	return &Pseudonyms{key: []byte(key), ids: map[snowflake.User]snowflake.User{}}
}

// The range of the ids of pseudonyms.
const (
	firstPseudonym = 1_000_000_000_000_000_000
	manyPseudonyms = 100_000_000_000_000_000
)

// of returns the id and the name of a person.
func (p *Pseudonyms) of(id snowflake.User) (snowflake.User, string) {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(id.String()))
	sum := mac.Sum(nil)
	return snowflake.User(firstPseudonym + binary.BigEndian.Uint64(sum)%manyPseudonyms), fmt.Sprintf("user-%x", sum[8:13])
}

// Replace replaces the users of a world. It removes their nicknames, display names, and the times at which they joined.
func (p *Pseudonyms) Replace(w *world.World) {
	for i, u := range w.Users {
		id, name := p.of(u.ID)
		p.ids[u.ID] = id
		w.Users[i] = world.User{ID: id, Username: name}
	}
	for i := range w.Applications {
		p.user(&w.Applications[i].Owner)
	}
	for i := range w.Guilds {
		p.replaceInGuild(&w.Guilds[i])
	}
	for _, set := range w.CommandPermissions {
		for i := range set.Permissions {
			if e := &set.Permissions[i]; e.Type == permission.ForUser {
				p.target(&e.ID)
			}
		}
	}
}

func (p *Pseudonyms) replaceInGuild(g *world.Guild) {
	p.user(&g.Owner)
	for i := range g.Members {
		m := &g.Members[i]
		if p.user(&m.User) {
			m.Nick, m.JoinedAt = "", time.Time{}
		}
	}
	for _, c := range g.Channels {
		for i := range c.Overwrites {
			if o := &c.Overwrites[i]; o.Type == world.MemberOverwrite {
				p.target(&o.ID)
			}
		}
	}
}

// user replaces an id, and reports whether it is that of a person. Bots keep theirs.
func (p *Pseudonyms) user(id *snowflake.User) bool {
	other, known := p.ids[*id]
	if known {
		*id = other
	}
	return known
}

func (p *Pseudonyms) target(id *snowflake.Target) {
	user := snowflake.User(*id)
	p.user(&user)
	*id = snowflake.Target(user)
}
