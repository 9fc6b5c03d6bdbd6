package api_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
)

// sharedStore is a store that other nodes write to.
type sharedStore struct{ store.Store }

func (sharedStore) Shared() bool                  { return true }
func (sharedStore) Subscribe(func(*store.Change)) {}

// TestOutdatedDecision serves a request again, with the same body, when its decision was based on outdated states.
func TestOutdatedDecision(t *testing.T) {
	t.Parallel()
	var bodies []string
	var budget time.Duration
	policy := ratelimit.Off()
	db := sharedStore{}
	h := api.New(api.Config{
		Store: db, Cache: cache.New(db, 1<<20),
		Clock: clock.System{}, Wall: clock.System{}, Metrics: metrics.New("test"), Log: slog.New(slog.DiscardHandler), Version: "test",
		Limits: api.Limits{
			Edge: ratelimit.NewEdge(policy.Edge, time.Now()), Gate: ratelimit.NewGate(policy.Gate), Guard: ratelimit.Guard{Policy: &policy},
		},
	}, []api.Route{{
		Method: http.MethodPost, Path: "/items", Name: "items.create", Doc: "Test.", Allow: api.Clients, Decides: true,
		Answer: map[int]string{204: ""},
		Handle: func(c *api.Call) error {
			budget = store.WaitBudget(context.WithoutCancel(c.Context()), time.Hour)
			body, err := c.ReadBody(64)
			if bodies = append(bodies, string(body)); len(bodies) < 3 {
				err = fmt.Errorf("create: %w", cache.ErrOutdated)
			}
			return c.NoContent(err)
		},
	}})
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/api/v10/items", strings.NewReader("{}")))
	if answer.Code != http.StatusNoContent || fmt.Sprint(bodies) != "[{} {} {}]" {
		t.Errorf("POST = %d with bodies %v, want 204 after three runs with the same body", answer.Code, bodies)
	}
	if budget <= 0 || budget >= 3*time.Second {
		t.Errorf("the calls of a request wait up to %v for the store, want less than 3 s", budget)
	}
}
