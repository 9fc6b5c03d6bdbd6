package admin

import (
	"container/list"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Bounds of Health.
const (
	maxHealthApps  = 1000
	maxRecentCalls = 60
)

// Health keeps in memory what this node knows about apps: when an app was last seen, and how its last interactions
// ended. It forgets the app that was seen least recently when there are too many. It is safe for concurrent use. Clock
// and Sessions are required.
type Health struct {
	Clock clock.Clock
	// Sessions returns the number of gateway sessions of an app's bot on this node.
	Sessions func(app snowflake.Application) int
	// Failures returns the failures of the last event webhooks of an app. It may be nil.
	Failures func(ctx context.Context, app snowflake.Application) (store.EventFailures, error)

	mu   sync.Mutex
	apps map[snowflake.Application]*list.Element // of *appHealth
	age  list.List                               // the app with the latest news first
}

// appHealth has the last contact with one app, and how its last interactions ended.
type appHealth struct {
	app    snowflake.Application
	seen   time.Time // zero: never
	recent []EndedInteraction
}

// EndedInteraction is an interaction that got its first answer or failed.
type EndedInteraction struct {
	Time   time.Time `json:"time"` // of the end
	Kind   string    `json:"kind"`
	Result string    `json:"result"`
	Detail string    `json:"detail,omitzero"` // of a failure
	TookMS float64   `json:"took_ms"`
}

// Seen records that an app used the API now.
func (h *Health) Seen(app snowflake.Application) {
	now := h.Clock.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of(app).seen = now
}

// Ended records the end of an interaction. answered says that the app answered it.
func (h *Health) Ended(app snowflake.Application, e EndedInteraction, answered bool) {
	e.Time = h.Clock.Now().UTC()
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.of(app)
	if answered {
		known.seen = e.Time
	}
	if len(known.recent) == maxRecentCalls {
		known.recent = slices.Delete(known.recent, 0, 1)
	}
	known.recent = append(known.recent, e)
}

// Clear forgets all apps.
func (h *Health) Clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.apps = nil
	h.age.Init()
}

// of returns the record of an app as the latest one, and adds it if it is new. The caller holds the lock.
func (h *Health) of(app snowflake.Application) *appHealth {
	if el, known := h.apps[app]; known {
		h.age.MoveToFront(el)
		return el.Value.(*appHealth)
	}
	if h.apps == nil {
		h.apps = map[snowflake.Application]*list.Element{}
	}
	if len(h.apps) == maxHealthApps {
		delete(h.apps, h.age.Remove(h.age.Back()).(*appHealth).app)
	}
	added := &appHealth{app: app}
	h.apps[app] = h.age.PushFront(added)
	return added
}

// healthAnswer is the response of the API about an app.
type healthAnswer struct {
	Now          time.Time          `json:"now"`
	LastSeen     *time.Time         `json:"last_seen"` // null: not since the node started
	Sessions     int                `json:"sessions"`
	Interactions []EndedInteraction `json:"interactions"` // oldest first
	Failures     *eventFailures     `json:"event_failures,omitzero"`
}

// eventFailures says that the last event webhooks of an app failed.
type eventFailures struct {
	Count int       `json:"count"` // in a row; 0: the service has switched them off
	At    time.Time `json:"at"`
	Why   string    `json:"why"`
}

// answer returns what is known about an app. An app with a gateway session is seen now.
func (h *Health) answer(app snowflake.Application) healthAnswer {
	a := healthAnswer{Now: h.Clock.Now().UTC(), Sessions: h.Sessions(app), Interactions: []EndedInteraction{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	if el, known := h.apps[app]; known {
		found := el.Value.(*appHealth)
		a.Interactions = append(a.Interactions, found.recent...)
		if seen := found.seen.UTC(); !seen.IsZero() {
			a.LastSeen = &seen
		}
	}
	if a.Sessions > 0 {
		a.LastSeen = &a.Now
	}
	return a
}

func (a *API) healthRoutes() []api.Route {
	return []api.Route{
		route(auth.OperatorRead, http.MethodGet, "/applications/{application_id}/health", "applications.health",
			"Read when this node last saw an app, its gateway sessions, and how its last interactions ended.",
			"", map[int]string{200: "AppHealth"}, a.health),
	}
}

func (a *API) health(c *api.Call) error {
	app, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	if _, err := a.Directory.Applications.Application(c.Context(), app); err != nil {
		return err
	}
	answer := a.Health.answer(app)
	if a.Health.Failures != nil {
		f, err := a.Health.Failures(c.Context(), app)
		if err != nil {
			return err
		}
		if !f.At.IsZero() {
			answer.Failures = &eventFailures{f.Count, f.At, f.Why}
		}
	}
	return c.Value(http.StatusOK, answer)
}
