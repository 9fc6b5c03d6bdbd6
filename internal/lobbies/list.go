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
	// EndsIn is the time until Ends in whole seconds, by the service's clock.
	EndsIn *int64 `json:"ends_in_seconds"`
}

// Show returns a lobby as List does, or ErrUnknownLobby.
func (s *Lobbies) Show(ctx context.Context, app snowflake.Application, id snowflake.Lobby) (Listed, error) {
	st, err := s.states.load(ctx, app, id)
	if err != nil {
		return Listed{}, err
	}
	return s.listed(ctx, st)
}

func (s *Lobbies) listed(ctx context.Context, st *State) (Listed, error) {
	l := &st.Lobby.Lobby
	body, err := s.states.events.eventBody(ctx, l)
	if err != nil {
		return Listed{}, err
	}
	listed := Listed{Lobby: body, IdleTimeout: int(l.IdleTimeout.Seconds())}
	if ends := l.Deadline(s.states.started); !ends.IsZero() && !s.states.events.anyConnected(ctx, l) {
		left := int64(max(ends.Sub(s.states.now()), 0).Seconds())
		listed.Ends, listed.EndsIn = &ends, &left
	}
	return listed, nil
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
		listed, err := s.listed(ctx, st)
		if err != nil {
			return nil, err
		}
		list = append(list, listed)
	}
	return list, nil
}
