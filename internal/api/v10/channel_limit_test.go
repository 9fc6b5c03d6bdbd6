package v10_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

// TestChannelLimits checks which requests to a channel share a limit: new and edited messages, deletions by the age of the
// message, and all reactions.
func TestChannelLimits(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Routes[ratelimit.ChannelMessagesWrite] = ratelimit.Rule{Limit: 2, Window: 5 * time.Second, Per: ratelimit.PerCallerAndChannel}
	policy.Routes[ratelimit.ChannelReactions] = ratelimit.Rule{Limit: 1, Window: time.Second, Per: ratelimit.PerCallerAndChannel}
	policy.Routes[ratelimit.ChannelMessagesDelete] = ratelimit.Rule{Limit: 3, Window: time.Second, Per: ratelimit.PerCallerAndChannel}
	policy.Routes[ratelimit.ChannelMessagesDeleteNew] = ratelimit.Rule{Limit: 4, Window: time.Second, Per: ratelimit.PerCallerAndChannel}
	policy.Routes[ratelimit.ChannelMessagesDeleteOld] = ratelimit.Rule{Limit: 5, Window: time.Second, Per: ratelimit.PerCallerAndChannel}
	d := openWith(t, policy)
	const all = "/api/v10/channels/900000000000000010/messages"
	const young, recent, old = "/1499742181785600002", "/1499500000000000000", "/1400000000000000000"
	for _, tt := range []struct {
		name, method, path, body string
		limited                  bool
		limit                    string
	}{
		{"a message", "POST", all, `{"content":"hi"}`, false, "2"},
		{"an edit", "PATCH", all + young, `{"content":"hi"}`, false, "2"},
		{"one more message", "POST", all, `{"content":"hi"}`, true, "2"},
		{"a message elsewhere", "POST", "/api/v10/channels/900000000000000099/messages", `{"content":"hi"}`, false, "2"},
		{"a reaction", "PUT", all + young + "/reactions/x/@me", "", false, "1"},
		{"another reaction route", "DELETE", all + recent + "/reactions", "", true, "1"},
		{"a deletion", "DELETE", all + young, "", false, "4"},
		{"a deletion of a recent message", "DELETE", all + recent, "", false, "3"},
		{"a deletion of an old message", "DELETE", all + old, "", false, "5"},
		{"a deletion of no message", "DELETE", all + "/here", "", false, "4"},
	} {
		got := d.ask(t, "person", tt.method, tt.path, tt.body)
		if limit := got.header.Get("X-RateLimit-Limit"); limit != tt.limit || (got.status == 429) != tt.limited {
			t.Errorf("1.6 %s: status %d with the limit %q, want refused %v with %q", tt.name, got.status, limit, tt.limited, tt.limit)
		}
	}
}
