package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/snowflake"
)

// maxPong is the maximum size of the answer to a PING, in bytes.
const maxPong = 64 << 10

// Probe describes a PING handshake with an endpoint.
type Probe struct {
	Application snowflake.Application
	URL         string
	Key         []byte                // the Ed25519 seed of the application
	ID          snowflake.Interaction // of the PING
	Token       string                // of the PING; no route accepts it
}

// Format writes the application for every verb. It never writes the key or the token.
func (p Probe) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "probe of application %v", p.Application) // fmt.State reports no errors
}

// Step is a step of the PING handshake.
type Step uint8

// The steps, in their order.
const (
	ValidSignature Step = iota + 1 // expects 200 and a PONG
	WrongSignature                 // expects 401
)

// String describes the step.
func (s Step) String() string {
	if s == WrongSignature {
		return "a PING with a wrong signature"
	}
	return "a PING with a valid signature"
}

// VerifyError is a handshake that failed.
type VerifyError struct {
	Step Step
	Err  error // as Deliver returns it
}

// Error returns the step and its error.
func (e *VerifyError) Error() string { return fmt.Sprintf("verify endpoint: %v: %v", e.Step, e.Err) }

// Unwrap returns the error of the step.
func (e *VerifyError) Unwrap() error { return e.Err }

// Verify makes the PING handshake with an interactions endpoint: the app must answer a valid signature with a PONG and a
// wrong signature with 401. The wrong signature is well-formed, made by the same key over another body, because some apps answer 400 to malformed
// signatures. The error is a *[VerifyError] if a step failed, and an *[Error] if no request was sent.
func (d *Deliverer) Verify(ctx context.Context, p Probe) error {
	body := interaction.Interaction{ID: p.ID, Application: p.Application, Type: interaction.Ping, Token: p.Token}.AppendJSON(nil)
	return d.handshake(ctx, p, body, pong)
}

// VerifyEvents is Verify for the URL of event webhooks. The app must answer a valid signature with 204 and no body. The ID and
// the Token of the probe are not used.
func (d *Deliverer) VerifyEvents(ctx context.Context, p Probe) error {
	body := append(p.Application.Append([]byte(`{"version":1,"application_id":"`)), `","type":0}`...)
	return d.handshake(ctx, p, body, noContent)
}

// handshake sends a PING twice: with a valid signature, whose answer check verifies, and with a wrong one.
func (d *Deliverer) handshake(ctx context.Context, p Probe, body []byte, check func(*reply) error) error {
	u, err := d.policy.parse(p.URL)
	if err != nil {
		return err
	}
	slot, err := d.capacity.acquire(p.Application)
	if err != nil {
		return err
	}
	defer slot.release()
	began := d.clock.Now()
	r, err := d.ping(ctx, u, p, slot, body, body)
	if err == nil {
		err = check(r)
	}
	if err != nil {
		return &VerifyError{ValidSignature, d.complete(err, r, began)}
	}
	other := append(body[:len(body):len(body)], ' ')
	began = d.clock.Now()
	r, err = d.ping(ctx, u, p, slot, body, other)
	if err == nil && r.status != http.StatusUnauthorized {
		err = &Error{Kind: Status, Status: r.status, Detail: "want 401"}
	}
	if err != nil {
		return &VerifyError{WrongSignature, d.complete(err, r, began)}
	}
	d.circuits.forget(endpoint{p.Application, p.URL})
	return nil
}

// ping posts body with a signature over signed.
func (d *Deliverer) ping(ctx context.Context, u *url.URL, p Probe, slot *slot, body, signed []byte) (*reply, error) {
	key, ok := d.keys.key(p.Key)
	if !ok {
		return nil, errors.New("the key of the application is not an Ed25519 seed")
	}
	now := d.clock.Now()
	return d.post(ctx, &request{
		url: u, signature: sign(key, now, signed), body: body, deadline: now.Add(interaction.Deadline), limit: maxPong, slot: slot,
	})
}

// pong checks the answer to a PING with a valid signature.
func pong(r *reply) error {
	a, err := r.answer()
	if err != nil {
		return err
	}
	if _, err := interaction.ReadCallback(a.Form, interaction.Origin{Type: interaction.Ping}); a.Deferred || err != nil {
		return &Error{Kind: BadContent, Status: r.status, Detail: "something other than a PONG"}
	}
	return nil
}

// noContent checks the answer to a PING of event webhooks with a valid signature.
func noContent(r *reply) error {
	if r.status != http.StatusNoContent {
		return &Error{Kind: Status, Status: r.status, Detail: wantNoContent}
	}
	return nil
}

// wantNoContent is the detail of an error about a status other than 204.
const wantNoContent = "want 204"
