package authorization_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bellhop/bellhop/authorization"
)

// signIn completes a sign-in and returns its grant and verifier.
func signIn(t *testing.T, client *authorization.Client) (authorization.Grant, authorization.CodeVerifier) {
	t.Helper()
	args, verifier := communication()
	grant, err := client.Authorize(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	return grant, verifier
}

func TestExchangeForm(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := s.client(follow)
	grant, verifier := signIn(t, client)
	if _, err := client.Exchange(t.Context(), grant, verifier); err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {appIDText}, "code": {string(grant.Code)},
		"redirect_uri": {grant.RedirectURI}, "code_verifier": {string(verifier.Verifier())},
	}
	if diff := cmp.Diff([]url.Values{want}, s.forms()); diff != "" {
		t.Errorf("form differs (-want +got):\n%s", diff)
	}
}

func TestExchangeRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                 string
		change               func(*authorization.Grant, *authorization.CodeVerifier)
		status               int
		message, description string
	}{
		{
			name: "another code", status: 400, message: "invalid_grant", description: `Invalid "code" in request.`,
			change: func(g *authorization.Grant, _ *authorization.CodeVerifier) { g.Code = "another" },
		},
		{
			name: "another redirect URI", status: 400, message: "invalid_request", description: `Invalid "redirect_uri" in request.`,
			change: func(g *authorization.Grant, _ *authorization.CodeVerifier) { g.RedirectURI += "/" },
		},
		{
			name: "another verifier", status: 400, message: "invalid_grant",
			change: func(_ *authorization.Grant, v *authorization.CodeVerifier) { *v = authorization.NewCodeVerifier() },
		},
		{
			name: "another application", status: 401, message: "invalid_client",
			change: func(g *authorization.Grant, _ *authorization.CodeVerifier) { g.ClientID = 7 },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := start(t).client(follow)
			grant, verifier := signIn(t, client)
			tt.change(&grant, &verifier)
			token, err := client.Exchange(t.Context(), grant, verifier)
			result := wantKind(t, err, authorization.ErrHTTP, tt.message)
			if result.Status != tt.status || result.Description != tt.description || result.Retryable || result.Body == "" {
				t.Errorf("error = %+v, want status %d, description %q, no retry", result, tt.status, tt.description)
			}
			if token != (authorization.Token{}) {
				t.Errorf("Exchange() = %+v beside an error", token)
			}
		})
	}
	t.Run("code used twice", func(t *testing.T) {
		t.Parallel()
		client := start(t).client(follow)
		grant, verifier := signIn(t, client)
		if _, err := client.Exchange(t.Context(), grant, verifier); err != nil {
			t.Fatal(err)
		}
		_, err := client.Exchange(t.Context(), grant, verifier)
		wantKind(t, err, authorization.ErrHTTP, "invalid_grant")
	})
	t.Run("sign-in without challenge", func(t *testing.T) {
		t.Parallel()
		client := start(t).client(follow)
		args := authorization.NewArgs()
		args.SetScopes("openid")
		grant, err := client.Authorize(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Exchange(t.Context(), grant, authorization.NewCodeVerifier())
		wantKind(t, err, authorization.ErrHTTP, "invalid_client")
	})
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := s.client(follow)
	grant, verifier := signIn(t, client)
	first, err := client.Exchange(t.Context(), grant, verifier)
	if err != nil {
		t.Fatal(err)
	}
	second, err := client.Refresh(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if s.alive(first) || !s.alive(second) || second.ClientID != appID || second.IDToken != "" {
		t.Errorf("Refresh() = %+v, want a new pair and the old one dead", second)
	}
	_, err = client.Refresh(t.Context(), first)
	result := wantKind(t, err, authorization.ErrHTTP, "invalid_grant")
	if result.Description != `Invalid "refresh_token" in request` {
		t.Errorf("Description = %q", result.Description)
	}
	// Refresh needs nothing but the refresh token.
	third, err := client.Refresh(t.Context(), authorization.Token{RefreshToken: second.RefreshToken})
	if err != nil || !s.alive(third) {
		t.Errorf("Refresh() = %+v, %v, want a live pair", third, err)
	}
}

func TestRefreshKeepsTheOldToken(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.interrupt(answerWith(200, `{"access_token":"new","token_type":"bearer","expires_in":60,"scope":"openid"}`))
	got, err := s.client(nil).Refresh(t.Context(), authorization.Token{RefreshToken: "old", IDToken: "id"})
	want := authorization.Token{ClientID: appID, AccessToken: "new", RefreshToken: "old", Type: "Bearer", ExpiresIn: time.Minute, Scopes: "openid"}
	if err != nil || got != want {
		t.Errorf("Refresh() = %+v, %v, want %+v", got, err, want)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := s.client(follow)
	grant, verifier := signIn(t, client)
	token, err := client.Exchange(t.Context(), grant, verifier)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // Revoke also succeeds for a revoked token
		if err := client.Revoke(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if s.alive(token) {
		t.Error("the token outlived Revoke")
	}
	if err := client.Revoke(t.Context(), authorization.Token{AccessToken: "only access"}); err != nil {
		t.Fatal(err)
	}
	want := []url.Values{
		{"client_id": {appIDText}, "token": {string(token.RefreshToken)}, "token_type_hint": {"refresh_token"}},
		{"client_id": {appIDText}, "token": {string(token.RefreshToken)}, "token_type_hint": {"refresh_token"}},
		{"client_id": {appIDText}, "token": {"only access"}, "token_type_hint": {"access_token"}},
	}
	if diff := cmp.Diff(want, s.forms()[1:]); diff != "" {
		t.Errorf("forms differ (-want +got):\n%s", diff)
	}
}

// A call with wrong arguments sends nothing.
func TestTokenValidation(t *testing.T) {
	t.Parallel()
	s := start(t)
	client, nameless := s.client(nil), s.client(nil)
	nameless.SetApplicationID(0)
	grant := authorization.Grant{Code: "c", RedirectURI: "mygame:/authorize/callback"}
	verifier := authorization.NewCodeVerifier()
	for _, tt := range []struct {
		name    string
		call    func(context.Context) error
		message string
	}{
		{"exchange without verifier", func(ctx context.Context) error {
			_, err := client.Exchange(ctx, grant, authorization.CodeVerifier{})
			return err
		}, "the code verifier is empty"},
		{"exchange of nothing", func(ctx context.Context) error {
			_, err := client.Exchange(ctx, authorization.Grant{}, verifier)
			return err
		}, "the grant has no code"},
		{"exchange without redirect URI", func(ctx context.Context) error {
			_, err := client.Exchange(ctx, authorization.Grant{Code: "c"}, verifier)
			return err
		}, "the grant has no code"},
		{"exchange without application", func(ctx context.Context) error {
			_, err := nameless.Exchange(ctx, grant, verifier)
			return err
		}, "no client id given and no application id set"},
		{"refresh of nothing", func(ctx context.Context) error {
			_, err := client.Refresh(ctx, authorization.Token{AccessToken: "a"})
			return err
		}, "there is no refresh token"},
		{"revoke of nothing", func(ctx context.Context) error {
			return client.Revoke(ctx, authorization.Token{})
		}, "there is no token"},
		{"revoke without application", func(ctx context.Context) error {
			return nameless.Revoke(ctx, authorization.Token{AccessToken: "a"})
		}, "no client id given and no application id set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantKind(t, tt.call(t.Context()), authorization.ErrValidation, tt.message)
		})
	}
	t.Cleanup(func() {
		if sent := s.forms(); len(sent) > 0 {
			t.Errorf("the server was asked: %v", sent)
		}
	})
}

// A 200 response without a token is an error that contains nothing of the body.
func TestTokenAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body, message string
	}{
		{"not JSON", "<html>hush</html>", "the response is malformed"},
		{"empty", "", "the response is malformed"},
		{"cut short", `{"access_token":"hush"`, "the response is malformed"},
		{"an array", `["hush"]`, "the response is malformed"},
		{"no access token", `{"token_type":"Bearer","refresh_token":"hush"}`, "the response is malformed"},
		{"no type", `{"access_token":"hush"}`, "the response is malformed"},
		{"unknown type", `{"access_token":"hush","token_type":"mac"}`, "the response is malformed"},
		{"mistyped token", `{"access_token":["hush"],"token_type":"Bearer"}`, "the response is malformed"},
		{"mistyped lifetime", `{"access_token":"hush","token_type":"Bearer","expires_in":"hush"}`, "the response is malformed"},
		{"a member twice", `{"access_token":"hush","access_token":"hush2","token_type":"Bearer"}`, "the response is malformed"},
		{"too large", `{"access_token":"hush","token_type":"Bearer","x":"` + strings.Repeat("x", 1<<20) + `"}`, "the response is too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.interrupt(answerWith(200, tt.body))
			_, err := s.client(nil).Refresh(t.Context(), authorization.Token{RefreshToken: "r"})
			result := wantKind(t, err, authorization.ErrHTTP, tt.message)
			if result.Status != 200 || result.Body != "" || strings.Contains(err.Error(), "hush") {
				t.Errorf("error = %+v, want status 200 and nothing of the body", result)
			}
		})
	}
}

