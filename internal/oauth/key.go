package oauth

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-jose/go-jose/v4"
)

const (
	keyBits = 2048
	// keyLife is the age of the newest key at which the next one is created.
	keyLife = 30 * 24 * time.Hour
	// A key is published for keyLead before it signs, so that clients that cache the key set have it in time.
	keyLead = 24 * time.Hour
	// A key is published for keyRest after its last signature. Then the tokens that it signed have expired.
	keyRest = 2 * idTokenLife
)

// KeySet returns the public keys that verify ID tokens, the oldest first.
func (s *Server) KeySet(ctx context.Context) (jose.JSONWebKeySet, error) {
	keys, err := s.keys(ctx)
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

// signer returns a signer with the current key.
func (s *Server) signer(ctx context.Context) (jose.Signer, error) {
	keys, err := s.keys(ctx)
	if err != nil {
		return nil, err
	}
	k := keys[signing(keys, s.now())]
	private, err := parseKey(k)
	if err != nil {
		return nil, err
	}
	key := jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: private, KeyID: k.ID}}
	return jose.NewSigner(key, (&jose.SignerOptions{}).WithType("JWT"))
}

// signing returns the index of the key that signs: the newest key that has been published for keyLead, or the first.
func signing(keys []store.SigningKey, now time.Time) int {
	for i := len(keys) - 1; i > 0; i-- {
		if !now.Before(keys[i].Created.Add(keyLead)) {
			return i
		}
	}
	return 0
}

// CheckKeys returns an error if a stored signing key cannot be decrypted.
func (s *Server) CheckKeys(ctx context.Context) error {
	stored, err := s.storedKeys(ctx)
	if err == nil {
		_, err = openAll(s.Sealer, stored)
	}
	return err
}

// SealKeys encrypts the stored signing keys with the current encryption key.
func (s *Server) SealKeys(ctx context.Context) error {
	keys, err := s.storedKeys(ctx)
	if err != nil || s.allCurrent(keys) {
		return err
	}
	_, err = s.rotate(ctx)
	return err
}

// storedKeys returns the keys as they are stored.
func (s *Server) storedKeys(ctx context.Context) (keys []store.SigningKey, err error) {
	err = s.Store.Read(ctx, func(r store.Reader) (err error) {
		keys, err = r.Grants.SigningKeys()
		return err
	})
	return keys, err
}

// allCurrent reports whether all keys are encrypted with the current encryption key.
func (s *Server) allCurrent(keys []store.SigningKey) bool {
	return !slices.ContainsFunc(keys, func(k store.SigningKey) bool { return !s.Sealer.IsCurrent(k.Sealed) })
}

// keys returns the published keys. It creates the next key when it is due, removes retired keys, and encrypts keys that
// are not encrypted with the current encryption key.
func (s *Server) keys(ctx context.Context) ([]store.SigningKey, error) {
	keys, err := s.storedKeys(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	if s.allCurrent(keys) && !due(keys, now) && len(retired(keys, now)) == 0 {
		return openAll(s.Sealer, keys)
	}
	return s.rotate(ctx)
}

// openAll decrypts keys.
func openAll(sealer *auth.Sealer, stored []store.SigningKey) (keys []store.SigningKey, err error) {
	for _, k := range stored {
		if k.Private, err = sealer.Open(k.Private, k.Sealed, sealLabel(k)); err != nil {
			return nil, err
		}
		k.Sealed = ""
		keys = append(keys, k)
	}
	return keys, nil
}

// sealLabel names a key for its encryption.
func sealLabel(k store.SigningKey) string { return "ID tokens " + k.ID }

// due reports whether the next key must be created.
func due(keys []store.SigningKey, now time.Time) bool {
	return len(keys) == 0 || !now.Before(keys[len(keys)-1].Created.Add(keyLife))
}

// retired returns the keys whose signatures have all expired.
func retired(keys []store.SigningKey, now time.Time) []store.SigningKey {
	n := 0
	for i := 1; i < len(keys) && !now.Before(keys[i].Created.Add(keyLead+keyRest)); i++ {
		n = i
	}
	return keys[:n]
}

// rotate creates the next key, removes retired keys, and encrypts the others with the current encryption key. The
// transaction depends on the set of keys: of several nodes that rotate at the same time, one creates a key, and the
// others use it.
func (s *Server) rotate(ctx context.Context) ([]store.SigningKey, error) {
	next, err := newKey(s.now()) // outside the transaction, which may run several times
	if err != nil {
		return nil, err
	}
	var keys []store.SigningKey
	err = store.Decide(ctx, s.Store, func(tx *store.Tx) (err error) {
		stored, err := tx.Grants.SigningKeys()
		if err == nil {
			keys, err = openAll(s.Sealer, stored)
		}
		if err != nil {
			return err
		}
		if due(keys, next.Created) {
			keys, stored = append(keys, next), append(stored, store.SigningKey{})
		}
		old := retired(keys, next.Created)
		for _, k := range old {
			tx.Delete(store.SigningKeyKey(k.ID))
		}
		keys, stored = keys[len(old):], stored[len(old):]
		for i, k := range keys {
			if stored[i].ID == k.ID && s.Sealer.IsCurrent(stored[i].Sealed) {
				continue
			}
			k.Private, k.Sealed = s.Sealer.Seal(k.Private, sealLabel(k))
			if err := tx.Put(k); err != nil {
				return err
			}
		}
		return nil
	})
	return keys, err
}

func newKey(now time.Time) (store.SigningKey, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return store.SigningKey{}, fmt.Errorf("create a signing key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return store.SigningKey{}, fmt.Errorf("encode a signing key: %w", err)
	}
	return store.SigningKey{ID: rand.Text(), Private: der, Created: now}, nil
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
