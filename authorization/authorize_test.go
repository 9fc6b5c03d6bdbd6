package authorization_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/authorization"
)

func TestAuthorize(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := s.client(follow)
	args, verifier := communication()
	grant, err := client.Authorize(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	if grant.ClientID != appID || grant.Code == "" || !loopbackURI.MatchString(grant.RedirectURI) {
		t.Errorf("Authorize() = %+v, want a code for the application on loopback", grant)
	}
	token, err := client.Exchange(t.Context(), grant, verifier)
	if err != nil {
		t.Fatal(err)
	}
	if !s.alive(token) || token.IDToken == "" || token.Scopes != args.Scopes() || token.ExpiresIn != 7*24*time.Hour {
		t.Errorf("Exchange() = %+v, want a live token for a week with scopes %q", token, args.Scopes())
	}
	if got := s.forms()[0].Get("redirect_uri"); got != grant.RedirectURI {
		t.Errorf("exchange named redirect_uri %q, want %q", got, grant.RedirectURI)
	}
	wantClosed(t, grant.RedirectURI)
}

// wantClosed checks that the listener of the redirect URI is closed.
func wantClosed(t *testing.T, redirectURI string) {
	t.Helper()
	u, err := url.Parse(redirectURI)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp4", u.Host)
	if err == nil {
		closing(t, conn)
		t.Errorf("%s still listens", u.Host)
	}
}

func TestAuthorizeClientID(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := s.client(follow)
	client.SetApplicationID(7)
	args, verifier := communication()
	args.SetClientID(appID)
	grant, err := client.Authorize(t.Context(), args)
	if err != nil || grant.ClientID != appID {
		t.Fatalf("Authorize() = %+v, %v, want a grant for the record's application", grant, err)
	}
	token, err := client.Exchange(t.Context(), grant, verifier)
	if err != nil || token.ClientID != appID {
		t.Fatalf("Exchange() = %+v, %v, want a token for the record's application", token, err)
	}
	if _, err := client.Refresh(t.Context(), token); err != nil {
		t.Errorf("Refresh() error = %v, want one for the token's application", err)
	}
}

// A state set by the caller comes back unchanged, whatever characters it contains.
func TestAuthorizeOwnState(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"plain", "+ %20 é & = #", strings.Repeat("s", 2048)} {
		client := start(t).client(follow)
		args, _ := communication()
		args.SetState(state)
		if _, err := client.Authorize(t.Context(), args); err != nil {
			t.Errorf("Authorize() with state %.20q: %v", state, err)
		}
	}
}

// Authorize ignores a callback without the right state and accepts a right one that follows.
func TestAuthorizeForeignCallbacks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(url.Values)
	}{
		{"wrong state", func(q url.Values) { q.Set("state", "forged"); q.Set("code", "forged") }},
		{"state cut short", func(q url.Values) { q.Set("state", q.Get("state")[1:]) }},
		{"missing state", func(q url.Values) { q.Del("state") }},
		{"empty state", func(q url.Values) { q.Set("state", "") }},
		{"state given twice", func(q url.Values) { q.Add("state", q.Get("state")) }},
		{"error without state", func(q url.Values) { q.Del("state"); q.Set("error", "access_denied") }},
	} {
		t.Run(tt.name+", then the answer", func(t *testing.T) {
			t.Parallel()
			var code string
			client := start(t).client(func(_ context.Context, page string) error {
				back, err := consent(page)
				if err != nil {
					return err
				}
				code = back.Query().Get("code")
				callback(t, back, 400, tt.edit)
				callback(t, back, 200, unchanged)
				return nil
			})
			args, _ := communication()
			grant, err := client.Authorize(t.Context(), args)
			if err != nil || string(grant.Code) != code {
				t.Errorf("Authorize() = %q, %v, want %q", string(grant.Code), err, code)
			}
		})
		t.Run(tt.name+", then nothing", func(t *testing.T) {
			t.Parallel()
			ctx, expire := newDeadline(t)
			client := start(t).client(func(ctx context.Context, page string) error {
				err := goBack(t, 400, tt.edit)(ctx, page)
				expire()
				return err
			})
			args, _ := communication()
			_, err := client.Authorize(ctx, args)
			wantKind(t, err, authorization.ErrAuthorizationFailed, "the state does not match")
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error = %v, want context.DeadlineExceeded in it", err)
			}
		})
	}
}

// deadline is a context whose deadline passes when the test calls expire.
type deadline struct {
	context.Context
	done chan struct{}
}

func newDeadline(t *testing.T) (ctx context.Context, expire func()) {
	d := &deadline{Context: t.Context(), done: make(chan struct{})}
	return d, func() { close(d.done) }
}

func (d *deadline) Done() <-chan struct{} { return d.done }

func (d *deadline) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A callback with the right state ends the sign-in, also without a code.
func TestAuthorizeRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                 string
		deny                 bool
		edit                 func(url.Values)
		message, description string
	}{
		{
			name: "the user declines", deny: true, edit: unchanged, message: "access_denied",
			description: "The resource owner or authorization server denied the request",
		},
		{name: "no code", edit: func(q url.Values) { q.Del("code") }, message: "the redirect has no code"},
		{name: "empty code", edit: func(q url.Values) { q.Set("code", "") }, message: "the redirect has no code"},
		{name: "two codes", edit: func(q url.Values) { q.Add("code", "second") }, message: "the redirect has no code"},
		{name: "code and error", edit: func(q url.Values) { q.Set("error", "server_error") }, message: "server_error"},
		{
			name: "error with control characters", message: "bad   [31m error", description: strings.Repeat("d", 200),
			edit: func(q url.Values) {
				q.Set("error", "\nbad\r\n\x1b[31m error")
				q.Set("error_description", strings.Repeat("d", 5000))
			},
		},
		{
			name: "error that repeats the state", message: "state [secret] is bad",
			edit: func(q url.Values) { q.Set("error", "state "+q.Get("state")+" is bad") },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.deny = tt.deny
			args, _ := communication()
			_, err := s.client(goBack(t, 200, tt.edit)).Authorize(t.Context(), args)
			result := wantKind(t, err, authorization.ErrAuthorizationFailed, tt.message)
			if result.Description != tt.description {
				t.Errorf("Description = %q, want %q", result.Description, tt.description)
			}
		})
	}
}

