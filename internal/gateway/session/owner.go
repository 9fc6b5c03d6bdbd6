package session

import (
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// Kind is the kind of token that a session began with.
type Kind uint8

// The kinds of sessions.
const (
	Bot    Kind = iota + 1 // a bot token
	User                   // a user token
	Client                 // an OAuth2 access token: an application's client, for a user
)

// Owner says to whom a session belongs. The zero Owner has not identified yet.
type Owner struct {
	Session     string // the id of the session
	Kind        Kind
	Application snowflake.Application // of bots and clients
	User        snowflake.User        // of a bot: the id of its application
	Shard       Shard                 // of bots
}

// BelongsTo reports whether the session belongs to the principal of a token.
func (w *Owner) BelongsTo(p auth.Principal) bool {
	return w.Application == p.Application && (w.Kind == Bot) == (p.Kind == store.BotToken) && (w.Kind == Bot || w.User == p.User)
}

// ownerKey identifies an owner with all its sessions.
type ownerKey struct {
	kind        Kind
	application snowflake.Application
	user        snowflake.User
}

func (w *Owner) key() ownerKey { return ownerKey{w.Kind, w.Application, w.User} }

// AppUser returns the application and the user of a client or bot session.
func (w *Owner) AppUser() AppUser { return AppUser{w.Application, w.User} }

// viewer returns the user or bot whose permissions decide what the session sees.
func (w *Owner) viewer() directory.Viewer { return directory.Viewer{User: w.User, Bot: w.Kind == Bot} }

// AppUser is a user in the clients of one application, with any number of sessions, or the bot of the application.
type AppUser struct {
	Application snowflake.Application
	User        snowflake.User // of the bot: the id of the application
}

// IsBot reports whether a is the bot of the application.
func (a AppUser) IsBot() bool { return a.User == snowflake.User(a.Application) }

// Shard is one of Count parts of an application's guilds.
type Shard struct{ ID, Count uint32 }

// Owns reports whether a guild belongs to the shard. Guild 0 stands for events without a guild, which belong to the
// first shard.
func (s Shard) Owns(guild snowflake.Guild) bool {
	return uint32(uint64(guild>>22)%uint64(s.Count)) == s.ID
}

// partitions returns the partitions with the events for the owner. The guilds have others.
func (w *Owner) partitions() []events.Partition {
	if w.Kind == Client {
		return []events.Partition{events.AccountPartition(w.User), events.ClientsPartition(w.Application)}
	}
	return []events.Partition{events.AccountPartition(w.User)}
}
