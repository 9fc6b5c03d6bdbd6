package oauthserver

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-jose/go-jose/v4"
)

const (
	keyBits = 2048
	// keyLife is how old the youngest key becomes before the next one is made.
	keyLife = 30 * 24 * time.Hour
	// keyLead is how long a key is published before it signs, so that whoever keeps the set for a while has it in time.
	keyLead = 24 * time.Hour
	// keyRest is how long a key is published after its last signature: what it signed has expired by then.
	keyRest = 2 * idTokenLife
)

// KeySet returns the public keys that ID tokens can be verified with, the oldest first.
func (g *Grants) KeySet(ctx context.Context) (jose.JSONWebKeySet, error) {
	keys, err := g.keys(ctx)
	if err != nil {
		return jose.JSONWebKeySet{}, err
	}
	var set jose.JSONWebKeySet
	for _, k := range keys {
		private, err := parseKey(k)
		if err != nil {
			return jose.JSONWebKeySet{}, err
		}
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: &private.PublicKey, KeyID: k.ID, Use: "sig", Algorithm: string(jose.RS256)})
	}
	return set, nil
}

// signer returns what signs now.
func (g *Grants) signer(ctx context.Context) (jose.Signer, error) {
	keys, err := g.keys(ctx)
	if err != nil {
		return nil, err
	}
	k := keys[signing(keys, g.now())]
	private, err := parseKey(k)
	if err != nil {
		return nil, err
	}
	key := jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: private, KeyID: k.ID}}
	return jose.NewSigner(key, (&jose.SignerOptions{}).WithType("JWT"))
}

// signing returns which of the keys signs: the youngest that has been published for long enough, or the first there was.
func signing(keys []store.SigningKey, now time.Time) int {
	for i := len(keys) - 1; i > 0; i-- {
		if !now.Before(keys[i].Made.Add(keyLead)) {
			return i
		}
	}
	return 0
}

// keys returns the keys that are published now. It makes the next one when it is time, and forgets those that have signed
// nothing that is still valid.
func (g *Grants) keys(ctx context.Context) ([]store.SigningKey, error) {
	var keys []store.SigningKey
	err := g.Store.Read(ctx, func(r store.Reader) (err error) {
		keys, err = r.Grants.SigningKeys()
		return err
	})
	if err != nil {
		return nil, err
	}
	now := g.now()
	if !due(keys, now) && len(retired(keys, now)) == 0 {
		return keys, nil
	}
	return g.rotate(ctx)
}

// due reports whether it is time for another key.
func due(keys []store.SigningKey, now time.Time) bool {
	return len(keys) == 0 || !now.Before(keys[len(keys)-1].Made.Add(keyLife))
}

// retired returns the keys that nobody needs any more.
func retired(keys []store.SigningKey, now time.Time) []store.SigningKey {
	n := 0
	for i := 1; i < len(keys) && !now.Before(keys[i].Made.Add(keyLead+keyRest)); i++ {
		n = i
	}
	return keys[:n]
}

// rotate makes the next key and removes those that have retired. The decision depends on the set of keys, so of several
// nodes that do this at the same time one makes a key, and the others use it.
func (g *Grants) rotate(ctx context.Context) ([]store.SigningKey, error) {
	made, err := newKey(g.now()) // not in the decision, which may run several times
	if err != nil {
		return nil, err
	}
	var keys []store.SigningKey
	err = store.Decide(ctx, g.Store, func(tx *store.Tx) (err error) {
		if keys, err = tx.Grants.SigningKeys(); err != nil {
			return err
		}
		if due(keys, made.Made) {
			if err := tx.Put(made); err != nil {
				return err
			}
			keys = append(keys, made)
		}
		old := retired(keys, made.Made)
		for _, k := range old {
			tx.Delete(store.SigningKeyKey(k.ID))
		}
		keys = keys[len(old):]
		return nil
	})
	return keys, err
}

func newKey(now time.Time) (store.SigningKey, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return store.SigningKey{}, fmt.Errorf("make a signing key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return store.SigningKey{}, fmt.Errorf("encode a signing key: %w", err)
	}
	return store.SigningKey{ID: rand.Text(), Private: der, Made: now}, nil
}

var errKeyKind = errors.New("not an RSA key")

func parseKey(k store.SigningKey) (*rsa.PrivateKey, error) {
	key, err := x509.ParsePKCS8PrivateKey(k.Private)
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", k.ID, err)
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("signing key %s: %w", k.ID, errKeyKind)
	}
	return private, nil
}
