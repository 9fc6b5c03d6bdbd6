package dispatch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// nonceLifetime is the time for which a nonce of a user identifies the same invocation.
const nonceLifetime = 5 * time.Minute

// nonces are the nonces of invocations, stored with the interactions that they belong to.
type nonces struct {
	kind cache.Kind[store.TokenHash, store.Nonce]
}

func newNonces(c *cache.Cache) nonces {
	return nonces{cache.Kind[store.TokenHash, store.Nonce]{
		Cache: c, Subject: store.NonceSubject,
		Read: func(r store.Reader, hash store.TokenHash) (*store.Nonce, error) {
			n, err := r.Interactions.Nonce(hash)
			if errors.Is(err, store.ErrNotFound) {
				err = nil
			}
			return &n, err
		},
		Size: func(*store.Nonce) int { return 64 },
	}}
}

// nonceHash returns the hash of a user's nonce.
func nonceHash(user snowflake.User, text string) store.TokenHash {
	return sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, uint64(user)), text...))
}

// find returns the interaction that owns a nonce, or 0. It makes no query in the first run of a decision: the commit
// fails if the nonce exists.
func (n *nonces) find(ctx context.Context, user snowflake.User, text string, now time.Time) (snowflake.Interaction, error) {
	known, err := n.kind.LoadIfRetried(ctx, nonceHash(user, text))
	if err != nil || known == nil || known.Interaction == 0 || now.Sub(known.Interaction.Time()) >= nonceLifetime {
		return 0, err
	}
	return known.Interaction, nil
}
