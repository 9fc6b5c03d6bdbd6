package authorization_test

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bellhop/bellhop/authorization"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// errStop is the error of an opener that only records the page.
var errStop = errors.New("seen enough")

// pageOf returns the address that a sign-in with args would open.
func pageOf(t *testing.T, client *authorization.Client, args authorization.Args) string {
	t.Helper()
	var opened string
	client.OpenBrowser = func(_ context.Context, page string) error {
		opened = page
		return errStop
	}
	if _, err := client.Authorize(t.Context(), args); !errors.Is(err, errStop) {
		t.Fatalf("Authorize() error = %v, want that of the opener", err)
	}
	return opened
}

func newClient() *authorization.Client {
	c := &authorization.Client{APIBase: "https://bellhop.example/api/v10", WebBase: "https://bellhop.example"}
	c.SetApplicationID(appID)
	return c
}

// vector is the challenge of RFC 7636, appendix B.
var vector = authorization.CodeChallenge{Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}

// Rule of the specification: Authorization arguments record (client side).
func TestAuthorizeURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		client func(*authorization.Client)
		args   func(*authorization.Args)
	}{
		{name: "scopes alone", args: func(a *authorization.Args) { a.SetState("s") }},
		{name: "everything", args: func(a *authorization.Args) {
			a.SetClientID(42)
			a.SetState("state with + & = %20 é")
			a.SetNonce("n-0S6_WzA2Mj")
			a.SetCodeChallenge(vector)
			a.SetIntegrationType(authorization.UserInstall)
			a.SetCustomSchemeParam("mygame")
		}},
		{name: "largest client id, empty nonce, guild install", args: func(a *authorization.Args) {
			a.SetClientID(1<<64 - 1)
			a.SetState("s")
			a.SetNonce("")
			a.SetIntegrationType(authorization.GuildInstall)
		}},
		{name: "blanks between scopes", args: func(a *authorization.Args) {
			a.SetState("s")
			a.SetScopes("  sdk.social_layer \t openid\n identify ")
		}},
		{
			name:   "default scheme",
			client: func(c *authorization.Client) { c.Redirect = authorization.RedirectScheme },
			args:   func(a *authorization.Args) { a.SetState("s"); a.SetCodeChallenge(vector) },
		},
		{
			name: "own prefix, slash after the base",
			client: func(c *authorization.Client) {
				c.Redirect, c.SchemePrefix, c.WebBase = authorization.RedirectScheme, "bellhop-", "https://bellhop.example/chat/"
			},
			args: func(a *authorization.Args) { a.SetState("s"); a.SetCodeChallenge(vector) },
		},
		{
			name:   "loopback although a scheme is named",
			client: func(c *authorization.Client) { c.Redirect = authorization.RedirectLoopback },
			args:   func(a *authorization.Args) { a.SetState("s"); a.SetCustomSchemeParam("mygame") },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, args := newClient(), authorization.NewArgs()
			args.SetScopes(authorization.DefaultCommunicationScopes())
			if tt.client != nil {
				tt.client(client)
			}
			tt.args(&args)
			before := args.Clone()
			// The port differs in every run.
			page := regexp.MustCompile(`127\.0\.0\.1%3A\d+`).ReplaceAllString(pageOf(t, client, args), "127.0.0.1%3APORT")
			golden(t, tt.name, strings.ReplaceAll(page, "&", "\n&")+"\n")
			if !args.Equal(before) {
				t.Errorf("the record became %v, was %v", args, before)
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "url", strings.NewReplacer(" ", "_", ",", "").Replace(name)+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("page differs (-want +got):\n%s", diff)
	}
}

func TestAuthorizeState(t *testing.T) {
	t.Parallel()
	client := newClient()
	state := regexp.MustCompile(`[?&]state=([^&]*)`)
	args := authorization.NewArgs()
	args.SetScopes("openid")
	seen := map[string]bool{}
	for range 100 {
		got := state.FindStringSubmatch(pageOf(t, client, args))[1]
		raw, err := base64.RawURLEncoding.DecodeString(got)
		if err != nil || len(raw) != 32 || seen[got] {
			t.Fatalf("state = %q, want 32 fresh random bytes as base64url", got)
		}
		seen[got] = true
	}
	if v, ok := args.State(); ok {
		t.Errorf("the record's state became %q", v)
	}
}

func TestAuthorizeURLProperty(t *testing.T) {
	t.Parallel()
	client := newClient()
	encoded := regexp.MustCompile(`^[A-Za-z0-9%._~=&?:/-]+$`)
	rapid.Check(t, func(rt *rapid.T) {
		args := authorization.NewArgs()
		args.SetScopes(strings.Join(rapid.SliceOfN(rapid.StringMatching(`[!#-\[\]-~]{1,12}`), 1, 5).Draw(rt, "scopes"), " "))
		args.SetState(rapid.StringN(1, 40, 160).Draw(rt, "state"))
		args.SetNonce(rapid.String().Draw(rt, "nonce"))
		page := pageOf(t, client, args)
		if !encoded.MatchString(page) {
			rt.Fatalf("page holds a bare character: %s", page)
		}
		q := query(rt, page)
		state, _ := args.State()
		nonce, _ := args.Nonce()
		if q.Get("state") != state || q.Get("nonce") != nonce || q.Get("scope") != args.Scopes() {
			rt.Fatalf("page carries %v, want state %q, nonce %q, scope %q", q, state, nonce, args.Scopes())
		}
	})
}

// Authorize finds wrong arguments before it opens a browser.
func TestAuthorizeValidation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		client  func(*authorization.Client)
		args    func(*authorization.Args)
		kind    authorization.Kind
		message string
	}{
		{
			name: "null record", kind: authorization.ErrValidation, message: "the arguments are a null record",
			args: func(a *authorization.Args) { a.Move() },
		},
		{
			name: "no application at all", kind: authorization.ErrValidation, message: "no client id given and no application id set",
			client: func(c *authorization.Client) { c.SetApplicationID(0) },
		},
		{
			name: "no scopes", kind: authorization.ErrValidation, message: "the scopes are empty or malformed",
			args: func(a *authorization.Args) { a.SetScopes(" \t ") },
		},
		{
			name: "scope with a quote", kind: authorization.ErrValidation, message: "the scopes are empty or malformed",
			args: func(a *authorization.Args) { a.SetScopes(`openid "x"`) },
		},
		{
			name: "scope beyond ASCII", kind: authorization.ErrValidation, message: "the scopes are empty or malformed",
			args: func(a *authorization.Args) { a.SetScopes("openïd") },
		},
		{
			name: "empty state", kind: authorization.ErrValidation, message: "the state is empty or longer than 2048 bytes",
			args: func(a *authorization.Args) { a.SetState("") },
		},
		{
			name: "state too long", kind: authorization.ErrValidation, message: "the state is empty or longer than 2048 bytes",
			args: func(a *authorization.Args) { a.SetState(strings.Repeat("s", 2049)) },
		},
		{
			name: "empty challenge", kind: authorization.ErrValidation, message: "the code challenge is not a valid S256 challenge",
			args: func(a *authorization.Args) { a.SetCodeChallenge(authorization.CodeChallenge{}) },
		},
		{
			name: "unknown challenge method", kind: authorization.ErrValidation, message: "the code challenge is not a valid S256 challenge",
			args: func(a *authorization.Args) {
				a.SetCodeChallenge(authorization.CodeChallenge{Method: 1, Challenge: vector.Challenge})
			},
		},
		{
			name: "challenge with padding", kind: authorization.ErrValidation, message: "the code challenge is not a valid S256 challenge",
			args: func(a *authorization.Args) {
				a.SetCodeChallenge(authorization.CodeChallenge{Challenge: vector.Challenge + "="})
			},
		},
		{
			name: "unknown integration type", kind: authorization.ErrValidation, message: "the integration type is unknown",
			args: func(a *authorization.Args) { a.SetIntegrationType(2) },
		},
		{
			name: "deep link without challenge", kind: authorization.ErrValidation, message: "a deep link needs a code challenge",
			args: func(a *authorization.Args) { a.SetCustomSchemeParam("mygame") },
		},
		{
			name: "empty scheme", kind: authorization.ErrValidation, message: "the custom scheme is not valid for a deep link",
			args: func(a *authorization.Args) { a.SetCustomSchemeParam("") },
		},
		{
			name: "scheme with a slash", kind: authorization.ErrValidation, message: "the custom scheme is not valid for a deep link",
			args: func(a *authorization.Args) { a.SetCustomSchemeParam("my/game") },
		},
		{
			name: "scheme of the browser", kind: authorization.ErrValidation, message: "the custom scheme is not valid for a deep link",
			args: func(a *authorization.Args) { a.SetCustomSchemeParam("JavaScript") },
		},
		{
			name: "prefix that starts no scheme", kind: authorization.ErrValidation, message: "the custom scheme is not valid for a deep link",
			client: func(c *authorization.Client) {
				c.Redirect, c.SchemePrefix = authorization.RedirectScheme, "1-"
			},
		},
		{
			name: "no web base", kind: authorization.ErrClientNotReady,
			message: "WebBase is not an http or https address without user, query and fragment",
			client:  func(c *authorization.Client) { c.WebBase = "" },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, args := newClient(), authorization.NewArgs()
			client.OpenBrowser = func(context.Context, string) error {
				t.Error("a browser opened")
				return errStop
			}
			args.SetScopes("openid")
			if tt.client != nil {
				tt.client(client)
			}
			if tt.args != nil {
				tt.args(&args)
			}
			_, err := client.Authorize(t.Context(), args)
			if result := wantKind(t, err, tt.kind, tt.message); result.Retryable || result.Status != 0 {
				t.Errorf("error = %+v, want no status and no retry", result)
			}
		})
	}
}

func TestClientAddresses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		"", "bellhop.example", "ftp://bellhop.example", "https://", "https:///api", "https://ada:hush@bellhop.example",
		"https://bellhop.example?x=1", "https://bellhop.example#x", "https://bellhop.example/%zz", "://",
	} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			client := newClient()
			client.APIBase = base
			_, err := client.Refresh(t.Context(), authorization.Token{RefreshToken: "r"})
			result := wantKind(t, err, authorization.ErrClientNotReady, "APIBase is not an http or https address without user, query and fragment")
			if strings.Contains(result.Error(), "hush") {
				t.Errorf("error shows the password: %v", result)
			}
		})
	}
}
