package lobbies

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Listed is a lobby as an operator sees it.
type Listed struct {
	Lobby       jsontext.Value `json:"lobby"` // as events show it: with who is connected
	IdleTimeout int            `json:"idle_timeout_seconds"`
	// Ends is when the lobby shuts down if no client connects; nil while one is connected, or while it is linked.
	Ends *time.Time `json:"ends_at"`
}

// List returns the newest lobbies of an application with ids below before, at most limit, the newest first; 0: from the
// newest of all.
func (s *Lobbies) List(ctx context.Context, app snowflake.Application, before snowflake.Lobby, limit int) ([]Listed, error) {
	var ids []snowflake.Lobby
	err := s.db.Read(ctx, func(r store.Reader) (err error) {
		ids, err = r.Lobbies.Newest(app, before, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	list := make([]Listed, 0, len(ids))
	for _, id := range ids {
		st, err := s.Lobby(ctx, app, id)
		if errors.Is(err, ErrUnknownLobby) {
			continue // gone in the meantime
		}
		if err != nil {
			return nil, err
		}
		l := &st.Lobby.Lobby
		text, err := s.form(ctx, l)
		if err != nil {
			return nil, err
		}
		shown := Listed{Lobby: text, IdleTimeout: int(l.IdleTimeout.Seconds())}
		if ends := l.Deadline(s.started); !ends.IsZero() && !s.occupied(l) {
			shown.Ends = &ends
		}
		list = append(list, shown)
	}
	return list, nil
}
