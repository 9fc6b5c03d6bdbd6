package server

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
)

func TestFramesAreShown(t *testing.T) {
	t.Parallel()
	who := session.Who{Application: 7, User: 7}
	sent := frame(who, socket.Sent, []byte(`{"op":0,"t":"INTERACTION_CREATE","d":{"token":"hush"}}`), clock.System{})
	if sent.Kind != devtools.Frame || sent.Method != "sent" || sent.Route != "INTERACTION_CREATE" || sent.Application != 7 || sent.Sent != nil ||
		sent.Received.Body != `{"op":0,"t":"INTERACTION_CREATE","d":{"token":"***"}}` || time.Since(sent.Time) > time.Minute {
		t.Errorf("what was sent is shown as %+v", sent)
	}
	received := frame(session.Who{}, socket.Received, []byte(`{"op":2,"d":{"token":"hush"}}`), clock.System{})
	if received.Method != "received" || received.Status != 2 || received.Received != nil || received.Sent.Body != `{"op":2,"d":{"token":"***"}}` {
		t.Errorf("what was received is shown as %+v", received)
	}
}
