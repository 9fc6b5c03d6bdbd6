package admin

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/hooks"
)

func (a *API) hookRoutes() []api.Route {
	return []api.Route{
		route(auth.OperatorRead, http.MethodGet, "/hooks", "hooks.list",
			"List the hooks of this node, how their last calls ended, and the key that verifies calls over HTTP.",
			"", map[int]string{200: "Hooks"}, a.listHooks),
	}
}

// shownHooks is the response.
type shownHooks struct {
	VerifyKey *string     `json:"verify_key"` // in hexadecimal; null: there are no hooks over HTTP
	Hooks     []shownHook `json:"hooks"`
}

// shownHook is a hook in the response.
type shownHook struct {
	Name        string       `json:"name"`
	URL         *string      `json:"url"` // null: the hook is part of the program
	Before      []string     `json:"before"`
	After       []string     `json:"after"`
	TimeoutMS   int64        `json:"timeout_ms"`
	Fail        string       `json:"fail"`
	Failures    int          `json:"failures"` // consecutive
	LastFailure *hookFailure `json:"last_failure"`
	LastSuccess *time.Time   `json:"last_success"`
}

// hookFailure is the last failed call of a hook.
type hookFailure struct {
	Time   time.Time `json:"time"`
	Reason string    `json:"reason"`
}

func (a *API) listHooks(c *api.Call) error {
	key, err := a.Hooks.VerifyKey(c.Context())
	if err != nil {
		return err
	}
	answer := shownHooks{Hooks: []shownHook{}}
	if key != "" {
		answer.VerifyKey = &key
	}
	for _, s := range a.Hooks.Status() {
		answer.Hooks = append(answer.Hooks, showHook(s))
	}
	return c.Value(http.StatusOK, answer)
}

func showHook(s hooks.Status) shownHook {
	h := shownHook{
		Name: s.Name, Before: orEmpty(s.Before), After: orEmpty(s.After), TimeoutMS: s.Timeout.Milliseconds(), Fail: "closed", Failures: s.Failures,
	}
	if s.URL != "" {
		h.URL = &s.URL
	}
	if s.FailOpen {
		h.Fail = "open"
	}
	if !s.Failed.IsZero() {
		h.LastFailure = &hookFailure{s.Failed.UTC(), s.Failure}
	}
	if worked := s.Worked.UTC(); !s.Worked.IsZero() {
		h.LastSuccess = &worked
	}
	return h
}

// orEmpty returns a list that is [] in JSON if it is empty.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