func TestAuthorizeTakesOneAnswer(t *testing.T) {
	t.Parallel()
	var code string
	client := start(t).client(func(_ context.Context, page string) error {
		back, err := consent(page)
		if err != nil {
			return err
		}
		code = back.Query().Get("code")
		callback(t, back, 200, unchanged)
		callback(t, back, 410, unchanged)
		callback(t, back, 410, func(q url.Values) { q.Set("code", "second") })
		callback(t, back, 410, func(q url.Values) { q.Set("state", "forged") })
		return nil
	})
	args, _ := communication()
	grant, err := client.Authorize(t.Context(), args)
	if err != nil || string(grant.Code) != code {
		t.Errorf("Authorize() = %q, %v, want the first code %q", string(grant.Code), err, code)
	}
}

func TestAuthorizeAbort(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		abort func(cancel context.CancelFunc, client *authorization.Client)
	}{
		{"by context", func(cancel context.CancelFunc, _ *authorization.Client) { cancel() }},
		{"by AbortAuthorize", func(_ context.CancelFunc, client *authorization.Client) { client.AbortAuthorize() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var redirectURI string
			client := newClient()
			client.OpenBrowser = func(ctx context.Context, page string) error {
				redirectURI = query(t, page).Get("redirect_uri")
				tt.abort(cancel, client)
				<-ctx.Done()
				return ctx.Err()
			}
			args, _ := communication()
			_, err := client.Authorize(ctx, args)
			wantKind(t, err, authorization.ErrAborted, "")
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, want context.Canceled in it", err)
			}
			wantClosed(t, redirectURI)
			client.OpenBrowser = func(context.Context, string) error { return errStop }
			if _, err := client.Authorize(t.Context(), args); !errors.Is(err, errStop) {
				t.Errorf("Authorize() after an abort: %v, want a new sign-in", err)
			}
		})
	}
	t.Run("before it starts", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		client := newClient()
		client.OpenBrowser = func(context.Context, string) error {
			t.Error("a browser opened")
			return errStop
		}
		args, _ := communication()
		_, err := client.Authorize(ctx, args)
		wantKind(t, err, authorization.ErrAborted, "")
	})
	t.Run("with nothing running", func(t *testing.T) {
		t.Parallel()
		newClient().AbortAuthorize()
	})
}

func TestAuthorizeGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newClient()
		client.OpenBrowser = func(context.Context, string) error { return nil }
		args, _ := communication()
		args.SetCustomSchemeParam("mygame")
		begin := time.Now()
		_, err := client.Authorize(t.Context(), args)
		wantKind(t, err, authorization.ErrAborted, "")
		if took := time.Since(begin); took != 5*time.Minute || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Authorize() gave up after %v with %v, want 5 minutes", took, err)
		}
	})
}

func TestAuthorizeTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	args, _ := communication()
	client := s.client(nil)
	client.OpenBrowser = func(ctx context.Context, page string) error {
		_, err := client.Authorize(ctx, args)
		wantKind(t, err, authorization.ErrValidation, "another sign-in is running")
		return follow(ctx, page)
	}
	if _, err := client.Authorize(t.Context(), args); err != nil {
		t.Errorf("Authorize() error = %v, want the first sign-in to go on", err)
	}
}

// Changing the record while a sign-in runs has no effect on the sign-in.
func TestAuthorizeTakesASnapshot(t *testing.T) {
	t.Parallel()
	s := start(t)
	args, verifier := communication()
	args.SetState("first")
	client := s.client(func(ctx context.Context, page string) error {
		args.SetState("second")
		args.ClearCodeChallenge()
		args.Move()
		return follow(ctx, page)
	})
	grant, err := client.Authorize(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Exchange(t.Context(), grant, verifier); err != nil {
		t.Errorf("Exchange() error = %v", err)
	}
}

// An opener may run until its context ends. The callback ends the context.
func TestAuthorizeOpenerStays(t *testing.T) {
	t.Parallel()
	client := start(t).client(func(ctx context.Context, page string) error {
		if err := follow(ctx, page); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
	args, _ := communication()
	if _, err := client.Authorize(t.Context(), args); err != nil {
		t.Errorf("Authorize() error = %v", err)
	}
}

func TestAuthorizeNoBrowser(t *testing.T) {
	t.Parallel()
	var redirectURI string
	client := newClient()
	client.OpenBrowser = func(_ context.Context, page string) error {
		redirectURI = query(t, page).Get("redirect_uri")
		return authorization.ErrNoBrowser
	}
	args, _ := communication()
	_, err := client.Authorize(t.Context(), args)
	wantKind(t, err, authorization.ErrAuthorizationFailed, "no browser")
	if !errors.Is(err, authorization.ErrNoBrowser) {
		t.Errorf("error = %v, want that of the opener in it", err)
	}
	wantClosed(t, redirectURI)
}
