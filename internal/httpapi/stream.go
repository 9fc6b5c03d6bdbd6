package httpapi

import (
	"context"
	"net/http"
	"time"
)

// EventStream is the content type of a stream of events.
const EventStream = "text/event-stream"

// streamWriteTime bounds how long a client may take to read an event.
const streamWriteTime = 10 * time.Second

// Stream answers a call with a stream of events. It calls next, which waits for events and returns their text, until next
// returns an error, the client is gone or too slow, or the service stops. When next returns no text, the client gets a
// comment. The client can connect again with Last-Event-Id.
func Stream(c *Call, next func(ctx context.Context) ([]byte, error)) error {
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
	for err == nil && c.Context().Err() == nil && sendNow(c, text) {
		if text, err = next(c.Context()); len(text) == 0 {
			text = []byte(":\n\n")
		}
	}
	return nil
}

// sendNow sends a part of the response. It returns false when the client is gone or too slow.
func sendNow(c *Call, text []byte) bool {
	c.SetWriteTimeout(streamWriteTime)
	_, err := c.ResponseWriter.Write(text)
	return err == nil && http.NewResponseController(c.ResponseWriter).Flush() == nil
}
