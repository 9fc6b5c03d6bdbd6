package webhook

import (
	"crypto/ed25519"
	"encoding/hex"
	"strconv"
	"sync"
	"time"
)

// maxKeys is the number of private keys that are cached.
const maxKeys = 4096

// keyCache holds private keys by their seed, because deriving a key takes as long as signing.
type keyCache struct {
	mu   sync.Mutex
	keys map[[ed25519.SeedSize]byte]ed25519.PrivateKey
}

// key returns the private key of a seed. It reports false if the seed has the wrong length.
func (k *keyCache) key(seed []byte) (ed25519.PrivateKey, bool) {
	if len(seed) != ed25519.SeedSize {
		return nil, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key, ok := k.keys[[ed25519.SeedSize]byte(seed)]
	if !ok {
		if k.keys == nil || len(k.keys) >= maxKeys {
			k.keys = map[[ed25519.SeedSize]byte]ed25519.PrivateKey{}
		}
		key = ed25519.NewKeyFromSeed(seed)
		k.keys[[ed25519.SeedSize]byte(seed)] = key
	}
	return key, true
}

// signature holds the values of the two signature headers.
type signature struct {
	timestamp string // Unix seconds
	hex       string
}

// sign signs the timestamp and the body.
func sign(key ed25519.PrivateKey, now time.Time, body []byte) signature {
	message := make([]byte, 0, 20+len(body))
	message = strconv.AppendInt(message, now.Unix(), 10)
	timestamp := string(message)
	message = append(message, body...)
	return signature{timestamp: timestamp, hex: hex.EncodeToString(ed25519.Sign(key, message))}
}
