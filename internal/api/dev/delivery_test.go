package dev_test

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/go-json-experiment/json"
)

var seed = make([]byte, ed25519.SeedSize)

// app is an app that answers, or fails with err.
type app struct{ err error }

func (a app) Deliver(_ context.Context, v webhook.Delivery) (webhook.Answer, error) {
	key := ed25519.NewKeyFromSeed(seed)
	v.Signed("1767225600", hex.EncodeToString(ed25519.Sign(key, append([]byte("1767225600"), v.Body...))))
	if a.err != nil {
		return webhook.Answer{}, a.err
	}
	return webhook.Answer{ContentType: "application/json", Body: []byte(`{"type":1}`)}, nil
}

// Notify acknowledges an event as Deliver answers.
func (a app) Notify(ctx context.Context, v webhook.Delivery) error {
	_, err := a.Deliver(ctx, v)
	return err
}

// TestDeliveriesAreMasked checks that an entry does not show the token of the interaction, and that it has the verdict
// on the signature of the body that was sent.
func TestDeliveriesAreMasked(t *testing.T) {
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
			_, err := r.Deliver(t.Context(), webhook.Delivery{URL: "https://user:password@app.example/hook?key=1", Key: seed, Body: []byte(body)})
			if !errors.Is(err, tt.err) {
				t.Fatal(err)
			}
			e := traffic.Last(dev.Filter{}, 1)[0]
			const want = `{"token":"***","type":2}`
			if e.Sent.Body != want || e.Sent.Headers["X-Signature-Timestamp"] != "1767225600" || len(e.Sent.Headers["X-Signature-Ed25519"]) != 128 {
				t.Errorf("Sent = %+v, want the body %s and the headers of the signature", e.Sent, want)
			}
			if e.SignatureValid == nil || !*e.SignatureValid {
				t.Errorf("SignatureValid = %v, want true", e.SignatureValid)
			}
			if shown, err := json.Marshal(e); err != nil || strings.Contains(string(shown), "aW50ZXJhY3Rpb24") {
				t.Errorf("the entry shows the token: %s, %v", shown, err)
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