func TestTokenLifetimes(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]time.Duration{
		"0": 0, "3600": time.Hour, "-5": 0, "9223372036854775807": (1 << 32) * time.Second,
	} {
		s := start(t)
		s.interrupt(answerWith(200, `{"access_token":"a","token_type":"Bearer","expires_in":`+give+`}`))
		got, err := s.client(nil).Refresh(t.Context(), authorization.Token{RefreshToken: "r"})
		if err != nil || got.ExpiresIn != want {
			t.Errorf("expires_in %s: %v, %v, want %v", give, got.ExpiresIn, err, want)
		}
	}
}

// The client does not follow a redirect, which would send the form and its token to another address.
func TestTokenRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := start(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := start(t)
		s.interrupt(answerWith(status, "", "Location", elsewhere.URL+"/api/v10/oauth2/token"))
		_, err := s.client(nil).Refresh(t.Context(), authorization.Token{RefreshToken: "r"})
		if result := wantKind(t, err, authorization.ErrHTTP, ""); result.Status != status {
			t.Errorf("Status = %d, want %d", result.Status, status)
		}
	}
	if got := elsewhere.forms(); len(got) > 0 {
		t.Errorf("the client followed the redirect: %v", got)
	}
}

func TestNoNetwork(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := s.client(nil)
	s.Close()
	_, err := client.Refresh(t.Context(), authorization.Token{RefreshToken: "hush"})
	result := wantKind(t, err, authorization.ErrNetwork, "")
	if !result.Retryable || result.Status != 0 || strings.Contains(err.Error(), "hush") {
		t.Errorf("error = %+v, want a network error worth a retry", result)
	}
}

