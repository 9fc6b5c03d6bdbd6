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
	defaultInterval = 5 * time.Second // RFC 8628: when the server names no interval
	slowDownStep    = 5 * time.Second // RFC 8628: slow_down adds it to all later intervals
	maxBackoff      = time.Minute
)

// DeviceArgs are the arguments of a sign-in on a device without a browser.
type DeviceArgs struct {
	ClientID uint64 // 0 means the client's application id
	Scopes   string // separated by spaces
}

// Device is a pending device sign-in. The user enters UserCode at VerificationURI, in a browser on another machine.
type Device struct {
	ClientID                uint64
	DeviceCode              Secret
	UserCode                string
	VerificationURI         string
	VerificationURIComplete string // includes the user code, for a QR code; may be empty
	ExpiresIn               time.Duration
	Interval                time.Duration // between two polls; 0 means five seconds
}

// LogValue leaves the codes out.
func (d Device) LogValue() slog.Value {
	return slog.GroupValue(slog.Uint64("client_id", d.ClientID), slog.String("verification_uri", d.VerificationURI))
}

// AuthorizeDevice starts a device sign-in. Show the user code and the verification URI to the user, then call
// AwaitDevice.
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

// deviceReply is the response body of the device endpoint.
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

// AwaitDevice polls the server at the interval that the server allows, until the user answers or d.ExpiresIn has passed.
// When the user declines or the time runs out, the error has the kind ErrAuthorizationFailed and the message
// "access_denied" or "expired_token". When the server is busy or unreachable, AwaitDevice polls again later.
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
	for p := newPollSchedule(d.Interval); p.wait(until); {
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

// The errors of the token endpoint while a device sign-in is pending (RFC 8628, section 3.5).
const (
	authorizationPending = "authorization_pending"
	slowDown             = "slow_down"
	expiredToken         = "expired_token"
	accessDenied         = "access_denied"
)

// pollSchedule says when to poll the server next.
type pollSchedule struct {
	interval time.Duration // the shortest interval that the server allows
	next     time.Duration // until the next poll
}

func newPollSchedule(interval time.Duration) *pollSchedule {
	if interval <= 0 {
		interval = defaultInterval
	}
	return &pollSchedule{interval: interval, next: interval}
}

// wait waits until the next poll is due. It returns false when ctx ended before that.
func (p *pollSchedule) wait(ctx context.Context) bool {
	due, cancel := context.WithTimeout(ctx, p.next)
	defer cancel()
	<-due.Done()
	return ctx.Err() == nil
}

// after adjusts the schedule to the error of a poll. It returns the error when the sign-in cannot continue.
func (p *pollSchedule) after(err error) error {
	said, ok := errors.AsType[*ResultError](err)
	switch {
	case !ok:
		return err
	case said.Message == authorizationPending:
		p.next = p.interval
	case said.Message == slowDown:
		p.interval += slowDownStep
		p.next = p.interval
	case said.Message == accessDenied, said.Message == expiredToken:
		said.Kind = ErrAuthorizationFailed
		return said
	case said.Retryable && said.RetryAfter > 0:
		p.next = max(p.interval, said.RetryAfter)
	case said.Retryable:
		p.next = max(p.interval, min(2*p.next, maxBackoff))
	default:
		return said
	}
	return nil
}
