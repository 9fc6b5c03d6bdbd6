package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// EventStream is the content type of a stream of events.
const EventStream = "text/event-stream"

const (
	// streamWriteTime bounds how long a client may take to read an event.
	streamWriteTime = 10 * time.Second
	// streamPulse is the longest silence on a stream, so that both sides notice when the other is gone.
	streamPulse = 15 * time.Second
)

// Event is an event of a stream. Value is sent as JSON.
type Event struct {
	ID    uint64
	Name  string
	Value any
}

// Stream answers a call with a stream of events. It calls next, which waits for events until its context ends, until next
// returns an error, the client is gone or too slow, its credential ends, or the service stops. When next returns no events, the
// client gets a comment. The client can connect again with Last-Event-Id.
func Stream(c *Call, next func(ctx context.Context) ([]Event, error)) error {
	if err := c.confirm(); err != nil {
		return err
	}
	c.ClearReadTimeout()
	h := c.Header()
	h.Set("Content-Type", EventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	c.WriteHeader(http.StatusOK)
	text, err := []byte("retry: 1000\n\n"), error(nil)
	for err == nil && c.Context().Err() == nil && holds(c) && sendNow(c, text) {
		text, err = nextText(c.Context(), next)
	}
	c.SetWriteTimeout(streamWriteTime) // that of the last event may have passed, and the end of the response is still to be written
	return nil
}

// nextText waits for events and returns their text, or a comment if there are none within streamPulse.
func nextText(ctx context.Context, next func(ctx context.Context) ([]Event, error)) ([]byte, error) {
	ctx, cancel := context.WithTimeout(store.WithWaitBudget(ctx, storeWaitBudget), streamPulse) // a stream outlives an outage
	defer cancel()
	events, err := next(ctx)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return []byte(":\n\n"), nil
	}
	var text []byte
	for _, e := range events {
		data, err := json.Marshal(e.Value, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, "id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Name, data)
	}
	return text, nil
}

// holds reports whether the credential of a call is still valid, so that a stream does not outlive it. An outage of the store ends
// no stream.
func holds(c *Call) bool {
	if c.route.Allow == Everyone {
		return true
	}
	header := c.RequestHeader("Authorization")
	hash := auth.HashOf(header)
	if secret := OperatorSession(c); header == "" && secret != "" {
		hash = auth.Hash(secret)
	}
	ctx, cancel := context.WithTimeout(store.WithWaitBudget(c.Context(), storeWaitBudget), streamPulse)
	defer cancel()
	ok, err := c.h.Tokens.Holds(ctx, hash)
	return ok || err != nil
}

// sendNow sends a part of the response. It returns false when the client is gone or too slow.
func sendNow(c *Call, text []byte) bool {
	c.SetWriteTimeout(streamWriteTime)
	_, err := c.ResponseWriter.Write(text)
	return err == nil && http.NewResponseController(c.ResponseWriter).Flush() == nil
}
