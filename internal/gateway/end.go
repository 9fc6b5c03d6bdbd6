package gateway

import (
	"time"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// detach disconnects a closed connection from its session. The session can be resumed within the resume window, unless
// the client ended it or it never got READY.
func (g *Gateway) detach(s *session.Session, k *session.Conn, ended bool) {
	until := g.Clock.Now().Add(g.Settings.ResumeWindow).UnixNano()
	if !s.Detach(k, until) {
		return // the session uses another connection by now
	}
	if ended || s.IsStarting() {
		g.remove(s)
		return
	}
	g.retention.add(s, until)
}

// remove ends a session. It returns its connection, or nil if it has none or had ended before.
func (g *Gateway) remove(s *session.Session) *session.Conn {
	k, first := s.End()
	if first {
		g.statuses.end(s)
		g.index.Remove(s)
		g.connections.changed(s)
		if g.Active != nil && s.Kind == session.User {
			g.Active(s.User)
		}
		g.node.Forget(s)
	}
	return k
}

// release ends a session of this node that another node has now. Its user counts as connected here for a moment longer,
// until the other node has announced the user.
func (g *Gateway) release(s *session.Session) {
	k, first := s.End()
	if !first {
		return
	}
	g.index.CountDeparting(s, 1)
	g.index.Remove(s)
	g.timeouts.add(&departedSession{g, s, g.elapsed() + departureDelay})
	if k != nil {
		k.Close(socket.ErrReplaced)
	}
}

// departureDelay is the time in which another node can announce a user that moved there.
const departureDelay = time.Second

// departedSession is the timeout of a session that moved to another node.
type departedSession struct {
	gateway *Gateway
	session *session.Session
	at      time.Duration
}

func (d *departedSession) deadline() time.Duration { return d.at }

func (d *departedSession) expire() {
	d.gateway.index.CountDeparting(d.session, -1)
	d.gateway.connections.changed(d.session)
	d.gateway.statuses.moved(d.session)
}

// end ends a session and closes its connection.
func (g *Gateway) end(s *session.Session, c *socket.CloseError) {
	if k := g.remove(s); k != nil {
		k.Close(c)
	}
}

// invalidate ends a session and sends Invalid Session (op 9): the client has to identify again.
func (g *Gateway) invalidate(s *session.Session) {
	if k := g.remove(s); k != nil {
		k.ClearSession()
		k.SetDeadline(g.elapsed() + g.Settings.IdentifyTimeout)
		k.SendLast(invalidSession) // events of the session must not follow
	}
}
