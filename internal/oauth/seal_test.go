package oauth_test

import (
	"bytes"
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

// sealer returns a sealer with keys that consist of one byte. 0 means none.
func sealer(t *testing.T, keys ...byte) *auth.Sealer {
	t.Helper()
	var text []string
	for _, k := range keys {
		if k == 0 {
			text = append(text, "none")
			continue
		}
		text = append(text, base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{k}, 32)))
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
	for _, text := range []string{"", " \n", "none", "short", base64.StdEncoding.EncodeToString(make([]byte, 31)), strings.Repeat("?", 44)} {
		if _, err := auth.NewSealer(text); err == nil {
			t.Errorf("NewSealer(%q) accepts the key", text)
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
