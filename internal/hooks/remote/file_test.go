package remote_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/hooks/remote"
	"github.com/google/go-cmp/cmp"
)

// TestParse checks what a hooks file can say.
func TestParse(t *testing.T) {
	t.Parallel()
	got, err := remote.Parse("hooks.yaml", []byte(`
hooks:
  - name: words
    url: https://game.example/bellhop
    before: [message, lobby.create]
    after: [message]
    timeout: 500ms
    fail: open
  - {name: local, url: "http://127.0.0.1:9000/", after: [signin], private: true}
`))
	want := []remote.Target{
		{Name: "words", URL: "https://game.example/bellhop", Before: []string{"message", "lobby.create"}, After: []string{"message"}, Timeout: 500 * time.Millisecond, FailOpen: true},
		{Name: "local", URL: "http://127.0.0.1:9000/", After: []string{"signin"}, Private: true},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Parse() = %v, %s", err, diff)
	}
}

// TestParseFaults checks that each fault is reported with its position, and that no text contains the URL.
func TestParseFaults(t *testing.T) {
	t.Parallel()
	const ok = "name: a, url: 'https://game.example/?key=hidden', before: [message]"
	for _, tt := range []struct{ name, give, want string }{
		{"no hooks", "", "hooks: is required"},
		{"an empty list", "hooks: []", "hooks: is required"},
		{"not a list", "hooks: 1", "1:8: hooks: want a list"},
		{"not a mapping", "[]", "1:1: the file: want a mapping"},
		{"unknown key of the file", "hook: []", `1:1: unknown key "hook": did you mean hooks?`},
		{"unknown key", "hooks:\n- {" + ok + ", timout: 1s}", `2:73: unknown key "timout": did you mean timeout?`},
		{"a key twice", "hooks:\n- {" + ok + ", name: b}", "already defined"},
		{"unknown event", "hooks:\n- {name: a, url: 'https://x.example', before: [mesage]}", `unknown event "mesage": did you mean message?`},
		{"an event twice", "hooks:\n- {name: a, url: 'https://x.example', before: [message, message]}", "message is there twice"},
		{"no name", "hooks:\n- {url: 'https://x.example', before: [message]}", "name: want 1 to 64 characters"},
		{"a name twice", "hooks:\n- {" + ok + "}\n- {" + ok + "}", `3:3: another hook has the name "a"`},
		{"no URL", "hooks:\n- {name: a, before: [message]}", "url: is required"},
		{"no events", "hooks:\n- {name: a, url: 'https://x.example'}", "want before, after or both"},
		{"plain http", "hooks:\n- {name: a, url: 'http://x.example/?key=hidden', before: [message]}", "want https. With private: true, http is allowed too"},
		{"a password", "hooks:\n- {name: a, url: 'https://a:hidden@x.example/', before: [message]}", "has a user or a password"},
		{"another scheme", "hooks:\n- {name: a, url: 'ftp://x.example/', before: [message], private: true}", "scheme is not allowed"},
		{"no host", "hooks:\n- {name: a, url: 'https:///x', before: [message]}", "no host"},
		{"not a URL", "hooks:\n- {name: a, url: 'https://hidden\x7f', before: [message]}", "url: not a URL"},
		{"a long timeout", "hooks:\n- {" + ok + ", timeout: 1m}", "timeout: want a duration such as 500ms, at most 10s"},
		{"no duration", "hooks:\n- {" + ok + ", timeout: 5}", "timeout: want a duration"},
		{"another policy", "hooks:\n- {" + ok + ", fail: maybe}", `fail "maybe": want closed or open`},
		{"a text for a flag", "hooks:\n- {" + ok + ", private: 'yes'}", "private: want true or false"},
		{"a list for a text", "hooks:\n- {name: [], url: 'https://x.example', before: [message]}", "name: want a text"},
		{"two documents", "hooks: []\n---\nhooks: []", "single document"},
		{"not YAML", "hooks: [", "hooks.yaml:1:"},
		{"too many", "hooks:\n" + strings.Repeat("- {name: a, url: 'https://x.example', before: [message]}\n", 65), "the most are 64"},
		{"too large", strings.Repeat("#", 1<<20+1), "larger than"},
	} {
		_, err := remote.Parse("hooks.yaml", []byte(tt.give))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
