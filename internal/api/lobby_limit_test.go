package api_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

// TestLobbyLimits holds the figures of the specification: one request more is refused.
func TestLobbyLimits(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Application, policy.User = ratelimit.Rule{}, ratelimit.Rule{} // the limits on everything come earlier
	d := openWith(t, policy)
	for _, tt := range []struct {
		as, method, path, body string
		limit, window          int // the window in seconds
	}{
		{"bot", "GET", "/lobbies/1", "", 500, 10},
		{"bot", "DELETE", "/lobbies/1", "", 500, 10},
		{"bot", "POST", "/lobbies", `{"flags":2}`, 500, 10},
		{"bot", "PUT", "/lobbies/1/members/1", `{"flags":2}`, 5000, 10},
		{"bot", "DELETE", "/lobbies/x/members/1", "", 5000, 10},
		{"ada", "PUT", "/lobbies", `{"secret":""}`, 10, 60},
		{"ada", "POST", "/lobbies/1/messages", `{}`, 3000, 7200},
	} {
		for i := range tt.limit {
			if got := d.ask(t, tt.as, tt.method, "/api/v10"+tt.path, tt.body); got.status == http.StatusTooManyRequests {
				t.Fatalf("%s %s: request %d of %d is refused", tt.method, tt.path, i+1, tt.limit)
			}
		}
		got := d.ask(t, tt.as, tt.method, "/api/v10"+tt.path, tt.body)
		wait, err := strconv.Atoi(got.header.Get("Retry-After"))
		if got.status != http.StatusTooManyRequests || err != nil || wait != tt.window {
			t.Errorf("%s %s: request %d is answered %d with Retry-After %q, want 429 and %d",
				tt.method, tt.path, tt.limit+1, got.status, got.header.Get("Retry-After"), tt.window)
		}
	}
	if got := d.ask(t, "player", "PUT", "/api/v10/lobbies", `{"secret":"s"}`); got.status != http.StatusOK {
		t.Errorf("another user is refused too: %d %s", got.status, got.body)
	}
	if got := d.ask(t, "other", "GET", "/api/v10/lobbies/1", ""); got.status != http.StatusNotFound {
		t.Errorf("another application is refused too: %d %s", got.status, got.body)
	}
}
