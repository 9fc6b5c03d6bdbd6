package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Post is a signed request that is no interaction, such as the call of a hook or the event of an application.
type Post struct {
	Application snowflake.Application // whose share of the capacity counts; 0: the service itself
	URL         string
	Key         []byte // the Ed25519 seed that signs
	Body        []byte // JSON; must not be changed, even after the call
	Deadline    time.Time
	MaxAnswer   int    // largest body of a response with status 200, in bytes; 0: that of the policy
	Agent       string // the User-Agent header
}

// Format writes the application for every verb. It never writes the key or the body.
func (p Post) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "post for application %v", p.Application) // fmt.State reports no errors
}

// LogValue returns the application. It never contains the key or the body.
func (p Post) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(p)) }

// Response is the response to a Post.
type Response struct {
	Status int
	Body   []byte // of a response with status 200
}

// errKey says that a key is not an Ed25519 seed.
var errKey = errors.New("webhook: the key is not an Ed25519 seed")

// Send sends a post once and returns the response, whatever its status is. The error is an *[Error] if there is no response,
// [ErrClosed] if d is closed, and otherwise wraps the cause of the end of ctx. A post is not part of the circuits: its sender
// has pauses of its own.
func (d *Deliverer) Send(ctx context.Context, p Post) (Response, error) {
	u, err := d.policy.parse(p.URL)
	if err != nil {
		return Response{}, err
	}
	key, ok := d.keys.key(p.Key)
	if !ok {
		return Response{}, errKey
	}
	slot, err := d.capacity.acquire(p.Application)
	if err != nil {
		return Response{}, err
	}
	defer slot.release()
	limit := d.policy.MaxAnswer
	if p.MaxAnswer > 0 {
		limit = min(limit, p.MaxAnswer)
	}
	began := d.clock.Now()
	if !began.Before(p.Deadline) {
		return Response{}, &Error{Kind: Timeout, Detail: "the deadline passed before the request was sent"}
	}
	r, err := d.post(ctx, &request{
		url: u, signature: sign(key, began, p.Body), body: p.Body, deadline: p.Deadline, limit: limit, slot: slot, agent: p.Agent, span: "post",
	})
	if err == nil && r.encoded {
		err = &Error{Kind: BadContent, Status: r.status, Detail: "an unrequested content encoding"}
	}
	if err != nil {
		return Response{}, d.complete(err, r, began)
	}
	return Response{Status: r.status, Body: r.content()}, nil
}

// content returns the body of a response with status 200. Of others, only the beginning was read.
func (r *reply) content() []byte {
	if r.status == 200 {
		return r.body
	}
	return nil
}
