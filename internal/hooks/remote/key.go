package remote

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// keyName names the key of hooks among those of the service.
const keyName = "hooks"

// Key is the key that signs calls. The first use creates it. All nodes use the same one.
type Key struct {
	Store  store.Store
	Clock  clock.Clock
	Sealer *auth.Sealer // nil: the key is not encrypted

	mu   sync.Mutex
	seed []byte // nil: not read
}

// Seed returns the Ed25519 seed.
func (k *Key) Seed(ctx context.Context) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seed != nil {
		return k.seed, nil
	}
	seed, err := k.load(ctx)
	if err == nil {
		k.seed = seed
	}
	return seed, err
}

// Public returns the key that verifies calls, in hexadecimal as the one of applications.
func (k *Key) Public(ctx context.Context) (string, error) {
	seed, err := k.Seed(ctx)
	if err != nil {
		return "", err
	}
	public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	return hex.EncodeToString(public), nil
}

// load reads the key, and creates it if there is none.
func (k *Key) load(ctx context.Context) (seed []byte, err error) {
	_, private, err := ed25519.GenerateKey(nil) // outside of the decision, which may run several times
	if err != nil {
		return nil, err
	}
	err = store.Decide(ctx, k.Store, func(tx *store.Tx) error {
		stored, found, err := find(tx.Reader)
		if err != nil {
			return err
		}
		if found {
			seed, err = k.Sealer.Open(stored.Seed, stored.Sealed, stored.SealLabel())
			return err
		}
		seed = private.Seed()
		return tx.Put(k.seal(store.ServiceKey{Name: keyName, Created: k.Clock.Now().UTC()}, seed))
	})
	return seed, err
}

// seal returns a record with an encrypted seed.
func (k *Key) seal(record store.ServiceKey, seed []byte) store.ServiceKey {
	record.Seed, record.Sealed = k.Sealer.Seal(seed, record.SealLabel())
	return record
}

// find returns the stored key.
func find(r store.Reader) (store.ServiceKey, bool, error) {
	keys, err := r.Grants.ServiceKeys()
	at := slices.IndexFunc(keys, func(k store.ServiceKey) bool { return k.Name == keyName })
	if err != nil || at < 0 {
		return store.ServiceKey{}, false, err
	}
	return keys[at], true, nil
}

// Check returns an error if the stored key cannot be decrypted.
func (k *Key) Check(ctx context.Context) error {
	return k.Store.Read(ctx, func(r store.Reader) error {
		stored, found, err := find(r)
		if err == nil && found {
			_, err = k.Sealer.Open(stored.Seed, stored.Sealed, stored.SealLabel())
		}
		return err
	})
}

// Reseal encrypts the stored key with the current encryption key, for example because it is new.
func (k *Key) Reseal(ctx context.Context) error {
	return store.Decide(ctx, k.Store, func(tx *store.Tx) error {
		stored, found, err := find(tx.Reader)
		if err != nil || !found || k.Sealer.IsCurrent(stored.Sealed) {
			return err
		}
		seed, err := k.Sealer.Open(stored.Seed, stored.Sealed, stored.SealLabel())
		if err != nil {
			return err
		}
		return tx.Put(k.seal(stored, seed))
	})
}
