package authorization_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bellhop/bellhop/authorization"
)

func TestBrowserCommand(t *testing.T) {
	t.Parallel()
	const page = "https://bellhop.example/oauth2/authorize?a=b&c=d"
	for goos, want := range map[string][]string{
		"linux":   {"xdg-open", page},
		"freebsd": {"xdg-open", page},
		"darwin":  {"open", page},
		"windows": {"rundll32", "url.dll,FileProtocolHandler", page},
		"android": nil,
		"ios":     nil,
		"js":      nil,
	} {
		if diff := cmp.Diff(want, authorization.BrowserCommand(goos, page)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", goos, diff)
		}
	}
}
