package lobbies

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"
)

// askEach calls the hooks before the entries of a request with many members, all at the same time. It returns the entries with what
// the hooks changed. The lobby is 0 if it does not exist yet.
func (s *states) askEach(ctx context.Context, app snowflake.Application, id snowflake.Lobby, entries []lobby.Entry) ([]lobby.Entry, error) {
	if !s.Hooks.Asks(hooks.LobbyJoin) && !s.Hooks.Asks(hooks.LobbyLeave) {
		return entries, nil
	}
	asked := slices.Clone(entries)
	g, ctx := errgroup.WithContext(ctx)
	for i := range asked {
		e := &asked[i]
		about := hooks.LobbyData{Application: app, Lobby: id, User: e.ID}
		g.Go(func() error {
			if e.Remove {
				_, err := s.Hooks.Before(ctx, hooks.LobbyLeave, about)
				return err
			}
			about.Metadata = shownMetadata(e.Metadata)
			changed, err := s.Hooks.Before(ctx, hooks.LobbyJoin, about)
			if err != nil || !changed.Changes("metadata") {
				return err
			}
			again, err := lobby.ReadMember(e.ID, changed.Apply(jsonbody.ObjectOf(), "metadata", "metadata"))
			e.Metadata = again.Metadata
			return err
		})
	}
	return asked, g.Wait()
}

// askJoin calls the hooks before a user joins the lobby of a secret, also those before a lobby is created if the secret has none. It
// returns the request with what the hooks changed.
func (s *states) askJoin(ctx context.Context, k secretKey, user snowflake.User, j lobby.Join, body jsonbody.Value) (lobby.Join, error) {
	if !s.Hooks.Asks(hooks.LobbyCreate) && !s.Hooks.Asks(hooks.LobbyJoin) {
		return j, nil
	}
	about := hooks.LobbyData{Application: k.app, User: user}
	known, err := s.lobbyOf(ctx, k)
	switch {
	case err != nil:
		return j, err
	case known != nil:
		about.Lobby = known.ID
	default:
		about.Metadata = shownMetadata(j.Lobby.Metadata)
		changed, err := s.Hooks.Before(ctx, hooks.LobbyCreate, about)
		if err != nil {
			return j, err
		}
		body = changed.Apply(body, "lobby_metadata", "metadata")
	}
	about.Metadata = shownMetadata(j.Metadata)
	changed, err := s.Hooks.Before(ctx, hooks.LobbyJoin, about)
	if err != nil {
		return j, err
	}
	return lobby.ReadJoin(changed.Apply(body, "member_metadata", "metadata"))
}

// shownMetadata returns the metadata of a request for hooks. It is nil if the request has none.
func shownMetadata(m optional.Value[lobby.Metadata]) jsontext.Value {
	given, ok := m.Get()
	if !ok {
		return nil
	}
	return given.AppendJSON(nil)
}

// callHooks adds the calls of hooks after a decision to a change.
func (s *states) callHooks(out *store.Change, base, next *State, d *decision) error {
	if s.Hooks == nil {
		return nil
	}
	call := func(event string, user snowflake.User) error {
		return s.Hooks.After(out, event, store.LobbySubject(next.ID), hooks.LobbyData{Application: next.Application, Lobby: next.ID, User: user})
	}
	if base.ID == 0 {
		if err := call(hooks.LobbyCreate, 0); err != nil {
			return err
		}
	}
	for _, m := range d.joined {
		if err := call(hooks.LobbyJoin, m.ID); err != nil {
			return err
		}
	}
	for _, m := range d.left {
		if err := call(hooks.LobbyLeave, m.ID); err != nil {
			return err
		}
	}
	if d.message == nil || d.edited {
		return nil
	}
	return s.Hooks.After(out, hooks.LobbyMessage, store.LobbySubject(next.ID), hooks.LobbyMessageData{
		ID: d.message.ID, Application: next.Application, Lobby: next.ID, User: d.message.Author, Content: d.message.Content,
	})
}
