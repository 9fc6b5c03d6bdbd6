package conformance

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// app is the interactions endpoint of the application. It receives interactions over HTTP, verifies their signatures and
// keeps the last one.
type app struct {
	key    ed25519.PublicKey
	server *http.Server
	done   chan struct{}
	oldURL string // the application's endpoint before the run

	mu   sync.Mutex
	last obj
}

// maxInteraction is the largest accepted request body.
const maxInteraction = 1 << 20

// ServeHTTP answers a PING with type 1, an autocomplete interaction with no choices, and other interactions with a message.
func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxInteraction))
	signature, bad := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	if err != nil || bad != nil || !ed25519.Verify(a.key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var in obj
	if json.Unmarshal(body, &in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	response := `{"type":4,"data":{"content":"conforming"}}`
	switch in["type"] {
	case 1.0:
		response = `{"type":1}`
	case 4.0:
		response = `{"type":8,"data":{"choices":[]}}`
	}
	a.mu.Lock()
	a.last = in
	a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, response) // the service may have closed the connection
}

// takeInteraction returns and clears the last interaction. It returns nil if there was none.
func (a *app) takeInteraction() obj {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := a.last
	a.last = nil
	return last
}

// listen starts the endpoint and registers it with the application, unless an earlier check did. The endpoint stays until
// the end of the run.
func (s *session) listen(ctx context.Context) (*app, error) {
	if s.app != nil {
		return s.app, nil
	}
	self, err := s.bot.Application(ctx)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(self.VerifyKey)
	if err != nil {
		return nil, err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a := &app{key: key, done: make(chan struct{}), oldURL: self.InteractionsEndpointURL}
	a.server = &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(a.done)
		_ = a.server.Serve(ln) // returns when the server is closed
	}()
	s.app = a
	_, err = s.bot.SetInteractionsEndpoint(ctx, "http://"+ln.Addr().String())
	return a, err
}

// restoreEndpoint registers the application's former endpoint and stops the server of this run.
func (s *session) restoreEndpoint(ctx context.Context) error {
	if s.app == nil {
		return nil
	}
	_, err := s.bot.SetInteractionsEndpoint(ctx, s.app.oldURL)
	_ = s.app.server.Close() // no request is running
	<-s.app.done
	return err
}
