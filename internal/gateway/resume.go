package gateway

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/gateway/session"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// resume handles Resume (op 6).
func (k *conn) resume(ctx context.Context, p *payload) error {
	var data struct {
		Token   string  `json:"token"`
		Session string  `json:"session_id"`
		Seq     *uint64 `json:"seq"`
	}
	if err := p.read(&data); err != nil {
		return err
	}
	principal, token, err := k.authenticate(ctx, data.Token)
	if err != nil {
		return err
	}
	k.Compress()
	var seq uint64
	if data.Seq != nil {
		seq = *data.Seq
	}
	err = k.gateway.node.Queue(ctx, data.Session, func() error {
		if s := k.gateway.index.Find(data.Session); s != nil {
			return k.resumeLocal(ctx, s, principal, seq)
		}
		return k.restoreSession(ctx, session.ResumeRequest{Session: data.Session, Principal: principal, Token: token, Seq: seq})
	})
	if errors.Is(err, session.ErrNotResumable) {
		k.gateway.counters.resumes.WithLabelValues(resumedNot).Inc()
		k.SendText(invalidSession)
		return nil
	}
	if err != nil {
		return err
	}
	k.extendDeadline(k.gateway.silenceTimeout())
	return nil
}

// resumeLocal resumes a session of this node.
func (k *conn) resumeLocal(ctx context.Context, s *session.Session, p auth.Principal, seq uint64) error {
	if !s.BelongsTo(p) {
		return session.ErrNotResumable
	}
	return k.gateway.node.SendPrivate(ctx, s, func() error {
		old, err := s.Resume(&k.Conn, seq, k.gateway.Clock.Now().UnixNano(), k.gateway.bounds)
		if old != nil {
			old.Close(socket.ErrReplaced)
		}
		if err == nil {
			k.identified()
			k.gateway.counters.resumes.WithLabelValues(resumedHere).Inc()
		}
		return err
	})
}

// restoreSession restores a session of another node, or of a node that has ended.
func (k *conn) restoreSession(ctx context.Context, req session.ResumeRequest) error {
	g := k.gateway
	s, handedOver, err := g.node.Restore(ctx, &k.Conn, req)
	if err != nil {
		return err
	}
	how := resumedCounted
	if handedOver {
		how = resumedHandedOver
	}
	k.identified()
	g.closeOldest(s)
	g.counters.resumes.WithLabelValues(how).Inc()
	g.connections.changed(s)
	g.statuses.restore(s)
	return nil
}
