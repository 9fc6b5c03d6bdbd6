package directory_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/testkit/lab"
)

// encryptionKey returns an encryption key that is made from one byte.
func encryptionKey(b byte) string {
	key := sha256.Sum256([]byte{b})
	return base64.StdEncoding.EncodeToString(key[:])
}

// encrypted returns a directory of the same store that uses encryption keys; empty: none.
func (d *fixture) encrypted(t *testing.T, keys string) *directory.Directory {
	t.Helper()
	var sealer *auth.Sealer
	if keys != "" {
		var err error
		if sealer, err = auth.NewSealer(keys); err != nil {
			t.Fatal(err)
		}
	}
	return directory.New(directory.Config{
		Store: d.Store, Cache: cache.New(d.Store, 1<<24), Clock: d.Now, IDs: &lab.IDs{}, Sealer: sealer,
	})
}

// signs checks that the key of application 100 signs what its verify key verifies, and returns the stored application.
func signs(t *testing.T, d *directory.Directory) *store.Application {
	t.Helper()
	app, err := d.Applications.Application(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := d.Applications.SigningKey(app)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("timestamp and body")
	if !ed25519.Verify(app.VerifyKey, message, ed25519.Sign(ed25519.NewKeyFromSeed(seed), message)) {
		t.Error("the verify key does not verify the signature")
	}
	return app
}

// TestSigningKeysAreEncrypted checks that the store holds no readable key with an encryption key, and that a start with a
// missing or wrong one fails.
func TestSigningKeysAreEncrypted(t *testing.T) {
	t.Parallel()
	d := open(t)
	sealed := d.encrypted(t, encryptionKey(1))
	if _, err := (&provision.Provisioner{Directory: sealed, Clock: d.Now}).Apply(t.Context(), lab.Parse(t, lab.World)); err != nil {
		t.Fatal(err)
	}
	app := signs(t, sealed)
	if seed, err := sealed.Applications.SigningKey(app); err != nil || app.Sealed == "" || bytes.Contains(app.SigningKey, seed) {
		t.Errorf("the stored key is readable: sealed %q, %v", app.Sealed, err)
	}
	if err := sealed.Applications.CheckKeys(t.Context()); err != nil {
		t.Errorf("CheckKeys() = %v", err)
	}
	for _, keys := range []string{"", encryptionKey(2)} {
		other := d.encrypted(t, keys)
		if err := other.Applications.CheckKeys(t.Context()); !errors.Is(err, auth.ErrSealed) {
			t.Errorf("CheckKeys() with keys %q = %v, want %v", keys, err, auth.ErrSealed)
		}
	}
}

// TestSealKeys checks that the key of an application stays the same while encryption is turned on, the encryption key is
// replaced, and encryption is turned off.
func TestSealKeys(t *testing.T) {
	t.Parallel()
	d := open(t)
	if _, err := d.Apply(t.Context(), lab.Parse(t, lab.World)); err != nil {
		t.Fatal(err)
	}
	first := signs(t, d.Directory)
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
		next := d.encrypted(t, step.keys)
		if err := next.Applications.SealKeys(t.Context()); err != nil {
			t.Fatalf("step %d: SealKeys() = %v", i, err)
		}
		app := signs(t, next)
		if app.Sealed != "" != step.encrypted || !bytes.Equal(app.VerifyKey, first.VerifyKey) {
			t.Errorf("step %d: sealed %q, want encrypted %v; verify key %x, want %x", i, app.Sealed, step.encrypted, app.VerifyKey, first.VerifyKey)
		}
		names[app.Sealed] = true
	}
	if len(names) != 3 {
		t.Errorf("the names of the encryption keys are %v, want none and two", names)
	}
}
