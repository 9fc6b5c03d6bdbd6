package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// MaxTokenLen is the largest length of a token. Authenticate refuses longer ones.
const MaxTokenLen = 512

// Hash returns the SHA-256 of a token. The store keeps only this hash.
func Hash(token string) store.TokenHash {
	var b [MaxTokenLen]byte // on the stack: hashing the token of a request allocates nothing
	return sha256.Sum256(append(b[:0], token...))
}

// Hashes is a set of tokens and secrets, by their hashes.
type Hashes map[store.TokenHash]bool

// HashAll returns the hashes of tokens and secrets.
func HashAll(secrets []string) Hashes {
	hashes := make(Hashes, len(secrets))
	for _, secret := range secrets {
		hashes[Hash(secret)] = true
	}
	return hashes
}

// Matches reports whether a secret has the given SHA-256. It takes constant time.
func Matches(hash []byte, secret string) bool {
	sum := Hash(secret)
	return subtle.ConstantTimeCompare(hash, sum[:]) == 1
}

// NewBotToken returns a new bot token. Client libraries read the application's id from its first part.
func NewBotToken(app snowflake.Application, now time.Time) Secret { return dotted(app.String(), now) }

// NewUserToken returns a new token for a user's own client.
func NewUserToken(user snowflake.User, now time.Time) Secret { return dotted(user.String(), now) }

// AccessTokenLife is the time for which an access token is valid.
const AccessTokenLife = 7 * 24 * time.Hour

// NewAccess returns a new access token and its credential. With it the application acts for the user, or for itself
// when user is 0.
func NewAccess(app snowflake.Application, user snowflake.User, scopes []string, now time.Time) (Secret, store.Credential) {
	token := Secret(random())
	return token, store.Credential{
		Hash: Hash(token.Reveal()), Kind: store.BearerToken, Application: app, User: user, Scopes: scopes,
		Expires: now.Add(AccessTokenLife).UTC().Truncate(time.Millisecond),
	}
}

// familyLen is the length of the prefix that all refresh tokens of one grant share.
const familyLen = 26

// NewRefreshToken returns the first refresh token of a grant.
func NewRefreshToken() Secret { return Secret(random()) }

// NextRefreshToken returns the refresh token that replaces another one of the same grant.
func NextRefreshToken(token string) Secret { return Secret(token[:familyLen] + rand.Text()) }

// Family returns the hash of the prefix that all refresh tokens of a grant share, and whether the text can be a refresh
// token. A caller with a known prefix but another rest has a refresh token that was used before.
func Family(token string) (store.TokenHash, bool) {
	if len(token) != 2*familyLen {
		return store.TokenHash{}, false
	}
	return Hash(token[:familyLen]), true
}

// NewCode returns a new authorization code or device code.
func NewCode() Secret { return Secret(rand.Text()) }

// NewAdminToken returns a new token for the operator.
func NewAdminToken() Secret { return Secret(random()) }

// NewClientSecret returns a new client secret for an application.
func NewClientSecret() Secret { return Secret(random()) }

// dotted returns a token of three parts: the id of the owner, the time of creation, and random text.
func dotted(id string, now time.Time) Secret {
	seconds := binary.BigEndian.AppendUint32(nil, uint32(now.Unix()))
	return Secret(base64.RawStdEncoding.EncodeToString([]byte(id)) + "." +
		base64.RawURLEncoding.EncodeToString(seconds) + "." + random())
}

// NamedUser returns the id in the first part of a user token, or 0 if there is none. The token may be invalid.
func NamedUser(token string) snowflake.User {
	first, _, dotted := strings.Cut(token[:min(len(token), MaxTokenLen)], ".")
	id, err := base64.RawStdEncoding.DecodeString(first)
	if err != nil || !dotted {
		return 0
	}
	user, err := snowflake.Parse[snowflake.User](string(id))
	if err != nil {
		return 0
	}
	return user
}

// random returns 260 random bits as letters and digits. They need no quoting in shells and flags.
func random() string { return rand.Text() + rand.Text() }
