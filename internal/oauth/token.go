package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// MaxTokenLen is how long a token may be. What is longer is nobody's.
const MaxTokenLen = 512

// Hash returns what is kept of a token.
func Hash(token string) store.TokenHash {
	var b [MaxTokenLen]byte // on the stack, where a token that came with a request costs no memory
	return sha256.Sum256(append(b[:0], token...))
}

// Matches reports whether a secret is the one whose SHA-256 is given. How long it takes says nothing about either.
func Matches(hash []byte, secret string) bool {
	sum := Hash(secret)
	return subtle.ConstantTimeCompare(hash, sum[:]) == 1
}

// NewBotToken makes a bot token. Libraries read the application's id from its first part.
func NewBotToken(app snowflake.Application, now time.Time) Secret { return dotted(app.String(), now) }

// NewUserToken makes a token for a person's own client.
func NewUserToken(user snowflake.User, now time.Time) Secret { return dotted(user.String(), now) }

// NewBearerToken makes an access token.
func NewBearerToken() Secret { return Secret(random()) }

// NewAdminToken makes the operator's token.
func NewAdminToken() Secret { return Secret(random()) }

// NewClientSecret makes an application's client secret.
func NewClientSecret() Secret { return Secret(random()) }

// dotted writes whose token it is, when it was made and what nobody can guess.
func dotted(id string, now time.Time) Secret {
	seconds := binary.BigEndian.AppendUint32(nil, uint32(now.Unix()))
	return Secret(base64.RawStdEncoding.EncodeToString([]byte(id)) + "." +
		base64.RawURLEncoding.EncodeToString(seconds) + "." + random())
}

// random returns 260 random bits as text of letters and digits alone, which no shell and no flag takes for something else.
func random() string { return rand.Text() + rand.Text() }
