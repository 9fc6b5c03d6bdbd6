package oauth_test

import (
	"net/url"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/oauth"
)

// FuzzMatchRedirect looks for a URI that matches a registered one but has another target.
func FuzzMatchRedirect(f *testing.F) {
	registered := []string{"https://echo.example/cb", "http://127.0.0.1/callback", "http://[::1]/six", "http://localhost/x", "mygame:/authorize/callback"}
	for _, uri := range registered {
		f.Add(uri)
	}
	for _, uri := range []string{
		"http://127.0.0.1:51004/callback", "http://[::1]:80/six", "http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1:/callback",
		"http://127.0.0.1:51004/callback#x", "http://127.0.0.1%3a80/callback", "https://echo.example\\@evil.example/cb",
	} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if !oauth.MatchRedirect(registered, uri) || slices.Contains(registered, uri) {
			return
		}
		u, err := url.Parse(uri)
		if err != nil {
			t.Fatalf("%q matches and cannot be parsed: %v", uri, err)
		}
		// Other URIs that match are loopback addresses with another port.
		port := u.Port()
		u.Host = u.Host[:len(u.Host)-len(port)-1]
		if port == "" || u.User != nil || !slices.Contains(registered, u.String()) {
			t.Errorf("%q matches a registered URI", uri)
		}
	})
}
