package oauth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
)

// ID returns the id of a session, which oauth.SessionInfo contains too.
func (v Session) ID() string { return oauth.SessionID(auth.Hash(v.secret)) }

// maxPasses bounds the tokens that are issued to one session. A new one replaces the oldest.
const maxPasses = 50

// Pass issues a user token to the user of a session, and returns how long it is valid. It ends with the session.
func (s *Sessions) Pass(ctx context.Context, v Session) (auth.Secret, time.Duration, error) {
	now := s.now()
	token := auth.NewUserToken(v.User, now)
	life := credentials.TemporaryTokenLife
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		stored, err := tx.Grants.Session(auth.Hash(v.secret))
		if err == nil {
			_, err = tx.Directory.User(stored.User)
		}
		if errors.Is(err, store.ErrNotFound) {
			return auth.ErrUnauthorized // it ended in the meantime
		}
		if err != nil {
			return err
		}
		// A pass does not use its session, so it ends well before an unused session does. The console then asks for another.
		life = min(credentials.TemporaryTokenLife, s.Accounts.SessionEnd(stored).Sub(now))
		if idle := s.Accounts.SessionIdle; idle > 0 {
			life = min(life, max(idle/2, time.Minute))
		}
		if err := limitPasses(tx, stored); err != nil {
			return err
		}
		return tx.Put(store.Credential{
			Hash: auth.Hash(token.Reveal()), Kind: store.UserToken, User: stored.User, Browser: stored.Hash, Expires: now.Add(life),
		})
	})
	return token, life, err
}

// limitPasses revokes the oldest tokens of a session, so that one more can be added.
func limitPasses(tx *store.Tx, v store.Session) error {
	have, err := tx.Credentials.Credentials(store.UserToken, 0, v.User)
	if err != nil {
		return err
	}
	have = slices.DeleteFunc(have, func(c store.Credential) bool { return c.Browser != v.Hash })
	slices.SortFunc(have, func(a, b store.Credential) int { return a.Expires.Compare(b.Expires) })
	for _, old := range have[:max(len(have)-maxPasses+1, 0)] {
		if err := auth.Revoke(tx, old.Hash); err != nil {
			return err
		}
	}
	return nil
}
