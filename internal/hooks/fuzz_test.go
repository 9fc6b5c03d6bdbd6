package hooks_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// FuzzChange checks that a hook before changes nothing but the members that it may change, whatever it answers.
func FuzzChange(f *testing.F) {
	for i, s := range []string{
		`{"content":"b"}`, `{"metadata":{"a":"b"}}`, `{"user_id":"1"}`, `{"content":"a","content":"b"}`, `{"Content":1}`, `[]`, `{"metadata":null}`, `{"\u0063ontent":"x"}`,
	} {
		f.Add([]byte(s), uint8(i))
	}
	var change []byte
	h := open(f, hooks.Hook{Name: "test", Before: func(_ context.Context, c *hooks.Call) error {
		c.Change = change
		return nil
	}})
	body := jsonbody.ObjectOf(jsonbody.Member{Name: "content", Value: jsonbody.StringOf("a")}, jsonbody.Member{Name: "user_id", Value: jsonbody.StringOf("7")})
	f.Fuzz(func(t *testing.T, in []byte, n uint8) {
		event := hooks.Events[int(n)%len(hooks.Events)]
		change = in
		changed, err := h.Before(t.Context(), event, map[string]string{"content": "a", "user_id": "7"})
		if err != nil {
			if !errors.Is(err, hooks.Unavailable) {
				t.Errorf("Before() = %v, want %v", err, hooks.Unavailable)
			}
			return
		}
		for _, member := range []string{"user_id", "id", "channel_id", "content", "metadata"} {
			if changed.Changes(member) && !hooks.Changeable(event, member) {
				t.Errorf("before %s, %q changes %s", event, in, member)
			}
		}
		after := changed.Apply(body, "content", "content")
		if after.Get("user_id").Text() != "7" || !changed.Changes("content") && after.Get("content").Text() != "a" {
			t.Errorf("before %s, %q makes %s", event, in, after)
		}
	})
}
