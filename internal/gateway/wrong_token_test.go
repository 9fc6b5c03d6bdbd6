package gateway_test

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
)

// TestWrongTokensCountLikeHTTP checks that wrong tokens of Identify and Resume are counted for the address, block it for other
// wrong tokens, and are in the audit log.
func TestWrongTokensCountLikeHTTP(t *testing.T) {
	t.Parallel()
	var edge *ratelimit.Edge
	log := &audit.Log{Logger: slog.New(slog.DiscardHandler)}
	s := openOn(t, func(db store.Store) store.Store { log.Store = db; return db }, func(cfg *gateway.Config) {
		edge = ratelimit.NewEdge(ratelimit.EdgeRule{Invalid: 4, Window: 1 << 40, Block: 1 << 40}, cfg.Clock.Now())
		cfg.Edge, cfg.Audit = edge, log
		log.Clock, log.Wall, log.IDs = cfg.Clock, clock.System{}, store.NewIDs(1, cfg.Clock.Now, cfg.Clock.Now())
	})
	send := func(text string, want int) {
		t.Helper()
		c := s.connect(t, usual)
		c.send(text)
		if got := c.closed(); got != want {
			t.Errorf("%s: closed with %d, want %d", text, got, want)
		}
	}
	const wrong = `{"op":2,"d":{"token":"wrong-%d","properties":{},"intents":0}}`
	for i := range 2 {
		send(fmt.Sprintf(wrong, i), 4004)
		send(fmt.Sprintf(`{"op":6,"d":{"token":"Bot wrong-%d","session_id":"x","seq":1}}`, i), 4004)
	}
	send(fmt.Sprintf(wrong, 9), 4008)
	send(`{"op":6,"d":{"token":"wrong","session_id":"x","seq":1}}`, 4008)
	s.login(t, "bot-echo", 0) // a valid token of the same address
	var list []store.AuditEntry
	if err := s.store.Read(t.Context(), func(r store.Reader) (err error) {
		list, err = r.Audit.List(store.AuditFilter{Action: "gateway.signin_failed"}, 10)
		return err
	}); err != nil || len(list) != 4 || list[0].Address != "127.0.0.1" {
		t.Errorf("entries in the audit log: %+v, %v, want 4 with the address", list, err)
	}
}
