package auth

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

// AccessTokenLife is how long an access token is valid.
const AccessTokenLife = 7 * 24 * time.Hour

// NewAccess makes an access token and what is kept of it: for an application that acts for a user, or without one for
// the application itself.
func NewAccess(app snowflake.Application, user snowflake.User, scopes []string, now time.Time) (Secret, store.Credential) {
	made := NewBearerToken()
	return made, store.Credential{
		Hash: Hash(made.Reveal()), Kind: store.BearerToken, Application: app, User: user, Scopes: scopes,
		Expires: now.Add(AccessTokenLife).UTC().Truncate(time.Millisecond),
	}
}

// familyLen is how many characters all refresh tokens of one grant begin with.
const familyLen = 26

// NewRefreshToken makes the first refresh token of a grant.
func NewRefreshToken() Secret { return Secret(random()) }

// NextRefreshToken makes the refresh token that comes after another one of the same grant.
func NextRefreshToken(token string) Secret { return Secret(token[:familyLen] + rand.Text()) }

// Family returns the hash of what all refresh tokens of a grant begin with, and whether the text can be one of them. Who
// knows it has had one of them: the rest alone tells the good one from those that were used.
func Family(token string) (store.TokenHash, bool) {
	if len(token) != 2*familyLen {
		return store.TokenHash{}, false
	}
	return Hash(token[:familyLen]), true
}

// NewCode makes an authorization code, or the code of a device.
func NewCode() Secret { return Secret(rand.Text()) }

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
