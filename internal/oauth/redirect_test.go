package oauth_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/oauth"
)

func TestMatchRedirect(t *testing.T) {
	t.Parallel()
	registered := []string{
		"https://echo.example/cb", "https://echo.example/q?a=1", "http://127.0.0.1/callback", "http://127.0.0.1:9000/fixed", "http://[::1]/six",
		"http://localhost/callback", "https://127.0.0.1/secure", "mygame:/authorize/callback", "x://host/p", "y:///p",
	}
	for uri, want := range map[string]bool{
		"https://echo.example/cb":                         true,
		"https://echo.example/cb/":                        false,
		"https://echo.example/CB":                         false,
		"https://echo.example/cb?x=1":                     false,
		"https://echo.example:443/cb":                     false,
		"https://echo.example/cb#x":                       false,
		"https://echo.example/cb#":                        false,
		"https://echo.example.evil.example/cb":            false,
		"https://echo.example@evil.example/cb":            false,
		"https://evil.example/?u=https://echo.example/cb": false,
		"http://echo.example/cb":                          false,
		"https://echo.example/q?a=1":                      true,
		"https://echo.example/q":                          false,
		"http://127.0.0.1/callback":                       true,
		"http://127.0.0.1:51004/callback":                 true,
		"http://127.0.0.1:51004/callback/":                false,
		"http://127.0.0.1:51004/other":                    false,
		"http://127.0.0.1:51004/callback?x=1":             false,
		"http://user@127.0.0.1:51004/callback":            false,
		"http://127.0.0.1:51004@evil.example/callback":    false,
		"http://127.0.0.2:51004/callback":                 false,
		"http://127.0.0.1:x/callback":                     false,
		"http://127.0.0.1:9000/fixed":                     true,
		"http://127.0.0.1:9001/fixed":                     false, // registered with another port
		"http://127.0.0.1/fixed":                          false,
		"http://[::1]:4000/six":                           true,
		"http://localhost:4000/callback":                  false, // a host name may resolve to another address
		"http://localhost/callback":                       true,
		"https://127.0.0.1:4000/secure":                   false,
		"mygame:/authorize/callback":                      true,
		"MYGAME:/authorize/callback":                      false,
		"mygame://authorize/callback":                     false,
		"x://host/p":                                      true,
		"y:///p":                                          true,
		"":                                                false,
	} {
		if got := oauth.MatchRedirect(registered, uri); got != want {
			t.Errorf("MatchRedirect(%q) = %v, want %v", uri, got, want)
		}
	}
}
