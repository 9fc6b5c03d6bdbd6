package authorization_test

import (
	"encoding/base64"
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bellhop/bellhop/authorization"
)

func TestCodeVerifierVector(t *testing.T) {
	t.Parallel()
	// RFC 7636, appendix B.
	verifier, err := authorization.ParseCodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
	if err != nil {
		t.Fatal(err)
	}
	want := authorization.CodeChallenge{Method: authorization.S256, Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}
	if got := verifier.Challenge(); got != want {
		t.Errorf("Challenge() = %+v, want %+v", got, want)
	}
}

func TestNewCodeVerifier(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	seen := map[authorization.Secret]bool{}
	for range 1000 {
		verifier := authorization.NewCodeVerifier()
		if v := string(verifier.Verifier()); !form.MatchString(v) || seen[verifier.Verifier()] {
			t.Fatalf("Verifier() = %q, want 43 fresh characters of base64url", v)
		}
		if challenge := verifier.Challenge().Challenge; !form.MatchString(challenge) {
			t.Fatalf("Challenge() = %q, want 43 characters of base64url", challenge)
		}
		seen[verifier.Verifier()] = true
	}
}

func TestParseCodeVerifier(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give string
		ok   bool
	}{
		{"42 characters", strings.Repeat("a", 42), false},
		{"43 characters", strings.Repeat("a", 43), true},
		{"128 characters", strings.Repeat("a", 128), true},
		{"129 characters", strings.Repeat("a", 129), false},
		{"every kind of character", "AZaz09-._~" + strings.Repeat("x", 40), true},
		{"plus", strings.Repeat("a", 42) + "+", false},
		{"padding", strings.Repeat("a", 43) + "=", false},
		{"line end", strings.Repeat("a", 43) + "\n", false},
		{"letter beyond ASCII", strings.Repeat("a", 43) + "é", false},
		{"bad character in the middle", strings.Repeat("a", 30) + "/" + strings.Repeat("a", 30), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := authorization.ParseCodeVerifier(tt.give)
			if (err == nil) != tt.ok || (err != nil && !errors.Is(err, authorization.ErrVerifier)) {
				t.Fatalf("ParseCodeVerifier() error = %v, want ok %v", err, tt.ok)
			}
			if tt.ok != (string(got.Verifier()) == tt.give) {
				t.Errorf("Verifier() = %q from %q", string(got.Verifier()), tt.give)
			}
		})
	}
}

func TestParseCodeVerifierProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		give := rapid.StringMatching(`[A-Za-z0-9._~-]{43,128}`).Draw(t, "verifier")
		verifier, err := authorization.ParseCodeVerifier(give)
		if err != nil || string(verifier.Verifier()) != give {
			t.Fatalf("ParseCodeVerifier(%q) = %q, %v", give, string(verifier.Verifier()), err)
		}
		sum, err := base64.RawURLEncoding.DecodeString(verifier.Challenge().Challenge)
		if err != nil || len(sum) != 32 {
			t.Fatalf("Challenge() holds %d bytes, %v, want 32", len(sum), err)
		}
	})
}

func TestZeroCodeVerifier(t *testing.T) {
	t.Parallel()
	var zero authorization.CodeVerifier
	if zero.Verifier() != "" || zero.Challenge() != (authorization.CodeChallenge{}) {
		t.Errorf("zero verifier has a verifier or a challenge: %+v", zero.Challenge())
	}
}

func TestChallengeMethod(t *testing.T) {
	t.Parallel()
	if got := authorization.S256.String(); authorization.S256 != 0 || got != "S256" {
		t.Errorf("S256 = %d, %s, want 0, S256", int(authorization.S256), got)
	}
	if got := authorization.ChallengeMethod(3).String(); got != "ChallengeMethod(3)" {
		t.Errorf("String() = %s, want ChallengeMethod(3)", got)
	}
}

func TestDefaultScopes(t *testing.T) {
	t.Parallel()
	var client authorization.Client
	for _, tt := range []struct{ name, got, want string }{
		{"communication", authorization.DefaultCommunicationScopes(), "openid sdk.social_layer"},
		{"presence", authorization.DefaultPresenceScopes(), "openid sdk.social_layer_presence"},
		{"communication of the client", client.DefaultCommunicationScopes(), "openid sdk.social_layer"},
		{"presence of the client", client.DefaultPresenceScopes(), "openid sdk.social_layer_presence"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}
