package dev_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/webhook"
)

// app is an app that answers, or fails with err.
type app struct{ err error }

func (a app) Deliver(_ context.Context, v webhook.Delivery) (webhook.Answer, error) {
	v.Signed("1767225600", "c0ffee")
	if a.err != nil {
		return webhook.Answer{}, a.err
	}
	return webhook.Answer{ContentType: "application/json", Body: []byte(`{"type":1}`)}, nil
}

// TestDeliveriesAreNotMasked checks that an entry contains exactly what was signed, so that a developer can check the
// signature.
func TestDeliveriesAreNotMasked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		err    error
		status int
	}{{"answered", nil, 200}, {"failed", errors.New("away"), 0}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var traffic dev.Traffic
			r := &dev.DeliveryRecorder{Deliverer: app{tt.err}, Traffic: &traffic, Clock: clock.System{}, Wall: clock.System{}}
			const body = `{"token":"aW50ZXJhY3Rpb24","type":2}`
			_, err := r.Deliver(t.Context(), webhook.Delivery{URL: "https://user:password@app.example/hook?key=1", Body: []byte(body)})
			if !errors.Is(err, tt.err) {
				t.Fatal(err)
			}
			e := traffic.Last(dev.Filter{}, 1)[0]
			if e.Sent.Body != body || e.Sent.Headers["X-Signature-Timestamp"] != "1767225600" || e.Sent.Headers["X-Signature-Ed25519"] != "c0ffee" {
				t.Errorf("Sent = %+v, want the unmasked delivery", e.Sent)
			}
			if e.Path != "https://app.example/hook" || e.Status != tt.status {
				t.Errorf("Path, Status = %s, %d, want https://app.example/hook, %d", e.Path, e.Status, tt.status)
			}
		})
	}
}

func TestDeliveriesNameTheirInteraction(t *testing.T) {
	t.Parallel()
	var traffic dev.Traffic
	r := &dev.DeliveryRecorder{Deliverer: app{}, Traffic: &traffic, Clock: clock.System{}, Wall: clock.System{}}
	if _, err := r.Deliver(t.Context(), webhook.Delivery{Interaction: 5}); err != nil {
		t.Fatal(err)
	}
	if got := traffic.Last(dev.Filter{}, 1)[0].Interaction; got != 5 {
		t.Errorf("the interaction of the entry is %d, want 5", got)
	}
}
