package gateway

import (
	"time"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// detach takes a connection that has ended away from its session. The session waits for its client to come back, or ends when
// it is over or never began.
func (g *Gateway) detach(s *session.Session, k *session.Link, over bool) {
	until := g.now().Add(g.Settings.Keep).UnixNano()
	if !s.Part(k, until) {
		return // it goes on with another
	}
	if over || s.IsStarting() {
		g.remove(s)
		return
	}
	g.wheel.add(&waiting{g, s, until})
}

// waiting is a session without a connection on the wheel.
type waiting struct {
	gateway *Gateway
	session *session.Session
	until   int64
}

func (w *waiting) dueAt() int64 { return w.until }

// run ends the session if its client has not come back.
func (w *waiting) run() {
	if w.session.IsAway(w.until) {
		w.gateway.remove(w.session)
	}
}

// remove ends a session for good and returns its connection, nil if it has none or has ended before.
func (g *Gateway) remove(s *session.Session) *session.Link {
	k, first := s.Finish()
	if first {
		g.index.Exit(s)
		g.presence.changed(s)
		g.node.Drop(s)
	}
	return k
}

// lose ends a session here that goes on at another node. Its person counts as being here until that node has had the time to
// say that the person is there.
func (g *Gateway) lose(s *session.Session) {
	k, first := s.Finish()
	if !first {
		return
	}
	g.index.Depart(s, 1)
	g.index.Exit(s)
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
	session *session.Session
	at      int64
}

func (d *departure) dueAt() int64 { return d.at }

func (d *departure) run() {
	d.gateway.index.Depart(d.session, -1)
	d.gateway.presence.changed(d.session)
}

// end ends a session and closes its connection.
func (g *Gateway) end(s *session.Session, c *socket.CloseError) {
	if k := g.remove(s); k != nil {
		k.Close(c)
	}
}

// invalidate ends a session whose client has to identify again.
func (g *Gateway) invalidate(s *session.Session) {
	if k := g.remove(s); k != nil {
		k.Forget()
		k.Await(g.now().Add(g.Settings.Identify))
		k.Say(invalidSession)
	}
}
