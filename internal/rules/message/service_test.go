package message_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
)

// TestFromGitHub checks that each event that Discord documents becomes a message of a webhook, and that others do not.
func TestFromGitHub(t *testing.T) {
	t.Parallel()
	v, err := jsonbody.Parse([]byte(`{"action":"completed","repository":{"full_name":"lab/bot"},"commits":[{"id":"0123456789"}],
		"issue":{"number":1,"title":"` + strings.Repeat("x", 300) + `"},"comment":{"body":"` + strings.Repeat("y", 5000) + `"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{
		"commit_comment", "create", "delete", "fork", "issue_comment", "issues", "member", "public", "pull_request", "pull_request_review",
		"pull_request_review_comment", "push", "release", "watch", "check_run", "check_suite", "discussion", "discussion_comment",
	} {
		body, ok, err := message.FromGitHub(event, v)
		if err != nil || !ok {
			t.Errorf("%s: %t, %v", event, ok, err)
			continue
		}
		if _, err := message.ReadExecute(body, nil, message.WebhookAccess{}); err != nil {
			t.Errorf("%s: %s: %v", event, body.String(), err)
		}
	}
	for _, event := range []string{"", "ping", "workflow_run"} {
		if _, ok, err := message.FromGitHub(event, v); ok || err != nil {
			t.Errorf("%s: a message, %v", event, err)
		}
	}
}

func FuzzFromSlack(f *testing.F) {
	f.Add([]byte(`{"text":"<https://a.example|b> &amp;","attachments":[{"color":"good","ts":"1e9","fields":[{"short":true}]}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		if _, err := message.FromSlack(v); err != nil {
			t.Errorf("FromSlack(%q) = %v", in, err)
		}
	})
}
