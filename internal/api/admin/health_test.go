package admin

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/snowflake"
)

// newHealth returns an empty Health at a fixed time, and a function that sets the number of sessions.
func newHealth() (h *Health, now *clock.Movable, setSessions func(int)) {
	now = clock.NewMovable(clock.System{})
	sessions := 0
	h = &Health{Clock: now, Sessions: func(snowflake.Application) int { return sessions }}
	return h, now, func(n int) { sessions = n }
}

func TestHealthLastSeen(t *testing.T) {
	t.Parallel()
	h, _, setSessions := newHealth()
	if got := h.answer(1); got.LastSeen != nil || got.Interactions == nil {
		t.Errorf("answer() of an unknown app = %+v, want no time and an empty list", got)
	}
	h.Ended(1, EndedInteraction{Result: "failed"}, false)
	if got := h.answer(1).LastSeen; got != nil {
		t.Errorf("last seen %v after a failure, want never", got)
	}
	h.Ended(1, EndedInteraction{Result: "answered"}, true)
	if h.answer(1).LastSeen == nil {
		t.Error("last seen never after an answer")
	}
	h.Clear()
	if got := h.answer(1); got.LastSeen != nil || len(got.Interactions) != 0 {
		t.Errorf("answer() after Clear() = %+v, want nothing", got)
	}
	h.Seen(1)
	if h.answer(1).LastSeen == nil {
		t.Error("last seen never after a request")
	}
	setSessions(2)
	if got := h.answer(2); got.Sessions != 2 || got.LastSeen == nil || !got.LastSeen.Equal(got.Now) {
		t.Errorf("answer() with two sessions = %+v, want seen now", got)
	}
}

// TestHealthBounds checks that Health keeps the last interactions of an app, and the apps with the latest news.
func TestHealthBounds(t *testing.T) {
	t.Parallel()
	h, now, _ := newHealth()
	h.Seen(1)
	for range maxRecentCalls + 5 {
		now.Advance(time.Second)
		h.Ended(2, EndedInteraction{Result: "answered"}, true)
	}
	got := h.answer(2)
	if len(got.Interactions) != maxRecentCalls || !got.Interactions[maxRecentCalls-1].Time.Equal(*got.LastSeen) {
		t.Errorf("%d interactions, the last at %v, want the last %d", len(got.Interactions), got.LastSeen, maxRecentCalls)
	}
	for id := range snowflake.Application(maxHealthApps) {
		h.Seen(1000 + id)
		h.Seen(2)
	}
	if h.answer(1).LastSeen != nil {
		t.Error("an app without news is kept")
	}
	if len(h.answer(2).Interactions) != maxRecentCalls {
		t.Error("an app with news is forgotten")
	}
	if len(h.apps) != maxHealthApps || h.age.Len() != maxHealthApps {
		t.Errorf("%d apps in the map and %d in the list, want %d", len(h.apps), h.age.Len(), maxHealthApps)
	}
}
