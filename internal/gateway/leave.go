package gateway

import (
	"time"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// detach takes a socket that has ended away from its session. The session waits for its client to come back, or ends when
// it is over or never began.
func (g *Gateway) detach(s *session, k *conn, over bool) {
	until := g.now().Add(g.Settings.Keep).UnixNano()
	if !s.part(k, until) {
		return // it goes on with another
	}
	if over || s.isStarting() {
		g.remove(s)
		return
	}
	g.wheel.add(&waiting{g, s, until})
}

// waiting is a session without a socket on the wheel.
type waiting struct {
	gateway *Gateway
	session *session
	until   int64
}

func (w *waiting) dueAt() int64 { return w.until }

// run ends the session if its client has not come back.
func (w *waiting) run() {
	if w.session.isAway(w.until) {
		w.gateway.remove(w.session)
	}
}

// remove ends a session for good and returns its socket, nil if it has none or has ended before.
func (g *Gateway) remove(s *session) *conn {
	k, first := s.finish()
	if first {
		g.index.exit(s)
		g.presence.changed(s)
		g.keeper.drop(s)
	}
	return k
}

// lose ends a session here that goes on at another node. Its person counts as being here until that node has had the time to
// say that the person is there.
func (g *Gateway) lose(s *session) {
	k, first := s.finish()
	if !first {
		return
	}
	g.index.depart(s, 1)
	g.index.exit(s)
	g.wheel.add(&departure{g, s, g.now().Add(departAfter).UnixNano()})
	if k != nil {
		k.Close(socket.ErrReplaced)
	}
}

// departAfter is how long another node has to say that somebody came to it.
const departAfter = time.Second

// departure is a session on the wheel that went to another node.
type departure struct {
	gateway *Gateway
	session *session
	at      int64
}

func (d *departure) dueAt() int64 { return d.at }

func (d *departure) run() {
	d.gateway.index.depart(d.session, -1)
	d.gateway.presence.changed(d.session)
}

// end ends a session and closes its socket.
func (g *Gateway) end(s *session, c *socket.CloseError) {
	if k := g.remove(s); k != nil {
		k.Close(c)
	}
}

// invalidate ends a session whose client has to identify again.
func (g *Gateway) invalidate(s *session) {
	if k := g.remove(s); k != nil {
		k.session.Store(nil)
		k.heard(g.Settings.Identify)
		k.Say(invalidSession)
	}
}

func (s *session) isStarting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == starting
}

// isAway reports whether the client has been away since it was to come back by the given moment.
func (s *session) isAway(until int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.socket == nil && s.expires == until
}

// isAlone reports whether the session has no client at the moment.
func (s *session) isAlone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.socket == nil
}
