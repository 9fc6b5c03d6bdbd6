package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/world"
)

// Sealer encrypts private keys at rest with AES-256-GCM. It is immutable. A nil Sealer does not encrypt.
type Sealer struct {
	current string   // name of the key that encrypts; empty: none does
	names   []string // of the keys, in their order
	ciphers map[string]cipher.AEAD
	macKeys map[string][]byte
}

var (
	// ErrSealed says that a private key cannot be decrypted.
	ErrSealed  = errors.New("cannot be decrypted: the encryption key is missing or wrong")
	errSealKey = errors.New("an encryption key must be 32 bytes in Base64: " + world.HowToMake)
	errWeakKey = errors.New("an encryption key is too easy to guess: " + world.HowToMake)
	errNoKey   = errors.New("there is no encryption key")
)

// sealKeyLen is the length of an encryption key in bytes.
const sealKeyLen = 32

// noEncryption stands for no key in a list of keys.
const noEncryption = "none"

// NewSealer returns a sealer. text contains keys of 32 bytes in Base64, separated by white space. The first key
// encrypts; the others only decrypt, so that the first key can be replaced. If the first is "none", nothing is encrypted
// and the others only decrypt, so that encryption can be turned on and off while several nodes run.
func NewSealer(text string) (*Sealer, error) {
	s := &Sealer{ciphers: map[string]cipher.AEAD{}, macKeys: map[string][]byte{}}
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return nil, errNoKey
	}
	for i, field := range fields {
		if i == 0 && field == noEncryption {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(field)
		if err != nil || len(key) != sealKeyLen {
			return nil, errSealKey
		}
		if i == 0 && weakKey(field, key) {
			return nil, errWeakKey // a weak key may still decrypt, so that it can be replaced
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
		s.names = append(s.names, name)
		s.macKeys[name] = mac(key, []byte("bellhop authentication key"))
	}
	return s, nil
}

// Names returns the names of the keys. The first is the name of the key that encrypts, or "none".
func (s *Sealer) Names() []string {
	if s == nil || s.current == "" {
		var known []string
		if s != nil {
			known = s.names
		}
		return append([]string{noEncryption}, known...)
	}
	return slices.Clone(s.names)
}

// weakKey reports whether a key is a pattern or text, in its bytes or in Base64.
func weakKey(text string, key []byte) bool {
	isText := !slices.ContainsFunc(key, func(b byte) bool { return b < ' ' || b > '~' })
	return isText || world.WeakSecret(text) || world.WeakSecret(hex.EncodeToString(key))
}

// Seal encrypts a private key with the current encryption key, and returns the name of the latter. The name is empty if
// the private key is not encrypted. Only Open with the same label decrypts it.
func (s *Sealer) Seal(private []byte, label string) (sealed []byte, name string) {
	if s == nil || s.current == "" {
		return private, ""
	}
	return s.ciphers[s.current].Seal(nil, nil, private, []byte(label)), s.current
}

// Open decrypts a private key that Seal has encrypted. name is the name of the encryption key, empty if the private key is
// not encrypted.
func (s *Sealer) Open(sealed []byte, name, label string) ([]byte, error) {
	if name == "" {
		return sealed, nil
	}
	var gcm cipher.AEAD
	if s != nil {
		gcm = s.ciphers[name]
	}
	if gcm == nil {
		return nil, fmt.Errorf("key of %s, encrypted with key %s, %w", label, name, ErrSealed)
	}
	private, err := gcm.Open(nil, nil, sealed, []byte(label))
	if err != nil {
		return nil, fmt.Errorf("key of %s, encrypted with key %s, %w", label, name, ErrSealed)
	}
	return private, nil
}

// IsCurrent reports whether a key that is encrypted with the named encryption key need not be encrypted again.
func (s *Sealer) IsCurrent(name string) bool { return s == nil || name == s.current }

// Tag authenticates data with the current encryption key, and returns the name of the latter. The name is empty if there is
// no key: then the tag is a hash that any program can compute.
func (s *Sealer) Tag(data []byte) (tag []byte, name string) {
	if s == nil || s.current == "" {
		return mac(nil, data), ""
	}
	return mac(s.macKeys[s.current], data), s.current
}

// Verify reports whether Tag returned the tag for the data, with the named key. It returns ErrSealed if the key is not known.
func (s *Sealer) Verify(data, tag []byte, name string) (bool, error) {
	var key []byte
	if name != "" {
		if s != nil {
			key = s.macKeys[name]
		}
		if key == nil {
			return false, fmt.Errorf("key %s: %w", name, ErrSealed)
		}
	}
	return hmac.Equal(tag, mac(key, data)), nil
}

// mac returns the HMAC-SHA-256 of data.
func mac(key, data []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(data)
	return h.Sum(nil)
}
