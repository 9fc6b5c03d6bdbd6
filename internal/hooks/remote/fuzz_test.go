package remote_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/hooks/remote"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzParse checks that an accepted hooks file has hooks that can run, and that no error contains what is behind the host of a URL.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"hooks:\n- {name: words, url: 'https://game.example/?key=hidden', before: [message, lobby.create], after: [signin], timeout: 500ms, fail: open}",
		"hooks:\n- name: local\n  url: http://127.0.0.1:9000/\n  private: true\n  before: &e [message]\n- {name: b, url: 'https://x.example', after: *e}",
		"hooks: [{name: 7, url: https://x.example, before: [messag], timeout: 1h}]", "hooks: []\n---\n{}", "hooks: {<<: {a: b}}", "- ?",
	} {
		f.Add([]byte(s))
	}
	c := remote.New(remote.Config{Log: discard})
	f.Fuzz(func(t *testing.T, in []byte) {
		list, err := remote.Parse("hooks.yaml", in)
		if err != nil {
			if strings.Contains(err.Error(), "hidden") && strings.Count(string(in), "hidden") == 1 && strings.Contains(string(in), "url: 'https://game.example/?key=hidden'") {
				t.Errorf("the error shows the query of a URL: %v", err)
			}
			return
		}
		for _, target := range list {
			if err := webhook.CheckURL(target.URL, target.Private); err != nil {
				t.Errorf("Parse(%q) accepts the URL %q: %v", in, target.URL, err)
			}
		}
		if err := hooks.Check(c.Hooks(list)); err != nil || len(list) == 0 {
			t.Errorf("Parse(%q) accepts %d hooks, and Check() = %v", in, len(list), err)
		}
		c.Close()
	})
}

// FuzzAnswer checks that the answer of a backend refuses, changes something with a JSON value, or is an error.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"refuse":"no"}`, `{"change":{"content":"b"}}`, `{"refuse":null,"change":null}`, `{"refuse":"a","refuse":"b"}`, `{"change":"\ud800"}`, `[]`, `{"Refuse":"x"}`, "\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var c hooks.Call
		err := remote.ApplyAnswer(in, &c)
		refusal, refused := errors.AsType[*hooks.Refusal](err)
		switch {
		case refused && !strings.Contains(string(in), `refuse`):
			t.Errorf("%q refuses with %q", in, refusal.Reason)
		case err == nil && c.Change != nil && !c.Change.IsValid(jsontext.AllowDuplicateNames(true)):
			t.Errorf("%q changes %q", in, c.Change)
		}
	})
}
