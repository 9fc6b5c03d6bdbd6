package webhook

import (
	"crypto/ed25519"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
)

// keys derives the private keys of seeds and holds them: deriving one takes as long as signing. The seed itself is the
// key of the cache, so that a new one never meets the old one's answer.
type keys struct {
	held cache.Cache[[ed25519.SeedSize]byte, ed25519.PrivateKey]
}

// of returns the private key of a seed, and false when it is no seed.
func (k *keys) of(seed []byte) (ed25519.PrivateKey, bool) {
	if len(seed) != ed25519.SeedSize {
		return nil, false
	}
	key, ok, _ := k.held.Load([ed25519.SeedSize]byte(seed), func() (ed25519.PrivateKey, bool, error) {
		return ed25519.NewKeyFromSeed(seed), true, nil
	}) // the function that fails is the one above, which does not
	return key, ok
}

// seal is what makes a request the service's own.
type seal struct {
	timestamp string // Unix seconds
	signature string // hexadecimal
}

// sign seals a body.
func sign(key ed25519.PrivateKey, now time.Time, body []byte) seal {
	message := make([]byte, 0, 20+len(body))
	message = strconv.AppendInt(message, now.Unix(), 10)
	timestamp := string(message)
	message = append(message, body...)
	return seal{timestamp: timestamp, signature: hex.EncodeToString(ed25519.Sign(key, message))}
}
