package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
)

// readSecret returns where a secret leads. Lobby is 0 when it leads nowhere.
func readSecret(r store.Reader, k secretKey) (*store.LobbySecret, error) {
	secret, err := r.Lobbies.Secret(k.app, k.hash)
	return &secret, except(err, store.ErrNotFound)
}

// behind returns the lobby that a secret leads to, nil for none.
func (s *Lobbies) behind(ctx context.Context, k secretKey) (*State, error) {
	secret, err := s.secrets.Load(ctx, k)
	if err != nil || secret.Lobby == 0 || !s.now().Before(secret.Made.Add(lobby.SecretLife)) {
		return nil, err
	}
	st, err := s.lobbies.Load(ctx, secret.Lobby)
	if errors.Is(err, ErrUnknownLobby) {
		return nil, nil //nolint:nilnil // the lobby was deleted after the secret was read
	}
	return st, err
}

// removeSecrets adds to a change that the secrets of a lobby lead nowhere. Their rows go with the lobby.
func (s *Lobbies) removeSecrets(ctx context.Context, out *store.Change, base *State) error {
	var hashes []store.SecretHash
	err := s.db.Read(ctx, func(r store.Reader) (err error) {
		hashes, err = r.Lobbies.Secrets(base.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		k := secretKey{base.Application, hash}
		secret, err := s.secrets.Load(ctx, k)
		if err != nil {
			return err
		}
		if secret.Lobby != base.ID {
			continue // it leads to another lobby by now
		}
		s.secrets.Next(out, k, &store.LobbySecret{})
		out.Expects(s.secrets.Subject(k)).Ends = true
	}
	return nil
}
