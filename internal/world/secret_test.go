package world

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestWeakSecretPatterns checks that patterns count as weak, however long they are, and random text does not.
func TestWeakSecretPatterns(t *testing.T) {
	t.Parallel()
	for _, weak := range []string{
		"", "x", "dev-user-ada",
		"passwordpasswordpasswordpassword", "PasswordPasswordPasswordPassword", "password-password-password-password",
		strings.Repeat("a", 512), strings.Repeat("ab", 256), strings.Repeat("x7Kq!", 20),
		"0123456789012345678901234567890123456789", "98765432109876543210987654321098", "abcdefghijklmnopqrstuvwxyz0123456789",
		"qwertyuiopasdfghjklzxcvbnm1234567890", "poiuytrewqlkjhgfdsamnbvcxz", "1q2w3e4r1q2w3e4r1q2w3e4r1q2w3e4r",
		"my-super-secret-bot-token-for-production", "changeme-changeme-changeme-changeme", "CorrectHorseBatteryStapleAgain",
		"00000000000000000000000000000000", "deadbeefdeadbeefdeadbeefdeadbeef", "a1b2c3a1b2c3a1b2c3a1b2c3a1b2c3",
		"11111111-1111-1111-1111-111111111111", "hunter2hunter2hunter2hunter2hunter2",
	} {
		if !WeakSecret(weak) {
			t.Errorf("WeakSecret(%q) = false: %.0f bits", weak, secretBits(weak))
		}
	}
	for _, strong := range []string{
		"oVzq7cKfJ2mX4sTn8bYd1aLe", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "K3nq8ZrW0pLx5vTf2sJd9bHy",
		"GEZDGNBVGY3TQOJQMZXW6YTBOJRGC6RAONSWG4TFOQ5DSNZVGE3A",
	} {
		if WeakSecret(strong) {
			t.Errorf("WeakSecret(%q) = true: %.0f bits", strong, secretBits(strong))
		}
	}
}

// TestWeakSecretRandom checks that random secrets of 192 bits and more are strong: 5,000 of each form.
func TestWeakSecretRandom(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]func(sum []byte) string{
		"32 characters of Base64": func(sum []byte) string { return base64.StdEncoding.EncodeToString(sum[:24]) },
		"44 characters of Base64": base64.StdEncoding.EncodeToString,
		"43 characters for URLs":  base64.RawURLEncoding.EncodeToString,
		"hex":                     hex.EncodeToString,
	} {
		least := 1000.0
		for i := range 5000 {
			sum := sha256.Sum256(fmt.Append(nil, name, i))
			secret := text(sum[:])
			least = min(least, secretBits(secret))
			if WeakSecret(secret) {
				t.Errorf("%s: WeakSecret(%q) = true: %.0f bits", name, secret, secretBits(secret))
			}
		}
		t.Logf("%s: at least %.0f bits", name, least)
	}
}

// TestWeakSecretIsFast checks that a secret of the maximum length takes little time.
func TestWeakSecretIsFast(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("aB3", MaxToken/3)
	begin := time.Now()
	for range 100 {
		WeakSecret(long)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("100 estimates of %d characters took %v", len(long), took)
	}
}

func FuzzSecretBits(f *testing.F) {
	f.Add("passwordpassword")
	f.Add("oVzq7cKfJ2mX4sTn8bYd1aLe")
	f.Fuzz(func(t *testing.T, s string) {
		bits := secretBits(s)
		if !(bits >= 0 && bits <= 8*float64(len(s))) {
			t.Errorf("%q has %v bits", s, bits)
		}
		if twice := secretBits(s + s); len(s) <= 40 && twice > bits+5*patternBits {
			t.Errorf("%q has %.0f bits, twice %.0f", s, bits, twice)
		}
	})
}
