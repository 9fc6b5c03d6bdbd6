package oauthserver

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// How devices wait, after RFC 8628.
const (
	DeviceLife     = 5 * time.Minute
	DeviceInterval = 5 // seconds between two questions of a device
	slowDownStep   = 5 // seconds more for a device that asks too often
	deviceMemory   = time.Hour
)

// User codes are eight of these letters: no vowels, so that they make no words, and nothing that looks like a digit.
const (
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLen     = 8
)

// Device is a device that begins to wait.
type Device struct {
	DeviceCode auth.Secret
	UserCode   string
}

// AuthorizeDevice lets a device of a client wait for a person.
func (g *Grants) AuthorizeDevice(ctx context.Context, who Client, scope string) (Device, error) {
	c, err := g.client(ctx, who)
	if err != nil {
		return Device{}, err
	}
	scopes := auth.ParseScopes(scope)
	if len(scopes) == 0 || !auth.ForDevices(scopes) {
		return Device{}, invalidScope()
	}
	for {
		made := Device{DeviceCode: auth.NewCode(), UserCode: newUserCode()}
		err := g.update(ctx, func(u *unit) error {
			if err := u.checkOwners(c.ID, 0); err != nil {
				return err
			}
			return u.Put(store.Device{
				Hash: auth.Hash(made.DeviceCode.Reveal()), UserCode: auth.Hash(made.UserCode), Application: c.ID, Scopes: scopes,
				Interval: DeviceInterval, Expires: u.now.Add(DeviceLife), Until: u.now.Add(deviceMemory),
			})
		})
		switch {
		case errors.Is(err, store.ErrConflict): // another device has the user code
		case errors.Is(err, store.ErrNotFound):
			return Device{}, invalidClient()
		default:
			return made, err
		}
	}
}

func newUserCode() string {
	code := make([]byte, userCodeLen)
	for i := range code {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(userCodeLetters))))
		if err != nil {
			panic(err) // the system has no randomness; package rand ends the program itself
		}
		code[i] = userCodeLetters[n.Int64()]
	}
	return string(code)
}

// cleanUserCode returns a code as people type it in the form in which it was made.
func cleanUserCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToUpper(bounded(typed)))
}

// Waiting is a device that a person is asked about.
type Waiting struct {
	App    *store.Application
	Scopes []string

	hash store.TokenHash
}

// Waiting returns the device that shows a user code; ErrUserCode when there is none.
func (g *Grants) Waiting(ctx context.Context, userCode string) (Waiting, error) {
	var d store.Device
	err := g.Store.Read(ctx, func(r store.Reader) (err error) {
		d, err = r.Grants.DeviceByUserCode(auth.Hash(cleanUserCode(userCode)))
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && !open(d, g.now()) {
		err = ErrUserCode
	}
	if err != nil {
		return Waiting{}, err
	}
	app, err := g.Directory.Application(ctx, d.Application)
	return Waiting{App: app, Scopes: d.Scopes, hash: d.Hash}, err
}

// open reports whether a device can still be decided about.
func open(d store.Device, now time.Time) bool {
	return d.Decision == store.Undecided && now.Before(d.Expires)
}

// DecideDevice records what a user says to a device.
func (g *Grants) DecideDevice(ctx context.Context, w Waiting, user snowflake.User, accept bool) error {
	return g.update(ctx, func(u *unit) error {
		d, err := u.Grants.Device(w.hash)
		if err == nil {
			err = u.checkOwners(d.Application, user)
		}
		if errors.Is(err, store.ErrNotFound) || err == nil && !open(d, u.now) {
			return ErrUserCode
		}
		if err != nil {
			return err
		}
		d.User, d.Decision = user, store.Denied
		if accept {
			d.Decision = store.Approved
			if err := u.consent(d.Application, user, d.Scopes); err != nil {
				return err
			}
		}
		return u.Put(d)
	})
}

// poll answers a device that asks whether its person has decided.
func (g *Grants) poll(ctx context.Context, c client, q TokenRequest) (Token, error) {
	var token Token
	var refused *Error // returned after the commit
	err := g.update(ctx, func(u *unit) error {
		refused = nil
		d, err := u.Grants.Device(auth.Hash(bounded(q.DeviceCode)))
		if err == nil {
			err = u.checkOwners(d.Application, d.User)
		}
		if errors.Is(err, store.ErrNotFound) || err == nil && d.Application != c.ID {
			refused = invalidParameter("device_code")
			refused.Code = InvalidGrant
			return nil
		}
		if err != nil {
			return err
		}
		if refused, err = u.hold(d); refused != nil || err != nil {
			return err
		}
		if token, _, err = u.issue(d.Application, d.User, d.Scopes); err != nil {
			return err
		}
		u.Delete(store.DeviceKey(d.Hash))
		return nil
	})
	if err == nil && refused != nil {
		err = refused
	}
	if err != nil {
		return Token{}, err
	}
	return token, nil
}

// hold says why a device gets no token yet, or never; nil when it gets one.
func (u *unit) hold(d store.Device) (*Error, error) {
	early := u.now.Before(d.Asked.Add(time.Duration(d.Interval) * time.Second))
	d.Asked = u.now
	switch {
	case !u.now.Before(d.Expires):
		return &Error{Code: ExpiredToken}, nil
	case early:
		d.Interval += slowDownStep
		return &Error{Code: SlowDown}, u.Put(d)
	case d.Decision == store.Denied:
		u.Delete(store.DeviceKey(d.Hash))
		return &Error{Code: AccessDenied}, nil
	case d.Decision != store.Approved:
		return &Error{Code: AuthorizationPending}, u.Put(d)
	}
	return nil, nil
}
