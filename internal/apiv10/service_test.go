package apiv10_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/apiv10"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/oauthapi"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/signin"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/getkin/kin-openapi/openapi3filter"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	openapi3filter.RegisterBodyDecoder("application/yaml", openapi3filter.RegisteredBodyDecoder("text/plain"))
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.RegisteredBodyDecoder("text/plain"))
	goleak.VerifyTestMain(m)
}

// testWorld is who and what the tests speak of.
const testWorld = `
users:
  - {id: "700000000000000001", username: ada, locale: de, token: user-ada}
  - {id: "700000000000000002", username: bob, token: user-bob}
applications:
  - {id: "1300000000000000001", name: Echo, owner: "700000000000000001", bot_token: bot-echo, client_secret: s1, integration_types: [0, 1]}
  - {id: "1300000000000000002", name: Other, owner: "700000000000000002", bot_token: bot-other, client_secret: s2}
  - {id: "1300000000000000003", name: Game, owner: "700000000000000002", bot_token: bot-game, client_secret: s3, activities: true}
guilds:
  - id: "900000000000000001"
    name: Lab
    owner: "700000000000000001"
    channels: [{id: "900000000000000010", name: general}]
    members: [{user: "700000000000000001"}, {user: "700000000000000002"}]
    installs:
      - {application: "1300000000000000001", scopes: [applications.commands]}
      - {application: "1300000000000000003", scopes: [bot]}
  - id: "900000000000000002"
    name: Empty
    owner: "700000000000000001"
`

// tokens are the Authorization headers of the tests' callers.
var tokens = map[string]string{
	"bot":    "Bot bot-echo",
	"relay":  "Bot bot-relay",
	"other":  "Bot bot-other",
	"game":   "Bot bot-game",
	"client": "Bearer client-echo",
	"weak":   "Bearer weak-echo",
	"old":    "Bearer old-echo",
	"person": "user-ada",
	"bob":    "user-bob",
	"signed": "Bearer signed-ada",
	"mail":   "Bearer mail-ada",
	"admin":  "Bearer admin",
	"ada":    "Bearer player-ada", // with the scope for lobbies, as is player
	"player": "Bearer player-bob",
	"away":   "Bearer other-ada", // of another application

	// Echo with the scope for permissions, acting for its owner and for members.
	"permit":         "Bearer permit-own",
	"permit-ada":     "Bearer permit-ada",
	"permit-bob":     "Bearer permit-bob",
	"permit-carl":    "Bearer permit-carl",
	"permit-eve":     "Bearer permit-eve",
	"permit-of-game": "Bearer permit-of-game",
	"wrong":          "Bot nobody",
	"nobody":         "",
}

// stillClock shows the same time until it is moved.
type stillClock struct{ now time.Time }

func (c *stillClock) Now() time.Time { return c.now }

// AfterFunc never calls: the time comes only when the movable clock over this one is moved.
func (c *stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	return clock.System{}.AfterFunc(time.Hour, func() {})
}

// desk is the whole service behind a handler, with a clock that stands still and ids that count.
type desk struct {
	http.Handler

	dev    *devtools.Dev
	states *cache.Cache
	files  *attachments.Attachments
	seen   memory // what earlier answers of a conversation showed
	log    *bytes.Buffer
}

func open(t testing.TB) *desk { return openWith(t, ratelimit.Off()) }