func TestAnswerCutOff(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.interrupt(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"access_token":"hush"`) // then the connection breaks
	})
	_, err := s.client(nil).Refresh(t.Context(), authorization.Token{RefreshToken: "r"})
	wantKind(t, err, authorization.ErrNetwork, "")
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error = %v, want unexpected EOF", err)
	}
}

// silent is a transport that never gets a response.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		within time.Duration
		kind   authorization.Kind
		took   time.Duration
	}{
		{"the caller's deadline aborts", 10 * time.Second, authorization.ErrAborted, 10 * time.Second},
		{"a silent server is a network error", time.Hour, authorization.ErrNetwork, 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := newClient()
				client.HTTP = &http.Client{Transport: silent{}}
				ctx, cancel := context.WithTimeout(t.Context(), tt.within)
				defer cancel()
				begin := time.Now()
				_, err := client.Refresh(ctx, authorization.Token{RefreshToken: "r"})
				result := wantKind(t, err, tt.kind, "")
				if took := time.Since(begin); took != tt.took || result.Retryable != (tt.kind == authorization.ErrNetwork) {
					t.Errorf("Refresh() failed after %v with %+v, want %v", took, result, tt.took)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error = %v, want context.DeadlineExceeded in it", err)
				}
			})
		})
	}
}
