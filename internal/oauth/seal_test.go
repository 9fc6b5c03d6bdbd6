package oauth_test

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-jose/go-jose/v4"
)

// sealer returns a sealer with keys that are made from one byte each. 0 means none.
func sealer(t *testing.T, keys ...byte) *auth.Sealer {
	t.Helper()
	var text []string
	for _, k := range keys {
		if k == 0 {
			text = append(text, "none")
			continue
		}
		key := sha256.Sum256([]byte{k})
		text = append(text, base64.StdEncoding.EncodeToString(key[:]))
	}
	s, err := auth.NewSealer(strings.Join(text, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verifyIDToken checks that one of the published keys signed an ID token.
func verifyIDToken(t *testing.T, set jose.JSONWebKeySet, token auth.Secret) {
	t.Helper()
	signed, err := jose.ParseSigned(token.Reveal(), []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := signed.Verify(set); err != nil {
		t.Errorf("the ID token does not verify: %v", err)
	}
}

func TestNewSealer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n", "short", "none short", base64.StdEncoding.EncodeToString(make([]byte, 31)), strings.Repeat("?", 44)} {
		if _, err := auth.NewSealer(text); err == nil {
			t.Errorf("NewSealer(%q) accepts the key", text)
		}
	}
}

// TestWeakEncryptionKeysAreRefused checks that keys with a pattern, and keys that are text, do not encrypt. They still
// decrypt, so that they can be replaced.
func TestWeakEncryptionKeysAreRefused(t *testing.T) {
	t.Parallel()
	key := sha256.Sum256([]byte("strong"))
	strong := base64.StdEncoding.EncodeToString(key[:])
	for _, key := range []string{strings.Repeat("\x00", 32), strings.Repeat("bellhop!", 4), "0123456789abcdef0123456789abcdef", "a phrase that is easy to recall!"} {
		weak := base64.StdEncoding.EncodeToString([]byte(key))
		if _, err := auth.NewSealer(weak); err == nil || !strings.Contains(err.Error(), "openssl rand -base64 32") {
			t.Errorf("NewSealer with %q = %v", key, err)
		}
		if _, err := auth.NewSealer(strong + " " + weak); err != nil {
			t.Errorf("a weak key that only decrypts: %v", err)
		}
	}
}

// storedKeys returns the stored signing keys.
func (d *fixture) storedKeys(t *testing.T) []store.SigningKey {
	t.Helper()
	var keys []store.SigningKey
	err := d.db.Read(t.Context(), func(r store.Reader) (err error) {
		keys, err = r.Grants.SigningKeys()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// idTokenWorks signs a user in and verifies the ID token with the keys that another node publishes.
func (d *fixture) idTokenWorks(t *testing.T, verifier *oauth.Server) {
	t.Helper()
	token := d.exchange(t, d.accept(t, 200, params("scope", "openid")).Get("code"))
	set, err := verifier.KeySet(t.Context())
	if err != nil {
		t.Fatalf("KeySet() = %v", err)
	}
	verifyIDToken(t, set, token.IDToken)
}

// TestSigningKeysAreEncrypted checks that no private key is readable in the store, and that a wrong or missing
// encryption key is an error.
func TestSigningKeysAreEncrypted(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Sealer = sealer(t, 1)
	d.idTokenWorks(t, d.Server)
	stored := d.storedKeys(t)
	if len(stored) != 1 || stored[0].Sealed == "" {
		t.Fatalf("stored keys %+v, want an encrypted one", stored)
	}
	if _, err := x509.ParsePKCS8PrivateKey(stored[0].Private); err == nil {
		t.Error("the private key is readable in the store")
	}
	for _, other := range []*auth.Sealer{nil, sealer(t, 2)} {
		d.Sealer = other
		if _, err := d.KeySet(t.Context()); err == nil {
			t.Error("a server without the encryption key publishes keys")
		}
		if d.CheckKeys(t.Context()) == nil {
			t.Error("a server without the encryption key starts")
		}
	}
}

// TestEncryptionKeyRotation replaces the encryption key of two nodes, one after another. Both serve at every step.
func TestEncryptionKeyRotation(t *testing.T) {
	t.Parallel()
	first := open(t)
	second := &oauth.Server{Store: first.db, Clock: first.clock, Wall: first.clock, Directory: first.Directory, Log: first.Log, Issuer: issuer}
	for i, step := range []struct{ first, second *auth.Sealer }{
		{nil, nil},
		{sealer(t, 0, 1), nil},
		{sealer(t, 0, 1), sealer(t, 0, 1)},
		{sealer(t, 1), sealer(t, 0, 1)},
		{sealer(t, 1), sealer(t, 1)},
		{sealer(t, 1, 2), sealer(t, 1)},
		{sealer(t, 1, 2), sealer(t, 1, 2)},
		{sealer(t, 2, 1), sealer(t, 1, 2)},
		{sealer(t, 2, 1), sealer(t, 2, 1)},
		{sealer(t, 2), sealer(t, 2, 1)},
		{sealer(t, 2), sealer(t, 2)},
	} {
		first.Sealer, second.Sealer = step.first, step.second
		first.idTokenWorks(t, second)
		if _, err := second.KeySet(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if stored := first.storedKeys(t); len(stored) != 1 {
		t.Errorf("%d keys, want the first one, encrypted again", len(stored))
	}
	// The signing key itself rotates too.
	for range 3 {
		first.clock.Advance(31 * 24 * time.Hour)
		first.idTokenWorks(t, second)
	}
}
