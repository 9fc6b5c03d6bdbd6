// Package store is the contract of durable state: the records that are kept, the units of work that read and change
// them, and the errors they meet. It holds no SQL: package sqlstore keeps the contract, packages sqlite and postgres are
// the engines below it, package storetest holds every engine to it.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

// What units of work meet.
var (
	// ErrNotFound says that there is no such record.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that a record would break a uniqueness that the store keeps.
	ErrConflict = errors.New("conflict")
	// ErrUnavailable says that the engine cannot be reached, has no room on its disk, or is closed; nothing was changed.
	ErrUnavailable = errors.New("store unavailable")
	// ErrUnsure says that the engine went away while a unit of work came to its end, and stayed away: nobody knows whether
	// it was kept. It comes together with ErrUnavailable.
	ErrUnsure = errors.New("end of a unit of work unknown")
)

// Store runs units of work. It is safe for concurrent use.
type Store interface {
	// View runs fn on a consistent snapshot that holds everything acknowledged before the call. fn is short, does not
	// call the store, and keeps no Reader.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn and makes what it wrote durable before it returns nil. When fn fails, nothing of it is kept and
	// its error is returned as it is; a panic in fn becomes an error too. A write that failed loses the unit, also when fn
	// hides it. Units of work happen one after another: fn sees everything that earlier ones wrote. fn may run more than
	// once, does not call the store, and keeps no Tx. A unit that has begun is finished even when ctx ends.
	Update(ctx context.Context, fn func(Tx) error) error
	// Ping reports whether the engine answers.
	Ping(ctx context.Context) error
	// Close ends the store after the units of work under way. Later calls return ErrUnavailable.
	Close() error
}

// Tentative returns a context with which Update may run fn before it is its turn, on what the store shows at the moment and on
// outcomes that writes most likely have. When one of them turns out to be wrong fn runs again: only its last run counts,
// also for what it was told. That lets an engine keep many units of work at a time. View with such a context may show what
// was never there at one moment, but what it shows first is not newer than what it shows then.
func Tentative(ctx context.Context) context.Context {
	return context.WithValue(ctx, tentative{}, true)
}

// IsTentative reports whether a context comes from Tentative.
func IsTentative(ctx context.Context) bool {
	return ctx.Value(tentative{}) != nil
}

type tentative struct{}

// Reader reads records. Lists come in ascending order of their ids. Methods that name one record return ErrNotFound
// when there is none. Times are exact to the microsecond at least.
type Reader interface {
	CommandReader
	DirectoryReader
	CredentialReader
	LobbyReader
	InteractionReader
	MessageReader
	GrantReader
}

// Tx reads and changes records.
type Tx interface {
	Reader
	CommandWriter
	DirectoryWriter
	CredentialWriter
	LobbyWriter
	InteractionWriter
	MessageWriter
	GrantWriter
	NodeWriter
	// Clear removes every record but the nodes.
	Clear() error
}

// Scope is what is kept of the commands of one scope.
type Scope struct {
	// Revision changes with every write to the scope and is never used twice; 0 before the first write.
	Revision uint64
	// QuotaSince is when the running day of creates began, QuotaUsed how many there were in it.
	QuotaSince time.Time
	QuotaUsed  int
	Commands   []command.Command // in ascending order of ids; Scope.Commands of MoveScope are ignored
}

// CommandReader reads commands and who may use them.
type CommandReader interface {
	// Scope returns what is kept of a scope, the zero Scope when nothing was ever written to it.
	Scope(s command.Scope) (Scope, error)
	// Revision returns a scope's revision alone, 0 when nothing was ever written to it.
	Revision(s command.Scope) (uint64, error)
	// CommandNamed returns the command of a type and name in a scope.
	CommandNamed(s command.Scope, t command.Type, name string) (command.Command, error)
	// Overwrites returns the permission sets that an application has in a guild.
	Overwrites(app snowflake.Application, guild snowflake.Guild) ([]OverwriteSet, error)
	// GuildOverwrites returns the permission sets of all applications in a guild, in the order of the applications.
	GuildOverwrites(guild snowflake.Guild) ([]OverwriteSet, error)
}

// CommandWriter changes commands and who may use them.
type CommandWriter interface {
	// MoveScope gives the scope a new revision and quota when its revision is still from, and reports whether it was.
	// Every write to a scope's commands is made together with a move that succeeded.
	MoveScope(s command.Scope, from uint64, to Scope) (bool, error)
	// ReplaceCommand puts c in the place of the command with its id, type and name when that has the version from, and reports
	// whether it had. Its scope moves to the given revision by that, or to one behind its own when that is later.
	ReplaceCommand(c command.Command, from snowflake.Version, revision uint64) (bool, error)
	// PutCommands stores commands, each under its id, in place of the one that was there. Two commands of one scope that
	// share type and name are an ErrConflict, judged when the last of the given ones is in its place.
	PutCommands(commands ...command.Command) error
	// DeleteCommands removes commands together with their permission sets in every guild.
	DeleteCommands(ids ...snowflake.Command) error
	// PutOverwrites stores a permission set in place of the one with the same guild, application and id; an empty one
	// is removed.
	PutOverwrites(set OverwriteSet) error
	// DropOverwrites removes a command's permission sets in every guild.
	DropOverwrites(id snowflake.Command) error
}

// NodeWriter hands out the node numbers that keep ids of several processes apart.
type NodeWriter interface {
	// LeaseNode gives holder a node number that nobody holds at now, until the given time, and returns the ceiling that
	// the number's last holder wrote down: no id after it was ever made under that number. Numbers that are free again
	// come before new ones. ErrNotFound says that all are held.
	LeaseNode(holder string, now, until time.Time) (number uint16, ceiling time.Time, err error)
	// ExtendNode prolongs a lease and writes a new ceiling down. ErrNotFound says that the lease was lost.
	ExtendNode(number uint16, holder string, until, ceiling time.Time) error
	// Nodes returns every number that was ever given out, with its last holder and the end of its lease.
	Nodes() ([]Node, error)
}

// Node is a node number and who holds it.
type Node struct {
	Number uint16
	Holder string
	Until  time.Time
}
