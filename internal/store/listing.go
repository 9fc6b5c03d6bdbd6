package store

import (
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
	flags, metadata, members := lobbiesTable.column("flags"), lobbiesTable.column("metadata"), lobbiesTable.column("members")
	list := make([]LobbyListing, len(rows))
	for i, row := range rows {
		list[i] = LobbyListing{
			ID: snowflake.Lobby(row.int(0)), Flags: lobby.Flags(row.int(flags)), Metadata: lobby.Metadata(row.text(metadata)), Members: int(row.int(members)),
		}
	}
	return list, nil
}
