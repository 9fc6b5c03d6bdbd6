package dev_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

func TestRecordFrame(t *testing.T) {
	t.Parallel()
	a := &dev.API{Clock: clock.NewMovable(clock.System{})}
	last := func() dev.Entry { return a.Traffic.Last(dev.Filter{}, 1)[0] }
	a.RecordFrame(session.Owner{Application: 7, User: 7}, socket.Sent, []byte(`{"op":0,"t":"INTERACTION_CREATE","d":{"token":"hush"}}`))
	if e := last(); e.Kind != dev.Frame || e.Method != "sent" || e.Route != "INTERACTION_CREATE" || e.Application != 7 || e.Sent != nil ||
		e.Received.Body != `{"op":0,"t":"INTERACTION_CREATE","d":{"token":"***"}}` || time.Since(e.Time) > time.Minute {
		t.Errorf("a sent payload is recorded as %+v", e)
	}
	a.RecordFrame(session.Owner{}, socket.Received, []byte(`{"op":2,"d":{"token":"hush"}}`))
	if e := last(); e.Method != "received" || e.Status != 2 || e.Received != nil || e.Sent.Body != `{"op":2,"d":{"token":"***"}}` {
		t.Errorf("a received payload is recorded as %+v", e)
	}
}

func TestFramesNameTheirInteraction(t *testing.T) {
	t.Parallel()
	a := &dev.API{Clock: clock.NewMovable(clock.System{})}
	for frame, want := range map[string]snowflake.Interaction{
		`{"op":0,"t":"INTERACTION_CREATE","d":{"id":"5"}}`:                               5,
		`{"op":0,"t":"INTERACTION_SUCCESS","d":{"id":"6","nonce":"1"}}`:                  6,
		`{"op":0,"t":"MESSAGE_CREATE","d":{"id":"1","interaction_metadata":{"id":"7"}}}`: 7,
		`{"op":0,"t":"MESSAGE_CREATE","d":{"id":"1"}}`:                                   0,
		`{"op":0,"t":"GUILD_CREATE","d":{"id":"8"}}`:                                     0,
		`{"op":1,"d":3}`: 0,
	} {
		a.RecordFrame(session.Owner{}, socket.Sent, []byte(frame))
		if got := a.Traffic.Last(dev.Filter{}, 1)[0].Interaction; got != want {
			t.Errorf("the interaction of %s is %d, want %d", frame, got, want)
		}
	}
}
