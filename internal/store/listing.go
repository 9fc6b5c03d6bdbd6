package store

import (
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// LobbyListing is the part of a lobby that a search looks at.
type LobbyListing struct {
	ID       snowflake.Lobby
	Flags    lobby.Flags
	Metadata lobby.Metadata
	Members  int
}

// Listings returns up to limit lobbies of an application with ids above after, ordered by id. It leaves out damaged lobbies. A
// decision does not depend on the result.
func (q LobbyQueries) Listings(app snowflake.Application, after snowflake.Lobby, limit int) ([]LobbyListing, error) {
	rows, err := q.rows(lobbiesTable, page{"id", key(after), limit}, []string{"application_id"}, key(app))
	if err != nil {
		return nil, err
	}
	return listings(rows), nil
}

func listings(rows []Row) []LobbyListing {
	flags, metadata, members := lobbiesTable.column("flags"), lobbiesTable.column("metadata"), lobbiesTable.column("members")
	list := make([]LobbyListing, len(rows))
	for i, row := range rows {
		list[i] = LobbyListing{
			ID: snowflake.Lobby(row.int(0)), Flags: lobby.Flags(row.int(flags)), Metadata: lobby.Metadata(row.text(metadata)), Members: int(row.int(members)),
		}
	}
	return list
}

// KeepLobbyChanges is the time for which a LobbyLog goes back.
const KeepLobbyChanges = 5 * time.Minute

// LobbyLog is a Querier of a server that several processes share. It knows which lobbies have changed lately.
type LobbyLog interface {
	Querier
	// ChangedLobbies returns up to limit lobbies of an application that transactions from a number on have written, and the
	// position from which the next call reads.
	ChangedLobbies(app snowflake.Application, since uint64, limit int) ([]snowflake.Lobby, LobbyPosition, error)
}

// LobbyPosition is a moment in a LobbyLog. The zero position is before all others.
type LobbyPosition struct {
	Transaction uint64
	At          time.Time // by the clock of the server
}

// LobbyChanges are the lobbies of an application that have changed since a position.
type LobbyChanges struct {
	Changed []snowflake.Lobby // also those that were deleted
	Now     []LobbyListing    // those that are there
	Next    LobbyPosition
}

// ErrNoLobbyLog says that the log does not go back to a position, that there are too many changes, or that there is no log.
var ErrNoLobbyLog = errors.New("the changes of lobbies are not known")

// Changes returns what has changed since a position: up to limit lobbies, otherwise ErrNoLobbyLog. At the zero position there is
// nothing before.
func (q LobbyQueries) Changes(app snowflake.Application, since LobbyPosition, limit int) (c LobbyChanges, err error) {
	log, ok := q.q.(LobbyLog)
	if !ok {
		return c, ErrNoLobbyLog
	}
	first := since.Transaction
	if since == (LobbyPosition{}) {
		first = 1<<63 - 1
	}
	if c.Changed, c.Next, err = log.ChangedLobbies(app, first, limit+1); err != nil {
		return c, err
	}
	switch {
	case since == (LobbyPosition{}):
		return c, nil
	case len(c.Changed) > limit, c.Next.Transaction < since.Transaction, c.Next.At.Sub(since.At) > KeepLobbyChanges/2:
		return c, ErrNoLobbyLog
	case len(c.Changed) == 0:
		return c, nil
	}
	query := lobbiesTable.all + " WHERE id IN (SELECT lobby_id FROM lobby_changes WHERE xid >= ? AND application_id = ?)"
	rows, err := q.intact(lobbiesTable, true, query, []any{int64(first), key(app)})
	c.Now = listings(rows)
	return c, err
}
