package cluster

import (
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Changes names the records that units of work have changed, as far as nodes hold them in memory.
type Changes struct {
	// Everything says that more was changed than can be named.
	Everything bool `json:"all,omitzero"`

	Scopes       []command.Scope         `json:"s,omitzero"`
	Sets         []command.Scope         `json:"o,omitzero"` // permission sets of an application in a guild
	Lobbies      []snowflake.Lobby       `json:"l,omitzero"`
	Users        []snowflake.User        `json:"u,omitzero"`
	Applications []snowflake.Application `json:"a,omitzero"`
	Guilds       []snowflake.Guild       `json:"g,omitzero"` // and what is in them, but members
	Channels     []snowflake.Channel     `json:"c,omitzero"`
	Members      []Pair                  `json:"m,omitzero"` // guild and user
	GuildInstall []Pair                  `json:"i,omitzero"` // guild and application
	Tokens       []store.TokenHash       `json:"t,omitzero"`
	Visits       []Pair                  `json:"v,omitzero"` // of an application by a user

	// Joins say of some of the changes to Lobbies all that happened.
	Joins []Join `json:"j,omitzero"`
}

// Join is a change to a lobby by which somebody joins it, and nothing else happens.
type Join struct {
	Lobby     snowflake.Lobby `json:"l"`
	From      uint64          `json:"f"` // the revision before it
	To        uint64          `json:"t"`
	IdleSince time.Time       `json:"i"`
	Due       time.Time       `json:"d,omitzero"`
	Member    lobby.Member    `json:"m"`
}

// Unsaid returns the lobbies that were changed in more ways than Joins say.
func (c *Changes) Unsaid() []snowflake.Lobby {
	if len(c.Joins) == 0 {
		return c.Lobbies
	}
	changes := make(map[snowflake.Lobby]int, len(c.Lobbies))
	for _, id := range c.Lobbies {
		changes[id]++
	}
	for i := range c.Joins {
		changes[c.Joins[i].Lobby]--
	}
	var unsaid []snowflake.Lobby
	for id, n := range changes {
		if n != 0 {
			unsaid = append(unsaid, id)
		}
	}
	return unsaid
}

// Pair names a record by two ids.
type Pair [2]uint64

// maxNamed is how many records are named before it is simpler to forget everything.
const maxNamed = 4096

// empty reports whether nothing that is held was changed.
func (c *Changes) empty() bool { return !c.Everything && c.size() == 0 }

func (c *Changes) size() int {
	return len(c.Scopes) + len(c.Sets) + len(c.Lobbies) + len(c.Users) + len(c.Applications) + len(c.Guilds) + len(c.Channels) +
		len(c.Members) + len(c.GuildInstall) + len(c.Tokens) + len(c.Visits)
}

// add takes other changes in.
func (c *Changes) add(o *Changes) {
	if c.Everything = c.Everything || o.Everything || c.size()+o.size() > maxNamed; c.Everything {
		*c = Changes{Everything: true}
		return
	}
	c.Scopes = append(c.Scopes, o.Scopes...)
	c.Sets = append(c.Sets, o.Sets...)
	c.Lobbies = append(c.Lobbies, o.Lobbies...)
	c.Users = append(c.Users, o.Users...)
	c.Applications = append(c.Applications, o.Applications...)
	c.Guilds = append(c.Guilds, o.Guilds...)
	c.Channels = append(c.Channels, o.Channels...)
	c.Members = append(c.Members, o.Members...)
	c.GuildInstall = append(c.GuildInstall, o.GuildInstall...)
	c.Tokens = append(c.Tokens, o.Tokens...)
	c.Visits = append(c.Visits, o.Visits...)
	c.Joins = append(c.Joins, o.Joins...)
}
