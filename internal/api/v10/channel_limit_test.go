package v10_test

import (
	"encoding/json"
	"fmt"
	"strings"
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

// TestHiddenLimits checks the limits that no header announces: each has a code of its own, and the headers are those of the route.
func TestHiddenLimits(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	once := func(per ratelimit.Per) ratelimit.Rule { return ratelimit.Rule{Limit: 1, Window: time.Minute, Per: per} }
	policy.Routes[ratelimit.ChannelMessagesEditOld] = once(ratelimit.PerCallerAndChannel)
	policy.Routes[ratelimit.ChannelMessagesEditPublished] = once(ratelimit.PerCallerAndChannel)
	policy.Routes[ratelimit.ChannelsRename] = once(ratelimit.PerChannel)
	policy.Routes[ratelimit.ChannelWebhooks] = once(ratelimit.PerChannel)
	policy.Routes[ratelimit.DirectOpen] = once(ratelimit.PerUser)
	policy.Routes[ratelimit.ChannelMessagesBulkDelete] = once(ratelimit.PerCallerAndGuild)
	d := openWith(t, policy)
	made := func(path, body string, fields ...string) (values []string) {
		got := d.ask(t, "person", "POST", path, body)
		var object map[string]any
		if err := json.Unmarshal([]byte(got.body), &object); err != nil || got.status >= 300 {
			t.Fatalf("POST %s: status %d with %s, %v", path, got.status, got.body, err)
		}
		for _, name := range fields {
			values = append(values, fmt.Sprint(object[name]))
		}
		return values
	}
	const general, old, open = "/api/v10/channels/900000000000000010", "/messages/1400000000000000000", "/api/v10/users/@me/channels"
	news := "/api/v10/channels/" + made("/api/v10/guilds/900000000000000001/channels", `{"name":"news","type":5}`, "id")[0]
	published := news + "/messages/" + made(news+"/messages", `{"content":"news"}`, "id")[0]
	made(published+"/crosspost", "")
	hooks := [2]string{}
	for i := range hooks {
		hooks[i] = "/api/v10/webhooks/" + strings.Join(made(general+"/webhooks", `{"name":"hook"}`, "id", "token"), "/")
	}
	for _, tt := range []struct {
		name, who, method, path, body string
		code                          string // in the body of the refusal; "": not refused
	}{
		{"an old message", "person", "PATCH", general + old, `{"content":"hi"}`, ""},
		{"another old message", "person", "PATCH", general + old, `{"content":"hi"}`, "30046"},
		{"an old message of another channel", "person", "PATCH", news + old, `{"content":"hi"}`, ""},
		{"a published message", "person", "PATCH", published, `{"content":"new"}`, ""},
		{"a published message again", "person", "PATCH", published, `{"content":"newer"}`, "20022"},
		{"a new name", "person", "PATCH", general, `{"name":"one"}`, ""},
		{"the same name", "person", "PATCH", general, `{"name":"one","rate_limit_per_user":5}`, ""},
		{"another name", "person", "PATCH", general, `{"name":"two"}`, "20028"},
		{"a topic", "person", "PATCH", general, `{"topic":"two"}`, "20028"},
		{"a webhook", "anonymous", "POST", hooks[0], `{"content":"hi"}`, ""},
		{"another webhook of the channel", "anonymous", "POST", hooks[1], `{"content":"hi"}`, "20028"},
		{"a conversation", "person", "POST", open, `{"recipient_id":"1300000000000000001"}`, ""},
		{"the same conversation", "person", "POST", open, `{"recipient_id":"1300000000000000001"}`, ""},
		{"another conversation", "person", "POST", open, `{"recipient_id":"1300000000000000003"}`, "40003"},
		{"a bulk deletion", "game", "POST", general + "/messages/bulk-delete", `{"messages":["5"]}`, ""},
		{"one in another channel of the guild", "game", "POST", news + "/messages/bulk-delete", `{"messages":["5"]}`, "global"},
	} {
		got := d.ask(t, tt.who, tt.method, tt.path, tt.body)
		if (got.status == 429) != (tt.code != "") || !strings.Contains(got.body, tt.code) {
			t.Errorf("1.6 %s: status %d with %s, want the code %q", tt.name, got.status, got.body, tt.code)
		}
		if got.status == 429 && tt.code != "global" && (got.header.Get("Retry-After") == "" || got.header.Get("X-RateLimit-Remaining") == "0") {
			t.Errorf("1.6 %s: headers %v, want Retry-After and the limit of the route", tt.name, got.header)
		}
	}
}
