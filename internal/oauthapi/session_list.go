package oauthapi

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// SessionInfo describes a session of a user.
type SessionInfo struct {
	ID      string    `json:"id_hash"` // names the session; it is no secret
	Agent   string    `json:"agent"`
	Created time.Time `json:"created_at"`
	Expires time.Time `json:"expires_at"`
}

// sessionID returns the id of a session: the first half of its hash.
func sessionID(hash store.TokenHash) string { return hex.EncodeToString(hash[:16]) }

// ID returns the id of a session, which SessionInfo contains too.
func (v Session) ID() string { return sessionID(auth.Hash(v.secret)) }

// List returns the sessions of a user, the newest first.
func (s *Sessions) List(ctx context.Context, user snowflake.User) ([]SessionInfo, error) {
	var stored []store.Session
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		if _, err = r.Directory.User(user); err == nil {
			stored, err = r.Grants.Sessions(user)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = directory.ErrUnknownUser
	}
	now := s.Clock.Now()
	list := []SessionInfo{}
	for _, v := range stored {
		if now.Before(v.Expires) {
			list = append(list, SessionInfo{sessionID(v.Hash), v.Agent, v.Created, v.Expires})
		}
	}
	slices.SortStableFunc(list, func(a, b SessionInfo) int { return b.Created.Compare(a.Created) })
	return list, err
}

// End ends the sessions of a user that have one of the ids, and revokes the tokens that were issued to them. It ignores
// ids of other users.
func (s *Sessions) End(ctx context.Context, user snowflake.User, ids ...string) error {
	return s.end(ctx, user, func(id string) bool { return slices.Contains(ids, id) })
}

// EndAll ends all sessions of a user, except the one with an id. The id may be empty.
func (s *Sessions) EndAll(ctx context.Context, user snowflake.User, except string) error {
	return s.end(ctx, user, func(id string) bool { return id != except })
}

// end ends the sessions of a user whose ids match.
func (s *Sessions) end(ctx context.Context, user snowflake.User, match func(id string) bool) error {
	return store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		all, err := tx.Grants.Sessions(user)
		if err != nil {
			return err
		}
		for _, v := range all {
			if !match(sessionID(v.Hash)) {
				continue
			}
			if err := auth.EndSession(tx, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxPasses bounds the tokens that are issued to one session. A new one replaces the oldest.
const maxPasses = 50

// Pass issues a user token to the user of a session, and returns how long it is valid. It ends with the session.
func (s *Sessions) Pass(ctx context.Context, v Session) (auth.Secret, time.Duration, error) {
	now := s.now()
	token := auth.NewUserToken(v.User, now)
	life := directory.TemporaryTokenLife
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
		life = min(directory.TemporaryTokenLife, stored.Expires.Sub(now))
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
