package authorization_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/bellhop/bellhop/authorization"
)

// Rule of the specification: CustomSchemeParam. "X" yields "X:/authorize/callback"; unset, prefix and application id.
func TestHandleRedirect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		client func(*authorization.Client)
		args   func(*authorization.Args)
		want   string // redirect URI
	}{
		{
			name: "named scheme", want: "mygame:/authorize/callback",
			args: func(a *authorization.Args) { a.SetCustomSchemeParam("mygame") },
		},
		{
			name: "default scheme", want: "discord-" + appIDText + ":/authorize/callback",
			client: func(c *authorization.Client) { c.Redirect = authorization.RedirectScheme },
		},
		{
			name: "own prefix", want: "bellhop-" + appIDText + ":/authorize/callback",
			client: func(c *authorization.Client) {
				c.Redirect, c.SchemePrefix = authorization.RedirectScheme, "bellhop-"
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.links = []string{tt.want}
			client := s.client(nil)
			client.OpenBrowser = func(_ context.Context, page string) error {
				link, err := consent(page)
				if err != nil {
					return err
				}
				return client.HandleRedirect(link.String())
			}
			args, verifier := communication()
			if tt.client != nil {
				tt.client(client)
			}
			if tt.args != nil {
				tt.args(&args)
			}
			grant, err := client.Authorize(t.Context(), args)
			if err != nil || grant.RedirectURI != tt.want {
				t.Fatalf("Authorize() = %+v, %v, want redirect URI %s", grant, err, tt.want)
			}
			token, err := client.Exchange(t.Context(), grant, verifier)
			if err != nil || !s.alive(token) {
				t.Errorf("Exchange() = %+v, %v, want a live token", token, err)
			}
		})
	}
}

func TestHandleRedirectLinks(t *testing.T) {
	t.Parallel()
	const good = "mygame:/authorize/callback?code=c&state=s"
	for _, tt := range []struct {
		name    string
		link    string
		kind    authorization.Kind // 0: taken
		message string
	}{
		{name: "the answer", link: good},
		{name: "scheme in capitals", link: "MYGAME:/authorize/callback?code=c&state=s"},
		{name: "three slashes", link: "mygame:///authorize/callback?code=c&state=s"},
		{name: "other parameters", link: good + "&guild_id=3"},
		{name: "wrong state", link: "mygame:/authorize/callback?code=c&state=t", kind: authorization.ErrAuthorizationFailed, message: "the state does not match"},
		{name: "no state", link: "mygame:/authorize/callback?code=c", kind: authorization.ErrAuthorizationFailed, message: "the state does not match"},
		{name: "another scheme", link: "other:/authorize/callback?code=c&state=s", kind: authorization.ErrValidation, message: "no sign-in waits for this link"},
		{name: "another path", link: "mygame:/authorize?code=c&state=s", kind: authorization.ErrValidation, message: "no sign-in waits for this link"},
		{name: "a host", link: "mygame://host/authorize/callback?code=c&state=s", kind: authorization.ErrValidation, message: "no sign-in waits for this link"},
		{name: "a fragment", link: good + "#x", kind: authorization.ErrValidation, message: "no sign-in waits for this link"},
		{name: "no path", link: "mygame:authorize/callback?code=c&state=s", kind: authorization.ErrValidation, message: "no sign-in waits for this link"},
		{name: "malformed query", link: good + "&x=%zz", kind: authorization.ErrValidation, message: "the query of the link is malformed"},
		{name: "malformed link", link: "mygame:/%zz", kind: authorization.ErrValidation, message: "no sign-in waits for this link"},
		{name: "empty", link: "", kind: authorization.ErrValidation, message: "no sign-in waits for this link"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := newClient()
			client.OpenBrowser = func(context.Context, string) error {
				err := client.HandleRedirect(tt.link)
				if tt.kind == 0 {
					if err != nil {
						t.Errorf("HandleRedirect() error = %v, want it taken", err)
					}
					wantKind(t, client.HandleRedirect(good), authorization.ErrValidation, "no sign-in waits for this link")
					return nil
				}
				wantKind(t, err, tt.kind, tt.message)
				return client.HandleRedirect(good) // the sign-in continues
			}
			args, _ := communication()
			args.SetState("s")
			args.SetCustomSchemeParam("mygame")
			if grant, err := client.Authorize(t.Context(), args); err != nil || grant.Code != "c" {
				t.Errorf("Authorize() = %q, %v, want the code c", string(grant.Code), err)
			}
		})
	}
}

func TestHandleRedirectDenied(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.deny = true
	client := s.client(nil)
	client.OpenBrowser = func(_ context.Context, page string) error {
		link, err := consent(page)
		if err != nil {
			return err
		}
		return client.HandleRedirect(link.String())
	}
	args, _ := communication()
	args.SetCustomSchemeParam("mygame")
	_, err := client.Authorize(t.Context(), args)
	wantKind(t, err, authorization.ErrAuthorizationFailed, "access_denied")
}

func TestHandleRedirectNobodyWaits(t *testing.T) {
	t.Parallel()
	client := newClient()
	wantKind(t, client.HandleRedirect("mygame:/authorize/callback?code=c&state=s"), authorization.ErrValidation, "no sign-in waits for this link")
	client.OpenBrowser = func(_ context.Context, page string) error {
		q := query(t, page)
		// The address of the listener is not a deep link either: only the listener accepts it.
		link := q.Get("redirect_uri") + "?code=c&state=" + url.QueryEscape(q.Get("state"))
		wantKind(t, client.HandleRedirect(link), authorization.ErrValidation, "no sign-in waits for this link")
		return errStop
	}
	args, _ := communication()
	_, err := client.Authorize(t.Context(), args)
	wantKind(t, err, authorization.ErrAuthorizationFailed, "no browser")
}

// A link without the right state never ends a sign-in.
func FuzzHandleRedirect(f *testing.F) {
	for _, link := range []string{
		"mygame:/authorize/callback?code=c&state=s", "mygame:/authorize/callback?state=&state=", "mygame://x/authorize/callback",
		"mygame:/authorize/callback?error=access_denied", "%", "mygame:", "",
	} {
		f.Add(link)
	}
	f.Fuzz(func(t *testing.T, link string) {
		state := string(authorization.NewCodeVerifier().Verifier())
		client := newClient()
		client.OpenBrowser = func(context.Context, string) error {
			if err := client.HandleRedirect(link); err == nil {
				t.Errorf("HandleRedirect(%q) took a link without the state", link)
			}
			return client.HandleRedirect("mygame:/authorize/callback?code=c&state=" + state)
		}
		args, _ := communication()
		args.SetState(state)
		args.SetCustomSchemeParam("mygame")
		if grant, err := client.Authorize(t.Context(), args); err != nil || grant.Code != "c" {
			t.Errorf("Authorize() after %q = %q, %v", link, string(grant.Code), err)
		}
	})
}
