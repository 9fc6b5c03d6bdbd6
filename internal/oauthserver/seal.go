package oauthserver

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/bellhop/bellhop/internal/store"
)

// Sealer encrypts signing keys at rest with AES-256-GCM. It is immutable. A nil Sealer does not encrypt.
type Sealer struct {
	current string // name of the key that encrypts; empty: none does
	ciphers map[string]cipher.AEAD
}

var (
	errSealKey  = errors.New("an encryption key must be 32 bytes in Base64")
	errNoKey    = errors.New("there is no encryption key")
	errUnsealed = errors.New("cannot be decrypted: the encryption key is missing or wrong")
)

// sealKeyLen is the length of an encryption key in bytes.
const sealKeyLen = 32

// noEncryption stands for no key in a list of keys.
const noEncryption = "none"

// NewSealer returns a sealer. text contains keys of 32 bytes in Base64, separated by white space. The first key
// encrypts; the others only decrypt, so that the first key can be replaced. If the first is "none", nothing is encrypted
// and the others only decrypt, so that encryption can be turned on and off while several nodes run.
func NewSealer(text string) (*Sealer, error) {
	s := &Sealer{ciphers: map[string]cipher.AEAD{}}
	for i, field := range strings.Fields(text) {
		if i == 0 && field == noEncryption {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(field)
		if err != nil || len(key) != sealKeyLen {
			return nil, errSealKey
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		gcm, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append([]byte("bellhop encryption key "), key...))
		name := hex.EncodeToString(sum[:8])
		if i == 0 {
			s.current = name
		}
		s.ciphers[name] = gcm
	}
	if len(s.ciphers) == 0 {
		return nil, errNoKey
	}
	return s, nil
}

// seal encrypts the private part of a key with the current encryption key.
func (s *Sealer) seal(k store.SigningKey) store.SigningKey {
	if s == nil || s.current == "" {
		return k
	}
	k.Private, k.Sealed = s.ciphers[s.current].Seal(nil, nil, k.Private, []byte(k.ID)), s.current
	return k
}

// open decrypts the private part of a key.
func (s *Sealer) open(k store.SigningKey) (store.SigningKey, error) {
	if k.Sealed == "" {
		return k, nil
	}
	var gcm cipher.AEAD
	if s != nil {
		gcm = s.ciphers[k.Sealed]
	}
	if gcm == nil {
		return k, fmt.Errorf("signing key %s, encrypted with key %s, %w", k.ID, k.Sealed, errUnsealed)
	}
	private, err := gcm.Open(nil, nil, k.Private, []byte(k.ID))
	if err != nil {
		return k, fmt.Errorf("signing key %s, encrypted with key %s, %w", k.ID, k.Sealed, errUnsealed)
	}
	k.Private, k.Sealed = private, ""
	return k, nil
}

// openAll decrypts keys.
func (s *Sealer) openAll(stored []store.SigningKey) ([]store.SigningKey, error) {
	keys := make([]store.SigningKey, len(stored))
	for i, k := range stored {
		var err error
		if keys[i], err = s.open(k); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// isCurrent reports whether a stored key is encrypted with the current encryption key, or needs no encryption.
func (s *Sealer) isCurrent(k store.SigningKey) bool { return s == nil || k.Sealed == s.current }
