package gateway

import (
	"context"
	"errors"
	"sync"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
)

// resumed is the last event of a resume.
var resumed = socket.NewFrame("RESUMED", []byte(`{"_trace":["bellhop"]}`))

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
	err = k.gateway.queues.wait(ctx, ask.Session, func() error {
		if s := k.gateway.index.find(ask.Session); s != nil {
			return k.goOn(ctx, s, principal, seq)
		}
		return k.fetch(ctx, ask.Session, principal, token, seq)
	})
	if errors.Is(err, errForgotten) {
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

// isOf reports whether a session is that of whoever stands behind a token.
func (w *Who) isOf(p oauth.Principal) bool {
	return w.Application == p.Application && (w.Kind == Bot) == (p.Kind == store.BotToken) && (w.Kind == Bot || w.User == p.User)
}

// goOn goes on with a session of this node.
func (k *conn) goOn(ctx context.Context, s *session, p oauth.Principal, seq uint64) error {
	if !s.isOf(p) {
		return errForgotten
	}
	return k.gateway.aside(ctx, s, func() error {
		old, err := s.take(k, seq, resumed)
		if old != nil {
			old.Close(socket.ErrReplaced)
		}
		if err == nil {
			k.gateway.numbers.resumes.WithLabelValues(resumedHere).Inc()
		}
		return err
	})
}

// queues lets those who want to go on with the same session do so one after another. The zero value is ready.
type queues struct {
	mu     sync.Mutex
	last   map[string]chan struct{} // closed when the last one who wants to is done
	coming map[string]struct{}      // sessions that are this node's already, and on their way
}

// comes notes that a session is on its way here, and arrived that it is no longer.
func (q *queues) comes(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.coming == nil {
		q.coming = map[string]struct{}{}
	}
	q.coming[id] = struct{}{}
}

func (q *queues) arrived(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.coming, id)
}

func (q *queues) isComing(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, coming := q.coming[id]
	return coming
}

// wait does something after all who came before have done the same.
func (q *queues) wait(ctx context.Context, id string, do func() error) error {
	done := make(chan struct{})
	q.mu.Lock()
	before := q.last[id]
	if q.last == nil {
		q.last = map[string]chan struct{}{}
	}
	q.last[id] = done
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.last[id] == done {
			delete(q.last, id)
		}
		close(done)
	}()
	if before != nil {
		select {
		case <-before:
		case <-ctx.Done():
			return socket.ErrGone
		}
	}
	return do()
}
