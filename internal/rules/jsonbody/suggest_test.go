package jsonbody_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	known := []string{"roll", "role", "größe", "ping"}
	for _, tt := range []struct{ name, give, want string }{
		{"the same", "role", "role"},
		{"a letter too many", "rolll", "roll"},
		{"two letters swapped", "pnig", "ping"},
		{"code points, not bytes", "grüße", "größe"},
		{"the first of equal distances", "rolx", "roll"},
		{"nothing close", "weather", ""},
		{"nothing written", "", ""},
		{"a long text", strings.Repeat("roll", 100), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := jsonbody.Suggest(tt.give, known); got != tt.want {
				t.Errorf("Suggest(%q) = %q, want %q", tt.give, got, tt.want)
			}
		})
	}
}
