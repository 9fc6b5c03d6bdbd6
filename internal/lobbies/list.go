package lobbies

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Listed is a lobby in an operator's list.
type Listed struct {
	Lobby       jsontext.Value `json:"lobby"` // as in events: with the connected members
	IdleTimeout int            `json:"idle_timeout_seconds"`
	// Ends is when the lobby is deleted if no client connects; nil while a client is connected or the lobby is linked.
	Ends *time.Time `json:"ends_at"`
}

// List returns up to limit lobbies of an application with ids below before (0: all), newest first.
func (s *Lobbies) List(ctx context.Context, app snowflake.Application, before snowflake.Lobby, limit int) ([]Listed, error) {
	var ids []snowflake.Lobby
	err := s.states.db.Read(ctx, func(r store.Reader) (err error) {
		ids, err = r.Lobbies.Newest(app, before, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	list := make([]Listed, 0, len(ids))
	for _, id := range ids {
		st, err := s.states.load(ctx, app, id)
		if errors.Is(err, ErrUnknownLobby) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		l := &st.Lobby.Lobby
		body, err := s.states.events.eventBody(ctx, l)
		if err != nil {
			return nil, err
		}
		listed := Listed{Lobby: body, IdleTimeout: int(l.IdleTimeout.Seconds())}
		if ends := l.Deadline(s.states.started); !ends.IsZero() && !s.states.events.anyConnected(l) {
			listed.Ends = &ends
		}
		list = append(list, listed)
	}
	return list, nil
}
