package session

import (
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Kind says whose session it is.
type Kind uint8

// The kinds of sessions.
const (
	Bot    Kind = iota + 1 // of an application
	Person                 // of a person's own client
	Client                 // of an application's client that acts for a person
)

// Who says whose a session is. The zero Who has not identified yet.
type Who struct {
	Session     string
	Kind        Kind
	Application snowflake.Application // of bots and clients
	User        snowflake.User        // of a bot: its application's id
	Shard       Shard                 // of bots
}

// IsOf reports whether a session is that of whoever stands behind a token.
func (w *Who) IsOf(p auth.Principal) bool {
	return w.Application == p.Application && (w.Kind == Bot) == (p.Kind == store.BotToken) && (w.Kind == Bot || w.User == p.User)
}

// Seat returns whose seat it is that the session of a client takes.
func (w *Who) Seat() Seat { return Seat{w.Application, w.User} }

// visitor returns who it is in guilds.
func (w *Who) visitor() directory.Visitor { return directory.Visitor{User: w.User, Bot: w.Kind == Bot} }

// Seat is a person in the clients of an application, however many sessions that are.
type Seat struct {
	Application snowflake.Application
	User        snowflake.User
}

// Shard is a part of an application's guilds.
type Shard struct{ ID, Count uint32 }

// Owns reports whether events of a guild belong to the shard. What has no guild is 0 and belongs to the first.
func (s Shard) Owns(guild snowflake.Guild) bool {
	return uint32(uint64(guild>>22)%uint64(s.Count)) == s.ID
}
