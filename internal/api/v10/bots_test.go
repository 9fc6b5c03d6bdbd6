package v10_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

// TestBotEditLimits checks that a new username and a new avatar of a bot are refused as members of the body above their limits. A name
// that stays does not count.
func TestBotEditLimits(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	once := ratelimit.Rule{Limit: 1, Window: time.Hour, Per: ratelimit.PerCaller}
	policy.Routes[ratelimit.UsersRename], policy.Routes[ratelimit.UsersAvatar] = once, once
	d := openWith(t, policy)
	for _, tt := range []struct {
		name, body string
		code       string // empty: it succeeds
	}{
		{"a name", `{"username":"One"}`, ""},
		{"the same name", `{"username":"One"}`, ""},
		{"an avatar", `{"avatar":"` + dot + `"}`, ""},
		{"another name", `{"username":"Two"}`, `"username":{"_errors":[{"code":"USERNAME_RATE_LIMIT"`},
		{"another avatar", `{"avatar":"` + dot + `"}`, `"avatar":{"_errors":[{"code":"AVATAR_RATE_LIMIT"`},
		{"no avatar", `{"avatar":null}`, ""},
	} {
		got := d.ask(t, "bot", http.MethodPatch, "/api/v10/users/@me", tt.body)
		switch {
		case tt.code == "" && got.status != http.StatusOK:
			t.Errorf("%s: %d %s, want 200", tt.name, got.status, got.body)
		case tt.code != "" && (got.status != http.StatusBadRequest || !strings.Contains(got.body, tt.code)):
			t.Errorf("%s: %d %s, want 400 with %s", tt.name, got.status, got.body, tt.code)
		}
	}
}

// TestNoMutualGuilds checks that a bot writes to a user only if they share a guild, or if the user has installed the application.
func TestNoMutualGuilds(t *testing.T) {
	t.Parallel()
	d := open(t)
	const user, app = "700000000000000002", "1300000000000000002"
	var channel struct {
		ID string `json:"id"`
	}
	got := d.ask(t, "other", http.MethodPost, "/api/v10/users/@me/channels", `{"recipient_id":"`+user+`"}`)
	if err := json.Unmarshal([]byte(got.body), &channel); err != nil || got.status != http.StatusOK {
		t.Fatalf("the channel: %d %s, %v", got.status, got.body, err)
	}
	send := func(when string, status int, code string) {
		t.Helper()
		got := d.ask(t, "other", http.MethodPost, "/api/v10/channels/"+channel.ID+"/messages", `{"content":"hi"}`)
		if got.status != status || !strings.Contains(got.body, code) {
			t.Errorf("%s: %d %s, want %d with %s", when, got.status, got.body, status, code)
		}
	}
	send("without a guild", http.StatusForbidden, `"code":50278`)
	installed := d.ask(t, "admin", http.MethodPut, "/admin/v1/users/"+user+"/installs/"+app, `{}`)
	if installed.status >= 300 {
		t.Fatalf("the install: %d %s", installed.status, installed.body)
	}
	send("installed by the user", http.StatusOK, `"content":"hi"`)
}

// TestBotDeletionIsNotLogged checks that the audit log has an entry about a deleted message of another user if a person deleted it, and
// none if a bot did.
func TestBotDeletionIsNotLogged(t *testing.T) {
	t.Parallel()
	d := open(t)
	const channel, manageMessages = "/api/v10/channels/900000000000000010", "8192"
	const all = channel + "/messages"
	allow := d.ask(t, "person", http.MethodPut, channel+"/permissions/1300000000000000003", `{"type":1,"allow":"`+manageMessages+`"}`)
	if allow.status != http.StatusNoContent {
		t.Fatalf("the permissions of the bot: %d %s", allow.status, allow.body)
	}
	for _, tt := range []struct {
		by      string
		entries int // so far
	}{{"game", 0}, {"person", 1}} {
		var m struct {
			ID string `json:"id"`
		}
		made := d.ask(t, "bob", http.MethodPost, all, `{"content":"spam"}`)
		if err := json.Unmarshal([]byte(made.body), &m); err != nil || made.status != http.StatusOK {
			t.Fatalf("the message: %d %s, %v", made.status, made.body, err)
		}
		if got := d.ask(t, tt.by, http.MethodDelete, all+"/"+m.ID, ""); got.status != http.StatusNoContent {
			t.Fatalf("%s deletes the message: %d %s", tt.by, got.status, got.body)
		}
		log := d.ask(t, "person", http.MethodGet, "/api/v10/guilds/900000000000000001/audit-logs?action_type=72", "")
		if n := strings.Count(log.body, `"action_type":72`); n != tt.entries {
			t.Errorf("after %s deleted a message: %d entries, want %d", tt.by, n, tt.entries)
		}
	}
}