// openWith opens a desk with limits.
func openWith(t testing.TB, policy ratelimit.Policy) *desk {
	t.Helper()
	var lines bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&lines, nil))
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := clock.NewMovable(&stillClock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)})
	states := cache.New(db, 64<<20)
	tokens := &auth.Authenticator{Store: db, Cache: states, Clock: now}
	ids := snowflake.NewGenerator(0, now.Now, time.Time{})
	commands := registry.New(states, now, ids)
	dir := &directory.Directory{Store: db, Cache: states, Clock: now, IDs: ids, OnActivities: commands.Launch, Log: log}
	tokens.Owners = dir
	w, err := world.Parse("test.yaml", []byte(testWorld))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	d := &desk{states: states, log: &lines, seen: memory{}}
	for _, c := range []struct {
		token   string
		scopes  []string
		expires time.Duration
	}{
		{"client-echo", []string{"applications.commands.update"}, time.Hour},
		{"weak-echo", []string{"identify"}, time.Hour},
		{"old-echo", []string{"applications.commands.update"}, -time.Hour},
	} {
		err := tokens.Put(t.Context(), store.Credential{
			Hash: auth.Hash(c.token), Kind: store.BearerToken, Application: 1300000000000000001,
			Scopes: c.scopes, Expires: now.Now().Add(c.expires),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	introduce(t, dir, tokens)
	appoint(t, dir, tokens)
	halls := lobbies.New(lobbies.Config{Cache: states, Clock: now, IDs: ids, Log: log, Directory: dir, Codes: countedCodes()})
	offered := &permissions.Picker{Directory: dir, Commands: commands, Clock: now}
	d.dev = &devtools.Dev{
		Desk: devtools.Desk{Directory: dir, Picker: offered}, Clock: now, Start: w,
		BeforeMove: func(context.Context, time.Duration) error { return nil },
		AfterReset: func() {},
	}
	granted := &oauthserver.Grants{Store: db, Clock: now, Directory: dir, Log: log, Issuer: "https://bellhop.example"}
	door := &signin.Door{
		Store: db, Clock: now, Directory: dir, Tokens: tokens, IDs: ids, Choose: true, Public: func() string { return granted.Issuer },
	}
	numbers := metrics.New("test")
	endpoints := webhook.New(webhook.Config{
		Clock: clock.System{}, Metrics: numbers, Log: log, Policy: webhook.Production(), Resolver: nowhere{},
	})
	t.Cleanup(endpoints.Close)
	files, err := attachments.Open(t.TempDir(), attachments.Config{Clock: now, Log: log, Base: "http://bellhop.test"})
	if err != nil {
		t.Fatal(err)
	}
	d.files = files
	d.dev.Interactions = dispatched(t, d, ids, files)
	dir.Dependents = []directory.Dependent{commands, halls, granted, d.dev.Interactions.Messages()}
	guard := ratelimit.Guard{Policy: &policy, Limiter: ratelimit.NewMemory(1<<10, now.Now())}
	a := &apiv10.API{
		Frame: httpapi.Frame{
			Store: db, Cache: states, Directory: dir, Tokens: tokens, Door: door, Interactions: d.dev.Interactions, Attachments: files, Clock: now,
			Limits: httpapi.Limits{
				Edge: ratelimit.NewEdge(policy.Edge, now.Now()), Gate: ratelimit.NewGate(policy.Gate),
				Guard: guard,
			},
			Dev: d.dev, Metrics: numbers, Log: log, Version: "test",
		},
		Commands: commands, Picker: offered, Lobbies: halls, Grants: granted,
		Pages: &oauthapi.Pages{Grants: granted, Door: door, Directory: dir}, Endpoints: endpoints, IDs: ids,
		Gateway: gateway.New(gateway.Config{
			Directory: dir, Tokens: tokens, Bus: &events.Bus{}, Clock: now, Limits: guard, Metrics: numbers, Log: log,
		}),
	}
	d.Handler = a.Handler()
	return d
}

// countedCodes makes codes that can be told in advance.
func countedCodes() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("code%d", n) }
}

// nowhere knows no name.
type nowhere struct{}

func (nowhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, errors.New("no such name")
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request as one of the callers in tokens.
func (d *desk) ask(t testing.TB, as, method, path, body string, headers ...string) answer {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req := httptest.NewRequestWithContext(t.Context(), method, path, r)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token := tokens[as]; token != "" {
		req.Header.Set("Authorization", token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, req)
	return answer{w.Code, w.Header(), w.Body.String()}
}
