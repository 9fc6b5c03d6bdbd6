package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// stillClock stands still.
type stillClock struct{}

func (stillClock) Now() time.Time { return start }
func (stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	return &clock.Timer{}
}

// Ada owns the guilds, bob is a member of Lab, and carl is in no guild. Echo has a secret, Game is a public client, and
// Pocket can be installed by users only.
const lab = `
users:
  - {id: "200", username: ada, email: ada@example.com, token: user-ada}
  - {id: "201", username: bob, token: user-bob}
  - {id: "202", username: carl, token: user-carl}
applications:
  - id: "100"
    name: Echo
    owner: "200"
    bot_token: bot-echo
    client_secret: hush
    integration_types: [0, 1]
    grant_types: [authorization_code, client_credentials, device_code, implicit, refresh_token]
    redirect_uris: ["https://echo.example/cb", "https://echo.example/cb?keep=1", "echo:/authorize/callback", "http://127.0.0.1/callback"]
  - {id: "101", name: Game, owner: "201", bot_token: bot-game, client_secret: s2, public_client: true, redirect_uris: ["http://127.0.0.1/callback", "discord-101:/authorize/callback"]}
  - {id: "102", name: Pocket, owner: "201", bot_token: bot-pocket, client_secret: s3, integration_types: [1]}
guilds:
  - {id: "300", name: Lab, owner: "200", members: [{user: "201"}]}
  - {id: "301", name: Den, owner: "200"}
`

const issuer = "https://bellhop.example"

// fixture is an authorization server with its own store.
type fixture struct {
	*oauth.Server

	clock *clock.Movable
	auth  *auth.Authenticator
	db    store.Store
}

func open(t testing.TB) *fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := clock.NewMovable(stillClock{})
	held := cache.New(db, 1<<20)
	dir := directory.New(directory.Config{Store: db, Cache: held, Clock: now, IDs: store.NewIDs(0, now.Now, time.Time{})})
	auth := &auth.Authenticator{Records: dir.Credentials, Clock: now}
	w, err := world.Parse("lab.yaml", []byte(lab))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&provision.Provisioner{Directory: dir, Clock: now}).Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	g := &oauth.Server{Store: db, Clock: now, Wall: now, Directory: dir, Log: log, Issuer: issuer}
	dir.Removals.Dependents = []directory.Dependent{g}
	return &fixture{g, now, auth, db}
}

// Verifier and challenge of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// echo is Echo with its secret, game is Game without one.
var (
	echo = oauth.Client{ID: "100", Secrets: []string{"hush"}}
	game = oauth.Client{ID: "101"}
)

// params returns the parameters of an authorization request of Echo for a code. changes are pairs of name and value;
// the value "-" removes a parameter.
func params(changes ...string) url.Values {
	q := url.Values{
		"client_id": {"100"}, "response_type": {"code"}, "scope": {"identify"}, "redirect_uri": {"https://echo.example/cb"},
		"state": {"s t+é"},
	}
	return change(q, changes)
}

// gameParams returns the parameters of an authorization request of Game.
func gameParams(changes ...string) url.Values {
	return change(url.Values{
		"client_id": {"101"}, "response_type": {"code"}, "scope": {"openid sdk.social_layer"}, "state": {"x"},
		"redirect_uri": {"http://127.0.0.1:51234/callback"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}, changes)
}

func change(q url.Values, changes []string) url.Values {
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "-" {
			q.Del(changes[i])
			continue
		}
		q.Set(changes[i], changes[i+1])
	}
	return q
}

// accept lets a user accept an authorization request and returns the parameters of the response.
func (d *fixture) accept(t *testing.T, user snowflake.User, q url.Values) url.Values {
	t.Helper()
	ask, err := d.ParseAuthorization(t.Context(), q)
	if err != nil {
		t.Fatalf("ParseAuthorization(%v) = %v", q, err)
	}
	out, err := d.Decide(t.Context(), ask, oauth.Choice{User: user, Accept: true, SignedIn: start})
	if err != nil {
		t.Fatalf("Decide() = %v", err)
	}
	u, err := url.Parse(out.Redirect)
	if err != nil {
		t.Fatal(err)
	}
	if ask.Response == oauth.TokenResponse {
		answer, err := url.ParseQuery(u.EscapedFragment())
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	return u.Query()
}

// exchange exchanges a code of Echo.
func (d *fixture) exchange(t *testing.T, code string) oauth.Token {
	t.Helper()
	token, err := d.Token(t.Context(), oauth.TokenRequest{
		Client: echo, GrantType: "authorization_code", Code: code, RedirectURI: "https://echo.example/cb",
	})
	if err != nil {
		t.Fatalf("Token() = %v", err)
	}
	return token
}

// accepts reports whether an access token is valid.
func (d *fixture) accepts(t *testing.T, token auth.Secret) bool {
	t.Helper()
	_, err := d.auth.Authenticate(t.Context(), "Bearer "+token.Reveal())
	if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
		t.Fatal(err)
	}
	return err == nil
}

// refused checks that an error is an *Error with a code and, if given, a description. It returns the redirect URL.
func refused(t *testing.T, err error, code string, description ...string) (redirect string) {
	t.Helper()
	e, ok := errors.AsType[*oauth.Error](err)
	if !ok || e.Code != code || (len(description) > 0 && e.Description != description[0]) {
		t.Fatalf("error = %v, want %s %v", err, code, description)
	}
	return e.Redirect
}

// provision returns what writes worlds to the directory.
func (d *fixture) provision() *provision.Provisioner {
	return &provision.Provisioner{Directory: d.Directory, Clock: d.clock}
}
