package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// TokenHash is the SHA-256 of a token. Tokens themselves are never stored.
type TokenHash [32]byte

// CredentialKind says what a token stands for.
type CredentialKind uint8

// The kinds of tokens.
const (
	BotToken    CredentialKind = 1 // an application's bot
	UserToken   CredentialKind = 2 // a person's own client
	BearerToken CredentialKind = 3 // an OAuth2 access token
	AdminToken  CredentialKind = 4 // the operator
)

// Credential is what a token allows.
type Credential struct {
	Hash        TokenHash             `json:"-"`
	Kind        CredentialKind        `json:"kind"`
	Application snowflake.Application `json:"application,omitzero"` // of bot and bearer tokens
	User        snowflake.User        `json:"user,omitzero"`        // of user tokens and bearer tokens that act for a person
	Scopes      []string              `json:"scopes,omitzero"`      // of bearer tokens
	Expires     time.Time             `json:"expires,omitzero"`     // zero: never
}

// CredentialReader reads credentials.
type CredentialReader interface {
	Credential(hash TokenHash) (Credential, error)
	// Credentials returns those of a kind that belong to an application and a user; 0 matches 0 alone.
	Credentials(kind CredentialKind, app snowflake.Application, user snowflake.User) ([]Credential, error)
}

// CredentialWriter changes credentials.
type CredentialWriter interface {
	PutCredential(c Credential) error
	DeleteCredential(hash TokenHash) error
	// DeleteExpired removes what expired before now, at most limit, and returns how many it removed.
	DeleteExpired(now time.Time, limit int) (int, error)
}
