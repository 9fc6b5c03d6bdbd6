package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Times of the device flow (RFC 8628).
const (
	DeviceLife     = 5 * time.Minute
	DeviceInterval = 5 // seconds between two polls of a device
	slowDownStep   = 5 // seconds that are added for a device that polls too often
	deviceMemory   = time.Hour
)

// maxDevices is the largest number of devices of an application that are stored at the same time. Each is stored for
// deviceMemory, or until it has its token.
const maxDevices = 10_000

// User codes have eight of these letters. There are no vowels, so that codes are no words, and no letters that look
// like digits.
const (
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLen     = 8
)

// Device holds the codes of a new device authorization.
type Device struct {
	DeviceCode auth.Secret
	UserCode   string
}

// AuthorizeDevice starts the device flow for a client.
func (s *Server) AuthorizeDevice(ctx context.Context, who Client, scope string) (Device, error) {
	c, err := s.client(ctx, who)
	if err != nil {
		return Device{}, err
	}
	if refused := allows(c.Application, world.GrantDevice); refused != nil {
		return Device{}, refused
	}
	scopes := auth.ParseScopes(scope)
	if len(scopes) == 0 || !auth.GrantableToDevice(scopes) {
		return Device{}, invalidScope()
	}
	for {
		device := Device{DeviceCode: auth.NewCode(), UserCode: newUserCode()}
		err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
			t := s.transaction(ctx, tx)
			if err := t.checkOwners(c.ID, 0); err != nil {
				return err
			}
			if n, err := t.Grants.Devices(c.ID, maxDevices); err != nil {
				return err
			} else if n == maxDevices {
				return TooManyDevices("the application")
			}
			return t.Put(store.Device{
				Hash: auth.Hash(device.DeviceCode.Reveal()), UserCode: auth.Hash(device.UserCode), Application: c.ID, Scopes: scopes,
				Interval: DeviceInterval, Expires: t.now.Add(DeviceLife), Until: t.now.Add(deviceMemory),
			})
		})
		switch {
		case errors.Is(err, store.ErrConflict): // another device has the user code
		case errors.Is(err, store.ErrNotFound):
			return Device{}, invalidClient()
		default:
			return device, err
		}
	}
}

func newUserCode() string {
	code := make([]byte, userCodeLen)
	for i := range code {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(userCodeLetters))))
		if err != nil {
			panic(err) // cannot happen: package rand ends the program when there is no randomness
		}
		code[i] = userCodeLetters[n.Int64()]
	}
	return string(code)
}

// cleanUserCode removes spaces and dashes from a typed user code and converts it to upper case.
func cleanUserCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToUpper(bounded(typed)))
}

// PendingDevice is a device that waits for the decision of a user.
type PendingDevice struct {
	App    *store.Application
	Scopes []string

	hash store.TokenHash
}

// PendingDevice returns the device with a user code, or ErrUserCode.
func (s *Server) PendingDevice(ctx context.Context, userCode string) (PendingDevice, error) {
	var d store.Device
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		d, err = r.Grants.DeviceByUserCode(auth.Hash(cleanUserCode(userCode)))
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && !undecided(d, s.now()) {
		err = ErrUserCode
	}
	if err != nil {
		return PendingDevice{}, err
	}
	app, err := s.Directory.Applications.Application(ctx, d.Application)
	return PendingDevice{App: app, Scopes: d.Scopes, hash: d.Hash}, err
}

// undecided reports whether a user can still decide about a device.
func undecided(d store.Device, now time.Time) bool {
	return d.Decision == store.Undecided && now.Before(d.Expires)
}

// DecideDevice stores a user's decision about a device.
func (s *Server) DecideDevice(ctx context.Context, device PendingDevice, user snowflake.User, accept bool) error {
	return store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		t := s.transaction(ctx, tx)
		d, err := t.Grants.Device(device.hash)
		if err == nil {
			err = t.checkOwners(d.Application, user)
		}
		if errors.Is(err, store.ErrNotFound) || err == nil && !undecided(d, t.now) {
			return ErrUserCode
		}
		if err != nil {
			return err
		}
		d.User, d.Decision = user, store.Denied
		if accept {
			d.Decision = store.Approved
			if err := t.consent(d.Application, user, d.Scopes); err != nil {
				return err
			}
			if err := t.tellAuthorized(d.Application, user, d.Scopes, nil, 0); err != nil {
				return err
			}
		}
		return t.Put(d)
	})
}

// poll returns a token for a device whose user has accepted, and otherwise an *Error.
func (s *Server) poll(ctx context.Context, c client, q TokenRequest) (Token, error) {
	var token Token
	var refused *Error // returned after the commit
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		t := s.transaction(ctx, tx)
		refused = nil
		d, err := t.Grants.Device(auth.Hash(bounded(q.DeviceCode)))
		if err == nil {
			err = t.checkOwners(d.Application, d.User)
		}
		if errors.Is(err, store.ErrNotFound) || err == nil && d.Application != c.ID {
			refused = invalidParameter("device_code")
			refused.Code = InvalidGrant
			return nil
		}
		if err != nil {
			return err
		}
		if refused, err = t.checkDevice(d); refused != nil || err != nil {
			return err
		}
		if err := t.merge(q, d.User); err != nil {
			return err
		}
		if token, _, err = t.issue(d.Application, d.User, d.Scopes); err != nil {
			return err
		}
		t.Delete(store.DeviceKey(d.Hash))
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

// checkDevice returns the error of a device that gets no token, or nil.
func (t *transaction) checkDevice(d store.Device) (*Error, error) {
	early := t.now.Before(d.Asked.Add(time.Duration(d.Interval) * time.Second))
	d.Asked = t.now
	switch {
	case !t.now.Before(d.Expires):
		return &Error{Code: ExpiredToken}, nil
	case early:
		d.Interval += slowDownStep
		return &Error{Code: SlowDown}, t.Put(d)
	case d.Decision == store.Denied:
		t.Delete(store.DeviceKey(d.Hash))
		return &Error{Code: AccessDenied}, nil
	case d.Decision != store.Approved:
		return &Error{Code: AuthorizationPending}, t.Put(d)
	}
	return nil, nil
}
