package dev

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/webhook"
)

// DeliveryRecorder delivers interactions and events to apps and records the deliveries. All fields are required.
type DeliveryRecorder struct {
	Deliverer interface {
		dispatch.Deliverer
		Notify(ctx context.Context, v webhook.Delivery) error
	}
	Traffic *Traffic
	Clock   clock.Clock // time of the entries
	Wall    clock.Clock // measures deliveries
}

var _ dispatch.Deliverer = (*DeliveryRecorder)(nil)

// Deliver delivers an interaction and records it. The answer or the error gets the id of the entry.
func (r *DeliveryRecorder) Deliver(ctx context.Context, v webhook.Delivery) (webhook.Answer, error) {
	var answer webhook.Answer
	e, err := r.record(&v, func() (err error) {
		answer, err = r.Deliverer.Deliver(ctx, v)
		return err
	})
	failed, explained := errors.AsType[*webhook.Error](err)
	switch {
	case err != nil:
	case answer.Deferred:
		e.Status = http.StatusAccepted
	default:
		start := bytes.Clone(answer.Body[:min(len(answer.Body), api.MaxCaptured)]) // without the files behind it
		e.received = &api.Content{
			Header: http.Header{"Content-Type": {answer.ContentType}}, Start: start, Size: int64(len(answer.Body)),
		}
	}
	answer.Request = r.Traffic.Record(e)
	if explained {
		logged := *failed
		logged.Request = answer.Request
		return answer, &logged
	}
	return answer, err
}

// Notify posts an event of a type and records it.
func (r *DeliveryRecorder) Notify(ctx context.Context, event string, v webhook.Delivery) error {
	e, err := r.record(&v, func() error { return r.Deliverer.Notify(ctx, v) })
	e.Kind, e.Route = Event, event
	if err == nil {
		e.Status = http.StatusNoContent
	}
	r.Traffic.Record(e)
	return err
}

// record calls send, which sends v, and returns the entry of the delivery.
func (r *DeliveryRecorder) record(v *webhook.Delivery, send func() error) (Entry, error) {
	began, at := r.Wall.Now(), r.Clock.Now().UTC()
	headers := http.Header{"Content-Type": {"application/json"}}
	var valid func() bool
	v.Signed = func(timestamp, signature string) {
		headers["X-Signature-Timestamp"], headers["X-Signature-Ed25519"] = []string{timestamp}, []string{signature}
		valid = sync.OnceValue(func() bool { return isSigned(v.Key, timestamp, signature, v.Body) })
	}
	err := send()
	e := Entry{
		Time: at, Kind: Delivery, Application: v.Application, Interaction: v.Interaction, Method: http.MethodPost, Path: shownURL(v.URL),
		Status: http.StatusOK, TookMS: milliseconds(r.Wall.Now().Sub(began)),
		sent: &api.Content{Header: headers, Start: v.Body, Size: int64(len(v.Body))}, isSigned: valid,
	}
	if failed, explained := errors.AsType[*webhook.Error](err); explained {
		e.Status, e.Error = failed.Status, failed.Explain()
	} else if err != nil {
		e.Status, e.Error = 0, err.Error()
	}
	return e, err
}

// isSigned verifies a signature as an app does. seed is the private key.
func isSigned(seed []byte, timestamp, signature string, body []byte) bool {
	given, err := hex.DecodeString(signature)
	if err != nil || len(seed) != ed25519.SeedSize {
		return false
	}
	key := ed25519.NewKeyFromSeed(seed)[ed25519.SeedSize:] // the public half
	return ed25519.Verify(ed25519.PublicKey(key), append([]byte(timestamp), body...), given)
}

// RecordOutcome records how an interaction ended.
func (a *API) RecordOutcome(e dispatch.Ended) {
	path := e.Path
	if e.Command == command.ChatInput && path != "" {
		path = "/" + path
	}
	a.Traffic.Record(Entry{
		Time: a.Clock.Now().UTC(), Kind: Outcome, Application: e.Application, User: e.User, Interaction: e.Interaction,
		Method: e.Kind, Path: path, Outcome: e.Result, Error: e.Detail, TookMS: milliseconds(e.Took),
	})
}

// shownURL returns the URL of a delivery without its password and its query.
func shownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return clip(u.String())
}
