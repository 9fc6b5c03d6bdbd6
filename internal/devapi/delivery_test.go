package devtools_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/webhook"
)

// app answers as it is told.
type app struct{ err error }

func (a app) Deliver(_ context.Context, v webhook.Delivery) (webhook.Answer, error) {
	v.Signed("1767225600", "c0ffee")
	if a.err != nil {
		return webhook.Answer{}, a.err
	}
	return webhook.Answer{ContentType: "application/json", Body: []byte(`{"type":1}`)}, nil
}

// TestDeliveriesAreShownAsSent: a developer checks the signature of what is shown, so that nothing of it may be hidden.
func TestDeliveriesAreShownAsSent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		err    error
		status int
	}{{"answered", nil, 200}, {"failed", errors.New("away"), 0}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var seen devtools.Inspector
			r := &devtools.Recorder{Deliverer: app{tt.err}, Requests: &seen, Clock: clock.System{}, Wall: clock.System{}}
			const body = `{"token":"aW50ZXJhY3Rpb24","type":2}`
			_, err := r.Deliver(t.Context(), webhook.Delivery{URL: "https://user:password@app.example/hook?key=1", Body: []byte(body)})
			if !errors.Is(err, tt.err) {
				t.Fatal(err)
			}
			e := seen.Last(devtools.Filter{}, 1)[0]
			if e.Sent.Body != body || e.Sent.Headers["X-Signature-Timestamp"] != "1767225600" || e.Sent.Headers["X-Signature-Ed25519"] != "c0ffee" {
				t.Errorf("sent %+v", e.Sent)
			}
			if e.Path != "https://app.example/hook" || e.Status != tt.status {
				t.Errorf("to %s, %d", e.Path, e.Status)
			}
		})
	}
}
