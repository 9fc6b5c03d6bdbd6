package gateway

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
)

// resumed is the last event of a resume.
var resumed = newFrame("RESUMED", []byte(`{"_trace":["bellhop"]}`))

// resume goes on with a session whose socket broke.
func (k *socket) resume(ctx context.Context, p *payload) error {
	var ask struct {
		Token   string  `json:"token"`
		Session string  `json:"session_id"`
		Seq     *uint64 `json:"seq"`
	}
	if err := p.read(&ask); err != nil {
		return err
	}
	principal, _, err := k.gateway.authenticate(ctx, ask.Token)
	if err != nil {
		return err
	}
	s := k.gateway.index.find(ask.Session)
	if s == nil || s.Application != principal.Application || (s.Kind == Bot) != (principal.Kind == store.BotToken) ||
		s.Kind != Bot && s.User != principal.User {
		k.say(invalidSession)
		return nil
	}
	var seq uint64
	if ask.Seq != nil {
		seq = *ask.Seq
	}
	old, err := s.take(k, seq, resumed)
	if errors.Is(err, errForgotten) {
		k.say(invalidSession)
		return nil
	}
	if err != nil {
		return err
	}
	k.heard(k.gateway.patience())
	if old != nil {
		old.close(errReplaced)
	}
	return nil
}
