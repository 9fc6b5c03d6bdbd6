package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/snowflake"
)

// maxPong is how many bytes the answer to a PING may have.
const maxPong = 64 << 10

// Probe asks whether an endpoint is an app that checks signatures.
type Probe struct {
	Application snowflake.Application
	URL         string
	Key         []byte                // the Ed25519 seed of the application
	ID          snowflake.Interaction // of the PING
	Token       string                // of the PING; it opens no route
}

// Format writes whose probe it is under every verb, and nothing of its secrets.
func (p Probe) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "probe of application %v", p.Application) // package fmt keeps the first error itself
}

// Step is a part of the PING handshake.
type Step uint8

// The steps, in their order.
const (
	ValidSignature Step = iota + 1 // wants 200 and a PONG
	WrongSignature                 // wants 401
)

// String returns the words for the step.
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

// Error says which step failed, and how.
func (e *VerifyError) Error() string { return fmt.Sprintf("verify endpoint: %v: %v", e.Step, e.Err) }

// Unwrap returns what befell the step.
func (e *VerifyError) Unwrap() error { return e.Err }

// Verify makes the PING handshake: a valid signature must be answered by a PONG, a wrong one by 401. The wrong one is
// well-formed, over another body by the same key, since some apps answer 400 to others. An error is a *[VerifyError]
// when a step failed, and an *[Error] when none was made.
func (d *Deliverer) Verify(ctx context.Context, p Probe) error {
	u, err := d.policy.parse(p.URL)
	if err != nil {
		return err
	}
	place, err := d.room.enter(p.Application)
	if err != nil {
		return err
	}
	defer place.leave()
	body := interaction.Interaction{ID: p.ID, Application: p.Application, Type: interaction.Ping, Token: p.Token}.AppendJSON(nil)
	r, err := d.ping(ctx, u, p, place, body, body)
	if err == nil {
		err = pong(r)
	}
	if err != nil {
		return &VerifyError{ValidSignature, err}
	}
	other := append(body[:len(body):len(body)], ' ')
	r, err = d.ping(ctx, u, p, place, body, other)
	if err == nil && r.status != http.StatusUnauthorized {
		err = &Error{Kind: Status, Status: r.status, Detail: "want 401"}
	}
	if err != nil {
		return &VerifyError{WrongSignature, err}
	}
	d.circuits.forget(endpoint{p.Application, p.URL})
	return nil
}

// ping posts body with the signature of signed.
func (d *Deliverer) ping(ctx context.Context, u *url.URL, p Probe, place *place, body, signed []byte) (*reply, error) {
	key, ok := d.keys.of(p.Key)
	if !ok {
		return nil, errors.New("the key of the application is no seed")
	}
	now := d.clock.Now()
	return d.post(ctx, &request{
		url: u, seal: sign(key, now, signed), body: body, deadline: now.Add(interaction.Deadline), limit: maxPong, place: place,
	})
}

// pong judges the answer to a valid PING.
func pong(r *reply) error {
	a, err := r.answer()
	if err != nil {
		return err
	}
	if _, err := interaction.ReadCallback(a.Form, interaction.Origin{Type: interaction.Ping}); a.Deferred || err != nil {
		return &Error{Kind: BadContent, Status: r.status, Detail: "it is no PONG"}
	}
	return nil
}
