package v10_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/go-json-experiment/json"
)

// TestLobbyLimits checks the rate limits of the specification in the headers of a response. It reaches the limits up to 500:
// one request more is refused.
func TestLobbyLimits(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Application, policy.User = ratelimit.Rule{}, ratelimit.Rule{} // the global limits are lower
	d := openWith(t, policy)
	for _, tt := range []struct {
		as, method, path, body string
		limit, window          int // window in seconds
	}{
		{"bot", "GET", "/lobbies/1", "", 500, 10},
		{"bot", "DELETE", "/lobbies/1", "", 500, 10},
		{"bot", "POST", "/lobbies", `{"flags":2}`, 500, 10},
		{"bot", "PUT", "/lobbies/1/members/1", `{"flags":2}`, 5000, 10},
		{"bot", "DELETE", "/lobbies/x/members/1", "", 5000, 10},
		{"ada", "PUT", "/lobbies", `{"secret":""}`, 10, 60},
		{"ada", "POST", "/lobbies/1/messages", `{}`, 3000, 7200},
	} {
		first := d.ask(t, tt.as, tt.method, "/api/v10"+tt.path, tt.body).header
		if first.Get("X-RateLimit-Limit") != strconv.Itoa(tt.limit) || first.Get("X-RateLimit-Reset-After") != fmt.Sprintf("%d.000", tt.window) {
			t.Errorf("%s %s: limit %s, reset after %s, want %d and %d", tt.method, tt.path,
				first.Get("X-RateLimit-Limit"), first.Get("X-RateLimit-Reset-After"), tt.limit, tt.window)
		}
		if tt.limit > 500 {
			continue // thousands of requests take too long
		}
		for i := range tt.limit - 1 {
			if got := d.ask(t, tt.as, tt.method, "/api/v10"+tt.path, tt.body); got.status == http.StatusTooManyRequests {
				t.Fatalf("%s %s: request %d of %d is refused", tt.method, tt.path, i+2, tt.limit)
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

// TestLobbyMaximums fills a lobby, and adds a user to the maximum number of lobbies. One more is refused; a bulk
// request skips the user.
func TestLobbyMaximums(t *testing.T) {
	t.Parallel()
	d := open(t)
	const all, ada = "/api/v10/lobbies", `{"id":"700000000000000001"}`
	ask := func(as, method, path, body string, want int) string {
		t.Helper()
		got := d.ask(t, as, method, path, body)
		if got.status != want {
			t.Fatalf("%s %s: %d %s, want %d", method, path, got.status, got.body, want)
		}
		return got.body
	}
	refused := func(as, method, path, body, what string) {
		t.Helper()
		want := `{"message":"Maximum number of ` + what + ` reached (`
		if got := ask(as, method, path, body, http.StatusBadRequest); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, `"code":30019}`) {
			t.Errorf("%s %s: %s", method, path, got)
		}
	}
	full := all + "/" + strings.Split(ask("bot", "POST", all, "", 201), `"`)[3]
	for i := range lobby.MaxMembers / lobby.MaxPerRequest {
		var list []string
		for j := range lobby.MaxPerRequest {
			list = append(list, fmt.Sprintf(`{"id":"%d"}`, 1000+i*lobby.MaxPerRequest+j))
		}
		ask("bot", "POST", full+"/members/bulk", "["+strings.Join(list, ",")+"]", 200)
	}
	refused("bot", "PUT", full+"/members/700000000000000001", "", "members")
	refused("bot", "POST", full+"/members/bulk", "["+ada+"]", "members")
	for range lobby.MaxLobbiesPerUser {
		ask("bot", "POST", all, `{"members":[`+ada+`]}`, 201)
	}
	refused("bot", "POST", all, `{"members":[`+ada+`]}`, "lobbies")
	refused("ada", "PUT", all, `{"secret":"s"}`, "lobbies")
	more := all + "/" + strings.Split(ask("bot", "POST", all, "", 201), `"`)[3]
	refused("bot", "PATCH", more, `{"members":[`+ada+`]}`, "lobbies")
	refused("bot", "PUT", more+"/members/700000000000000001", "", "lobbies")
	if got := ask("bot", "POST", more+"/members/bulk", `[`+ada+`,{"id":"700000000000000002"}]`, 200); strings.Contains(got, "700000000000000001") || !strings.Contains(got, "700000000000000002") {
		t.Errorf("bulk: %s, want only bob", got)
	}
}

// TestLobbyMessagePages lists more messages than fit on a page: 50 by default, at most 200, newest first.
func TestLobbyMessagePages(t *testing.T) {
	t.Parallel()
	d := open(t)
	made := d.ask(t, "bot", "POST", "/api/v10/lobbies", `{"members":[{"id":"700000000000000001"}]}`)
	path := "/api/v10/lobbies/" + strings.Split(made.body, `"`)[3] + "/messages"
	const said = lobby.MaxMessages + 5
	for i := range said {
		if got := d.ask(t, "ada", "POST", path, fmt.Sprintf(`{"content":"%d"}`, i)); got.status != http.StatusCreated {
			t.Fatalf("message %d: %d %s", i, got.status, got.body)
		}
	}
	for query, want := range map[string]int{"": 50, "?limit=1": 1, "?limit=200": 200} {
		var list []struct {
			Content string `json:"content"`
		}
		if err := json.Unmarshal([]byte(d.ask(t, "ada", "GET", path+query, "").body), &list); err != nil {
			t.Fatal(err)
		}
		if len(list) != want {
			t.Fatalf("%q returns %d messages, want %d", query, len(list), want)
		}
		for i, m := range list {
			if m.Content != strconv.Itoa(said-1-i) {
				t.Fatalf("%q returns %s at index %d", query, m.Content, i)
			}
		}
	}
}
