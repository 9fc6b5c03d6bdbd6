package store

import (
	"time"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Code is an authorization code. It is kept for a while after it was used, so that a second use shows.
type Code struct {
	Hash        TokenHash             `json:"-"`
	Application snowflake.Application `json:"application"`
	User        snowflake.User        `json:"user"`
	Scopes      []string              `json:"scopes"`
	RedirectURI string                `json:"redirect_uri,omitzero"` // as it was sent; empty when it was not
	Challenge   string                `json:"challenge,omitzero"`
	Nonce       string                `json:"nonce,omitzero"`
	Guild       snowflake.Guild       `json:"guild,omitzero"` // where consent put the bot
	Permissions permission.Bits       `json:"permissions,omitzero"`
	SignedIn    time.Time             `json:"signed_in,omitzero"`
	Expires     time.Time             `json:"expires"`
	Until       time.Time             `json:"until"` // when the record may go
	// Grant is what the code gave; zero until it was used.
	Grant TokenHash `json:"grant,omitzero"`
}

// Grant is a pair of tokens that renews itself: the access token, and the refresh token that gives the next pair.
type Grant struct {
	// ID is the hash of the part that all refresh tokens of the grant share.
	ID          TokenHash             `json:"-"`
	Application snowflake.Application `json:"application"`
	User        snowflake.User        `json:"user"`
	Scopes      []string              `json:"scopes"`
	Access      TokenHash             `json:"access"`  // of the credential
	Refresh     TokenHash             `json:"refresh"` // of the one refresh token that is good
	Made        time.Time             `json:"made"`
}

// Consent is what a user has allowed an application, all in all.
type Consent struct {
	Application snowflake.Application `json:"application"`
	User        snowflake.User        `json:"user"`
	Scopes      []string              `json:"scopes"`
	Made        time.Time             `json:"made"`
}

// Decision is what a user has said to a device.
type Decision uint8

// The decisions.
const (
	Undecided Decision = 0
	Approved  Decision = 1
	Denied    Decision = 2
)

// Device is a device that waits for a user to type its code elsewhere.
type Device struct {
	Hash        TokenHash             `json:"-"`         // of the code that the device holds
	UserCode    TokenHash             `json:"user_code"` // of the code that the user types
	Application snowflake.Application `json:"application"`
	Scopes      []string              `json:"scopes"`
	User        snowflake.User        `json:"user,omitzero"` // who decided
	Decision    Decision              `json:"decision,omitzero"`
	Interval    int                   `json:"interval,omitzero"` // seconds between two questions of the device
	Asked       time.Time             `json:"asked,omitzero"`
	Expires     time.Time             `json:"expires"`
	Until       time.Time             `json:"until"` // when the record may go
}

// SigningKey signs ID tokens.
type SigningKey struct {
	ID      string    `json:"id"`
	Private []byte    `json:"private"` // PKCS #8
	Made    time.Time `json:"made"`
}

// Session is a user who has signed in to the pages.
type Session struct {
	Hash    TokenHash      `json:"-"`
	User    snowflake.User `json:"user"`
	Made    time.Time      `json:"made"`
	Expires time.Time      `json:"expires"`
}

// Account is a user at another identity provider.
type Account struct {
	Issuer  string         `json:"issuer"`
	Subject string         `json:"subject"`
	User    snowflake.User `json:"user"`
}

// GrantReader reads what people have granted.
type GrantReader interface {
	Code(hash TokenHash) (Code, error)
	Grant(id TokenHash) (Grant, error)
	// Grants returns those of an application and a user, in the order of their ids.
	Grants(app snowflake.Application, user snowflake.User) ([]Grant, error)
	Consent(app snowflake.Application, user snowflake.User) (Consent, error)
	Device(hash TokenHash) (Device, error)
	// DeviceByUserCode finds a device by the hash of the code that the user types.
	DeviceByUserCode(hash TokenHash) (Device, error)
	// SigningKeys returns the keys, the oldest first.
	SigningKeys() ([]SigningKey, error)
	Session(hash TokenHash) (Session, error)
	Account(issuer, subject string) (Account, error)
}

// GrantWriter changes what people have granted. Put stores a record in place of the one with the same key. Deletes of what
// is not there do nothing. Whoever deletes a user or an application deletes what they granted or were granted too.
type GrantWriter interface {
	PutCode(c Code) error
	// DeleteCodes removes those of an application and a user.
	DeleteCodes(app snowflake.Application, user snowflake.User) error
	PutGrant(g Grant) error
	DeleteGrant(id TokenHash) error
	PutConsent(c Consent) error
	DeleteConsent(app snowflake.Application, user snowflake.User) error
	// PutDevice stores a device. Two with the same user code are an ErrConflict.
	PutDevice(d Device) error
	DeleteDevice(hash TokenHash) error
	PutSigningKey(k SigningKey) error
	DeleteSigningKey(id string) error
	PutSession(s Session) error
	DeleteSession(hash TokenHash) error
	PutAccount(a Account) error
	// DeleteOutdated removes codes, devices and sessions whose time was over before now, at most limit of each, and returns
	// how many it removed.
	DeleteOutdated(now time.Time, limit int) (int, error)
}
