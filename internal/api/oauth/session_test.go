package oauth_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// signedIn reports whether a browser is signed in.
func (b *browser) signedIn(t *testing.T) bool {
	t.Helper()
	return b.get(t, ask()).status == http.StatusOK
}

// signInByToken signs a user in with a user token.
func (b *browser) signInByToken(t *testing.T, token string) page {
	t.Helper()
	return b.post(t, b.get(t, "/oauth2/signin"), "/oauth2/signin", "token", token)
}

// pass returns a user token that was issued to the session of a browser, and how long it is valid.
func (b *browser) pass(t *testing.T) (string, time.Duration) {
	t.Helper()
	got := b.do(t, http.MethodPost, "/oauth2/pass", "")
	var issued struct {
		Token   string `json:"token"`
		Expires int    `json:"expires_in"`
	}
	if err := json.Unmarshal([]byte(got.text), &issued); err != nil || issued.Token == "" {
		t.Fatalf("pass: %d %s", got.status, got.text)
	}
	return issued.Token, time.Duration(issued.Expires) * time.Second
}

// works reports whether a user token is valid.
func (s *service) works(t *testing.T, token string) bool {
	t.Helper()
	_, err := s.Sessions.ByToken(t.Context(), token)
	return err == nil
}

// TestSessionEndsWithToken checks that replacing the token of a user ends all sessions of the user.
func TestSessionEndsWithToken(t *testing.T) {
	t.Parallel()
	put := func(token string) func(*testing.T, *service) {
		return func(t *testing.T, d *service) {
			t.Helper()
			if _, err := d.provision().PutUser(t.Context(), world.User{ID: 200, Username: "ada", Token: token}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*testing.T, *service)
		ends   bool
	}{
		{"the token is replaced", func(t *testing.T, d *service) {
			t.Helper()
			tokens := credentials.Tokens{Directory: d.Directory, Clock: d.clock}
			if _, err := tokens.ReplaceUserToken(t.Context(), 200); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"the operator sets another token", put("another"), true},
		{"the operator sets the same token", put("user-ada"), false},
		{"the operator sets no token", put(""), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			byToken, byChoice, other := d.browser(t), d.browser(t), d.browser(t)
			byToken.signInByToken(t, "user-ada")
			byChoice.signIn(t, "200")
			other.signIn(t, "201")
			tt.change(t, d)
			if byToken.signedIn(t) == tt.ends || byChoice.signedIn(t) == tt.ends {
				t.Errorf("the sessions of the user ended: %v, want %v", !byToken.signedIn(t), tt.ends)
			}
			if !other.signedIn(t) {
				t.Error("the session of another user ended")
			}
		})
	}
}

// TestPassEndsWithSession checks that a token that was issued to a session ends with it.
func TestPassEndsWithSession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*testing.T, *service, *browser)
	}{
		{"sign-out", func(t *testing.T, _ *service, b *browser) {
			t.Helper()
			b.post(t, b.get(t, ask()), "/oauth2/signout")
		}},
		{"another user signs in", func(t *testing.T, _ *service, b *browser) {
			t.Helper()
			b.signIn(t, "201")
		}},
		{"the user ends all sessions", func(t *testing.T, d *service, _ *browser) {
			t.Helper()
			if err := d.Sessions.Accounts.EndAllSessions(t.Context(), 200, ""); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			b, elsewhere := d.browser(t), d.browser(t)
			b.signIn(t, "200")
			elsewhere.signIn(t, "201")
			token, life := b.pass(t)
			stays, _ := elsewhere.pass(t)
			if !d.works(t, token) || life != time.Hour {
				t.Fatalf("pass %q for %v does not work", token, life)
			}
			tt.end(t, d, b)
			if d.works(t, token) {
				t.Error("the pass works after the end of its session")
			}
			if !d.works(t, stays) || !d.works(t, "user-ada") {
				t.Error("the token of another session, or the user's own token, was revoked")
			}
		})
	}
}

func TestPassIsBounded(t *testing.T) {
	t.Parallel()
	d := open(t)
	b := d.browser(t)
	b.signIn(t, "200")
	token, _ := b.pass(t)
	for range 50 {
		d.clock.Advance(time.Second)
		b.pass(t)
	}
	if d.works(t, token) {
		t.Error("a session has more than 50 passes")
	}
	d.clock.Advance(11*time.Hour + 30*time.Minute - 50*time.Second)
	token, life := b.pass(t)
	if life != 30*time.Minute {
		t.Errorf("a pass of a session that ends in 30 minutes is valid for %v", life)
	}
	if got := d.browser(t).signInByToken(t, token); got.status != http.StatusUnauthorized {
		t.Errorf("signing in with a pass: %d, want a refusal: the session would outlive the other one", got.status)
	}
}

func TestSessionOfTemporaryToken(t *testing.T) {
	t.Parallel()
	d := open(t)
	secret, err := credentials.Tokens{Directory: d.Directory, Clock: d.clock}.CreateTemporaryUserToken(t.Context(), 200)
	if err != nil {
		t.Fatal(err)
	}
	b := d.browser(t)
	b.signInByToken(t, secret.Reveal())
	if !b.signedIn(t) {
		t.Fatal("not signed in")
	}
	d.clock.Advance(time.Hour)
	if b.signedIn(t) {
		t.Error("the session outlives its temporary token")
	}
}

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := d.browser(t)
	first.signIn(t, "200")
	last := d.browser(t)
	for range 100 {
		d.clock.Advance(time.Second)
		last = d.browser(t)
		last.signIn(t, "200")
	}
	list, err := d.Sessions.Accounts.Sessions(t.Context(), snowflake.User(200))
	if err != nil || len(list) != 100 || first.signedIn(t) || !last.signedIn(t) {
		t.Errorf("%s sessions, %v: want 100, and the oldest ended", strconv.Itoa(len(list)), err)
	}
}
