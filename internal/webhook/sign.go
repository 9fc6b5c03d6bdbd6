package webhook

import (
	"crypto/ed25519"
	"encoding/hex"
	"strconv"
	"sync"
	"time"
)

// maxKeys is how many private keys are held.
const maxKeys = 4096

// keys derives the private keys of seeds and holds them: deriving one takes as long as signing.
type keys struct {
	mu   sync.Mutex
	held map[[ed25519.SeedSize]byte]ed25519.PrivateKey
}

// of returns the private key of a seed, and false when it is no seed.
func (k *keys) of(seed []byte) (ed25519.PrivateKey, bool) {
	if len(seed) != ed25519.SeedSize {
		return nil, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key, ok := k.held[[ed25519.SeedSize]byte(seed)]
	if !ok {
		if k.held == nil || len(k.held) >= maxKeys {
			k.held = map[[ed25519.SeedSize]byte]ed25519.PrivateKey{}
		}
		key = ed25519.NewKeyFromSeed(seed)
		k.held[[ed25519.SeedSize]byte(seed)] = key
	}
	return key, true
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
