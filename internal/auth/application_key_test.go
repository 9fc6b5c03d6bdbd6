package auth_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
)

// encryptionKey returns an encryption key that is made from one byte.
func encryptionKey(b byte) string {
	key := sha256.Sum256([]byte{b})
	return base64.StdEncoding.EncodeToString(key[:])
}

// sealer returns a sealer with encryption keys; nil for none.
func sealer(t *testing.T, keys string) *auth.Sealer {
	t.Helper()
	if keys == "" {
		return nil
	}
	s, err := auth.NewSealer(keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// signs checks that the key of application 100 signs what its verify key verifies, and returns the stored application.
func signs(t *testing.T, f *lab.Fixture, s *auth.Sealer) store.Application {
	t.Helper()
	var app store.Application
	err := f.Store.Read(t.Context(), func(r store.Reader) (err error) {
		app, err = r.Directory.Application(100)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seed, err := s.ApplicationKey(&app)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("timestamp and body")
	if !ed25519.Verify(app.VerifyKey, message, ed25519.Sign(ed25519.NewKeyFromSeed(seed), message)) {
		t.Error("the verify key does not verify the signature")
	}
	return app
}

// TestApplicationKeysAreEncrypted checks that the store holds no readable key with an encryption key, and that a start with a
// missing or wrong one fails.
func TestApplicationKeysAreEncrypted(t *testing.T) {
	t.Parallel()
	f, own := lab.Open(t), sealer(t, encryptionKey(1))
	f.Sealer = own
	f.ApplyText(t, lab.World)
	app := signs(t, f, own)
	if seed, err := own.ApplicationKey(&app); err != nil || app.Sealed == "" || bytes.Contains(app.SigningKey, seed) {
		t.Errorf("the stored key is readable: sealed %q, %v", app.Sealed, err)
	}
	if err := own.CheckApplicationKeys(t.Context(), f.Store); err != nil {
		t.Errorf("CheckApplicationKeys() = %v", err)
	}
	for _, keys := range []string{"", encryptionKey(2)} {
		if err := sealer(t, keys).CheckApplicationKeys(t.Context(), f.Store); !errors.Is(err, auth.ErrSealed) {
			t.Errorf("CheckApplicationKeys() with keys %q = %v, want %v", keys, err, auth.ErrSealed)
		}
	}
}

// TestSealApplicationKeys checks that the key of an application stays the same while encryption is turned on, the encryption key is
// replaced, and encryption is turned off.
func TestSealApplicationKeys(t *testing.T) {
	t.Parallel()
	f := lab.Open(t)
	f.ApplyText(t, lab.World)
	first := signs(t, f, nil)
	names := map[string]bool{"": true}
	for i, step := range []struct {
		keys      string
		encrypted bool
	}{
		{encryptionKey(1), true},
		{encryptionKey(2) + " " + encryptionKey(1), true},
		{encryptionKey(2), true},
		{"none " + encryptionKey(2), false},
		{"", false},
	} {
		next := sealer(t, step.keys)
		if err := next.SealApplicationKeys(t.Context(), f.Store); err != nil {
			t.Fatalf("step %d: SealApplicationKeys() = %v", i, err)
		}
		app := signs(t, f, next)
		if app.Sealed != "" != step.encrypted || !bytes.Equal(app.VerifyKey, first.VerifyKey) {
			t.Errorf("step %d: sealed %q, want encrypted %v; verify key %x, want %x", i, app.Sealed, step.encrypted, app.VerifyKey, first.VerifyKey)
		}
		names[app.Sealed] = true
	}
	if len(names) != 3 {
		t.Errorf("the names of the encryption keys are %v, want none and two", names)
	}
}
