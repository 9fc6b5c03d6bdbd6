package authorization

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"time"
)

const (
	devicePath      = "/oauth2/device/authorize"
	deviceGrant     = "urn:ietf:params:oauth:grant-type:device_code"
	defaultInterval = 5 * time.Second // of RFC 8628, for a server that names none
	slowDownStep    = 5 * time.Second // of RFC 8628, added for good
	maxBackoff      = time.Minute
)

// DeviceArgs are the arguments of a sign-in on a device that has no browser.
type DeviceArgs struct {
	ClientID uint64 // 0 stands for the client's application id
	Scopes   string // separated by spaces
}

// Device is a sign-in that waits for the person to enter UserCode at VerificationURI, on a machine that has a browser.
type Device struct {
	ClientID                uint64
	DeviceCode              Secret
	UserCode                string
	VerificationURI         string
	VerificationURIComplete string // holds the user code already, for a QR code; may be empty
	ExpiresIn               time.Duration
	Interval                time.Duration // between two questions; 0 stands for five seconds
}

// LogValue leaves the codes out.
func (d Device) LogValue() slog.Value {
	return slog.GroupValue(slog.Uint64("client_id", d.ClientID), slog.String("verification_uri", d.VerificationURI))
}

// AuthorizeDevice starts a sign-in. Show the person what it returns and call AwaitDevice.
func (c *Client) AuthorizeDevice(ctx context.Context, a DeviceArgs) (Device, error) {
	const op = "authorize device"
	id, err := c.clientID(op, a.ClientID)
	if err != nil {
		return Device{}, err
	}
	scopes, ok := cleanScopes(a.Scopes)
	if !ok {
		return Device{}, invalid(op, "the scopes are empty or malformed")
	}
	var wire deviceReply
	form := url.Values{"client_id": {strconv.FormatUint(id, 10)}, "scope": {scopes}}
	if err := c.post(ctx, call{op: op, path: devicePath, form: form}, &wire); err != nil {
		return Device{}, err
	}
	return Device{
		ClientID: id, DeviceCode: wire.DeviceCode, UserCode: wire.UserCode, VerificationURI: wire.VerificationURI,
		VerificationURIComplete: wire.VerificationURIComplete,
		ExpiresIn:               seconds(wire.ExpiresIn), Interval: seconds(wire.Interval),
	}, nil
}

// deviceReply is the answer of the device endpoint.
type deviceReply struct {
	DeviceCode              Secret `json:"device_code"`
	UserCode                string `json:"user_code"`
	VerificationURI         string `json:"verification_uri"`
	VerificationURIComplete string `json:"verification_uri_complete"`
	ExpiresIn               int64  `json:"expires_in"`
	Interval                int64  `json:"interval"`
}

func (r *deviceReply) complete() bool {
	return r.DeviceCode != "" && r.UserCode != "" && r.VerificationURI != "" && r.ExpiresIn > 0
}

// AwaitDevice asks the server, no more often than it allows, until the person has answered or d.ExpiresIn has passed.
// When the person declines or the time runs out, the kind is ErrAuthorizationFailed with the message "access_denied" or
// "expired_token". A server that cannot be reached or is busy is asked again.
func (c *Client) AwaitDevice(ctx context.Context, d Device) (Token, error) {
	const op = "await device"
	if _, err := c.clientID(op, d.ClientID); err != nil {
		return Token{}, err
	}
	if d.DeviceCode == "" {
		return Token{}, invalid(op, "there is no device code")
	}
	until, cancel := context.WithTimeout(ctx, d.ExpiresIn)
	defer cancel()
	for p := newPace(d.Interval); p.pause(until); {
		token, err := c.requestToken(until, op, d.ClientID, url.Values{
			"grant_type":  {deviceGrant},
			"device_code": {string(d.DeviceCode)},
		}, d.DeviceCode)
		if err == nil {
			return token, nil
		}
		if until.Err() != nil {
			break
		}
		if err := p.after(err); err != nil {
			return Token{}, err
		}
	}
	if ctx.Err() != nil {
		return Token{}, aborted(ctx, op)
	}
	return Token{}, failed(op, expiredToken)
}

// The errors by which the token endpoint steers those who wait.
const (
	authorizationPending = "authorization_pending"
	slowDown             = "slow_down"
	expiredToken         = "expired_token"
	accessDenied         = "access_denied"
)

// pace is how often the server is asked.
type pace struct {
	interval time.Duration // what the server allows
	wait     time.Duration // until the next question
}

func newPace(interval time.Duration) *pace {
	if interval <= 0 {
		interval = defaultInterval
	}
	return &pace{interval: interval, wait: interval}
}

// pause waits until the next question is due and reports whether ctx still goes on then.
func (p *pace) pause(ctx context.Context) bool {
	due, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	<-due.Done()
	return ctx.Err() == nil
}

// after takes what the server said instead of a token, and returns it when that ends the sign-in.
func (p *pace) after(err error) error {
	said, ok := errors.AsType[*ResultError](err)
	switch {
	case !ok:
		return err
	case said.Message == authorizationPending:
		p.wait = p.interval
	case said.Message == slowDown:
		p.interval += slowDownStep
		p.wait = p.interval
	case said.Message == accessDenied, said.Message == expiredToken:
		said.Kind = ErrAuthorizationFailed
		return said
	case said.Retryable && said.RetryAfter > 0:
		p.wait = max(p.interval, said.RetryAfter)
	case said.Retryable:
		p.wait = max(p.interval, min(2*p.wait, maxBackoff))
	default:
		return said
	}
	return nil
}
