package gateway

import "context"

// detach takes a socket that has ended away from its session. The session waits for its client to come back, or ends when
// it is over or never began.
func (g *Gateway) detach(ctx context.Context, s *session, k *socket, over bool) {
	until := g.now().Add(g.Settings.Keep).UnixNano()
	if !s.part(k, until) {
		return // it goes on with another
	}
	g.absent(ctx, s)
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

// remove ends a session for good.
func (g *Gateway) remove(s *session) {
	s.finish()
	g.index.exit(s)
}

// end ends a session and closes its socket.
func (g *Gateway) end(ctx context.Context, s *session, c *closing) {
	k, first := s.finish()
	if !first {
		return
	}
	g.index.exit(s)
	if k != nil {
		g.absent(ctx, s)
		k.close(c)
	}
}

// invalidate ends a session whose client has to identify again.
func (g *Gateway) invalidate(ctx context.Context, s *session) {
	k, first := s.finish()
	if !first {
		return
	}
	g.index.exit(s)
	if k != nil {
		g.absent(ctx, s)
		k.session.Store(nil)
		k.heard(g.Settings.Identify)
		k.say(invalidSession)
	}
}

// present and absent tell that a person's client for an application has come or gone.
func (g *Gateway) present(ctx context.Context, s *session) {
	if s.Kind == Client && g.Arrived != nil {
		g.Arrived(ctx, s.Application, s.User)
	}
}

func (g *Gateway) absent(ctx context.Context, s *session) {
	if s.Kind == Client && g.Left != nil && !g.Connected(s.Application, s.User) {
		g.Left(ctx, s.Application, s.User)
	}
}

func (s *session) isStarting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == starting
}

// isConnected reports whether a client is there that has heard how everything stands.
func (s *session) isConnected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == live && s.socket != nil
}

// isAway reports whether the client has been away since it was to come back by the given moment.
func (s *session) isAway(until int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.socket == nil && s.expires == until
}
