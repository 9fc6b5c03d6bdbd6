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

// app is the application's own side: it takes interactions over HTTP, checks their signatures and keeps the last one.
type app struct {
	key    ed25519.PublicKey
	server *http.Server
	done   chan struct{}
	old    string // where interactions were posted before the run

	mu   sync.Mutex
	last obj
}

// maxInteraction is how much of a request is read.
const maxInteraction = 1 << 20

// ServeHTTP takes an interaction and answers it: a PING by type 1, a request for suggestions by none, anything else by a
// message.
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
	answer := `{"type":4,"data":{"content":"conforming"}}`
	switch in["type"] {
	case 1.0:
		answer = `{"type":1}`
	case 4.0:
		answer = `{"type":8,"data":{"choices":[]}}`
	}
	a.mu.Lock()
	a.last = in
	a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer) // a service that is gone gets no answer
}

// heard returns the interaction that came last, and forgets it.
func (a *app) heard() obj {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := a.last
	a.last = nil
	return last
}

// listen makes the run the application's endpoint, until the run ends.
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
	a := &app{key: key, done: make(chan struct{}), old: self.InteractionsEndpointURL}
	a.server = &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(a.done)
		_ = a.server.Serve(ln) // ends when it is closed
	}()
	s.app = a
	_, err = s.bot.SetInteractionsEndpoint(ctx, "http://"+ln.Addr().String())
	return a, err
}

// hangUp gives the application the endpoint back that it had.
func (s *session) hangUp(ctx context.Context) error {
	if s.app == nil {
		return nil
	}
	_, err := s.bot.SetInteractionsEndpoint(ctx, s.app.old)
	_ = s.app.server.Close() // nothing is under way any more
	<-s.app.done
	return err
}
