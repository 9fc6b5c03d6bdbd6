package gateway

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/gateway/resume"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// resume goes on with a session whose socket broke.
func (k *conn) resume(ctx context.Context, p *payload) error {
	var ask struct {
		Token   string  `json:"token"`
		Session string  `json:"session_id"`
		Seq     *uint64 `json:"seq"`
	}
	if err := p.read(&ask); err != nil {
		return err
	}
	principal, token, err := k.gateway.authenticate(ctx, ask.Token)
	if err != nil {
		return err
	}
	var seq uint64
	if ask.Seq != nil {
		seq = *ask.Seq
	}
	err = k.gateway.node.Queue(ctx, ask.Session, func() error {
		if s := k.gateway.index.Find(ask.Session); s != nil {
			return k.goOn(ctx, s, principal, seq)
		}
		return k.fetch(ctx, resume.Wish{Session: ask.Session, Principal: principal, Token: token, Seq: seq})
	})
	if errors.Is(err, session.ErrForgotten) {
		k.gateway.numbers.resumes.WithLabelValues(resumedNot).Inc()
		k.Say(invalidSession)
		return nil
	}
	if err != nil {
		return err
	}
	k.heard(k.gateway.patience())
	return nil
}

// goOn goes on with a session of this node.
func (k *conn) goOn(ctx context.Context, s *session.Session, p auth.Principal, seq uint64) error {
	if !s.IsOf(p) {
		return session.ErrForgotten
	}
	return k.gateway.node.Aside(ctx, s, func() error {
		old, err := s.Take(&k.Link, seq, k.gateway.now().UnixNano(), k.gateway.bounds)
		if old != nil {
			old.Close(socket.ErrReplaced)
		}
		if err == nil {
			k.gateway.numbers.resumes.WithLabelValues(resumedHere).Inc()
		}
		return err
	})
}

// fetch goes on with a session of another node, or of one that has ended.
func (k *conn) fetch(ctx context.Context, w resume.Wish) error {
	g := k.gateway
	s, given, err := g.node.Fetch(ctx, &k.Link, w)
	if err != nil {
		return err
	}
	how := resumedCounted
	if given {
		how = resumedGiven
	}
	g.numbers.resumes.WithLabelValues(how).Inc()
	g.presence.changed(s)
	return nil
}
