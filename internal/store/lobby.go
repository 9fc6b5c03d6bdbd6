package store

import (
	"time"

	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Lobby is what is kept of a lobby.
type Lobby struct {
	lobby.Lobby

	// Revision changes with every write to the lobby or its members and is never used twice.
	Revision uint64
	// Due is when to look whether the lobby has been idle for too long, never later than that can be; zero: never.
	Due time.Time
}

// Seat is a member's place in a lobby: seats with smaller positions joined earlier.
type Seat struct {
	lobby.Member

	Position uint64
}

// DueLobby is a lobby to look at.
type DueLobby struct {
	ID  snowflake.Lobby
	Due time.Time
}

// SecretHash is the SHA-256 of a secret by which people join. Secrets themselves are never stored.
type SecretHash [32]byte

// LobbySecret leads to a lobby.
type LobbySecret struct {
	Application snowflake.Application
	Hash        SecretHash
	Lobby       snowflake.Lobby
	Made        time.Time
}

// Invite brings a member of a lobby into the guild of the linked channel, once. Its code is never stored.
type Invite struct {
	Hash        SecretHash // of the code
	Lobby       snowflake.Lobby
	Application snowflake.Application // the lobby's
	Channel     snowflake.Channel
	User        snowflake.User // whom it is for
	Expires     time.Time
}

// Standing says whether a user may be in one more lobby of an application.
type Standing uint8

// What stands against a user.
const (
	Stranger Standing = iota // has no record
	Free                     // nothing
	Taken                    // is in as many lobbies as it can be
)

// LobbyReader reads lobbies.
type LobbyReader interface {
	// Lobby returns a lobby with its members in the order of their positions.
	Lobby(id snowflake.Lobby) (Lobby, error)
	// LobbyRevision returns a lobby's revision alone, 0 when there is no such lobby.
	LobbyRevision(id snowflake.Lobby) (uint64, error)
	// LobbiesOf returns in which lobbies of an application a user is.
	LobbiesOf(app snowflake.Application, user snowflake.User) ([]snowflake.Lobby, error)
	// LobbiesWith returns in which lobbies of whichever application a user is.
	LobbiesWith(user snowflake.User) ([]snowflake.Lobby, error)
	// NewestLobbies returns the lobbies of an application with the largest ids below before, at most limit, the largest
	// first; 0: below nothing.
	NewestLobbies(app snowflake.Application, before snowflake.Lobby, limit int) ([]snowflake.Lobby, error)
	// Standings says of each user whether it may be in one more lobby of an application, when limit is how many it can be in.
	Standings(app snowflake.Application, limit int, users ...snowflake.User) ([]Standing, error)
	// LinkedLobby returns the lobby that is linked with a channel.
	LinkedLobby(channel snowflake.Channel) (snowflake.Lobby, error)
	// DueLobbies returns the lobbies with the earliest Due, at most limit, those that come first first.
	DueLobbies(limit int) ([]DueLobby, error)
	// LobbySecret returns where a secret of an application leads.
	LobbySecret(app snowflake.Application, hash SecretHash) (LobbySecret, error)
	// Invite returns an invite.
	Invite(hash SecretHash) (Invite, error)
	// OldestInvite returns when the first invite expires, OldestLobbyMessage the smallest id of a message; zero: there is
	// none.
	OldestInvite() (time.Time, error)
	OldestLobbyMessage() (snowflake.Message, error)
	// LobbyMessage returns a message of a lobby.
	LobbyMessage(lobby snowflake.Lobby, id snowflake.Message) (lobby.Message, error)
	// LobbyMessages returns the newest messages of a lobby with ids above after, at most limit, the newest first.
	LobbyMessages(lobby snowflake.Lobby, after snowflake.Message, limit int) ([]lobby.Message, error)
}

// LobbyWriter changes lobbies. A member costs a row and the lobby's own, however many there are.
type LobbyWriter interface {
	// PutLobby stores a new lobby, without members. One with the same id is an ErrConflict.
	PutLobby(l Lobby) error
	// MoveLobby stores a lobby, without members, in the place of from when its revision is still that of from, and
	// reports whether it was. Every write to a lobby's members is made together with a move that succeeded.
	MoveLobby(from, to Lobby) (bool, error)
	// DeleteLobby removes a lobby with its members, messages, secret and invites.
	DeleteLobby(id snowflake.Lobby) error
	// AddSeats stores new members of a lobby. One who is a member already is an ErrConflict.
	AddSeats(l snowflake.Lobby, app snowflake.Application, seats ...Seat) error
	// PutMembers changes members of a lobby, who keep their positions.
	PutMembers(l snowflake.Lobby, members ...*lobby.Member) error
	// DeleteSeats removes members of a lobby.
	DeleteSeats(l snowflake.Lobby, users ...snowflake.User) error
	// PutLobbySecret stores where a secret leads, in place of where it led before.
	PutLobbySecret(s LobbySecret) error
	// PutInvite stores an invite in place of the one with the same code.
	PutInvite(i Invite) error
	// DeleteInvite removes an invite and reports whether there was one.
	DeleteInvite(hash SecretHash) (bool, error)
	// ExpireInvites removes invites that expire at now or before, at most limit, and returns how many it removed.
	ExpireInvites(now time.Time, limit int) (int, error)
	// PutLobbyMessage stores a message, without what is not kept of it, in place of the one with the same id.
	PutLobbyMessage(m lobby.Message) error
	// DeleteLobbyMessages removes messages with ids below before, at most limit, and returns how many it removed.
	DeleteLobbyMessages(before snowflake.Message, limit int) (int, error)
}
