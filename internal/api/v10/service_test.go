package v10_test

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
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/admin"
	"github.com/bellhop/bellhop/internal/api/dev"
	oauthapi "github.com/bellhop/bellhop/internal/api/oauth"
	v10 "github.com/bellhop/bellhop/internal/api/v10"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/channelhook"
	"github.com/bellhop/bellhop/internal/channels"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/invites"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/polls"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/roleconnections"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/bellhop/bellhop/internal/threads"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/getkin/kin-openapi/openapi3filter"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	openapi3filter.RegisterBodyDecoder("application/yaml", openapi3filter.RegisteredBodyDecoder("text/plain"))
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.RegisteredBodyDecoder("text/plain"))
	goleak.VerifyTestMain(m)
}

// testWorld contains the users, applications and guilds of the tests.
const testWorld = `
users:
  - {id: "700000000000000001", username: ada, locale: de, token: user-ada}
  - {id: "700000000000000002", username: bob, token: user-bob}
applications:
  - {id: "1300000000000000001", name: Echo, owner: "700000000000000001", bot_token: bot-echo, client_secret: s1, integration_types: [0, 1]}
  - {id: "1300000000000000002", name: Other, owner: "700000000000000002", bot_token: bot-other, client_secret: s2}
  - {id: "1300000000000000003", name: Game, owner: "700000000000000002", bot_token: bot-game, client_secret: s3, activities: true, provisional_accounts: {issuer: "https://id.example.com", client_id: game}}
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

// tokens are the Authorization headers of the callers in the tests.
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
	// Operators with one scope each.
	"op-read": "Bearer op-read", "op-directory": "Bearer op-directory", "op-secrets": "Bearer op-secrets",
	// Echo with the scopes for purchases and for role connections, acting for members.
	"shopper": "Bearer shopper-bob", "linked": "Bearer linked-bob",
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
	"anonymous":      "",
}

// stillClock always shows the same time.
type stillClock struct{ now time.Time }

func (c *stillClock) Now() time.Time { return c.now }

// AfterFunc never calls its function: only the movable clock on top of this one fires timers.
func (c *stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	return clock.System{}.AfterFunc(time.Hour, func() {})
}

// service is the whole service behind a handler, with a clock that stands still and ids that count.
type service struct {
	http.Handler

	dev       *dev.API
	states    *cache.Cache
	audit     *audit.Log
	files     *attachments.Files
	messages  *messages.Messages
	variables variables // values that earlier responses of a conversation contained
	log       *bytes.Buffer
	relayed   atomic.Pointer[string] // the token of the last interaction of the app Relay
}

func open(t testing.TB) *service { return openWith(t, ratelimit.Off()) }

// openWith opens a service with rate limits.
func openWith(t testing.TB, policy ratelimit.Policy) *service {
	t.Helper()
	var lines bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&lines, nil))
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
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
	ids := store.NewIDs(0, now.Now, time.Time{})
	commands := registry.New(states, now, ids)
	recorded := &audit.Log{Store: db, Clock: now, Wall: clock.System{}, IDs: store.NewIDs(1, now.Now, time.Time{}), Logger: log}
	dir := directory.New(directory.Config{
		Store: db, Cache: states, Clock: now, IDs: ids, Audit: recorded, Log: log,
	})
	tokens := &auth.Authenticator{Records: dir.Credentials, Clock: now}
	w, err := world.Parse("test.yaml", []byte(testWorld))
	if err != nil {
		t.Fatal(err)
	}
	worlds := &provision.Provisioner{
		Directory: dir, Clock: now, Audit: recorded, OnActivities: commands.AddEntryPoint, OnCommands: commands.Import,
	}
	if _, err := worlds.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	addCredentials(t, db, now.Now())
	setSigningKeys(t, db)
	picker := &permissions.Picker{Directory: dir, Commands: commands, Clock: now}
	sold := premium.New(premium.Config{Store: db, Cache: states, Directory: dir, Clock: now, IDs: ids, Log: log})
	s := &service{states: states, audit: recorded, log: &lines, variables: variables{}, dev: &dev.API{
		Directory: dir, Provision: worlds, Picker: picker, Clock: now, Start: w, Premium: sold,
		BeforeMove: func(context.Context, time.Duration) error { return nil }, AfterReset: func() {},
	}}
	s.files, err = attachments.OpenFiles(t.TempDir(), attachments.FilesConfig{Clock: now, Wall: clock.System{}, Log: log, Base: "http://bellhop.test"})
	if err != nil {
		t.Fatal(err)
	}
	s.dev.Traffic.Log = rules.Recording()
	s.dev.Interactions = startDispatch(t, s, ids)
	s.Handler = s.join(t, parts{db: db, tokens: tokens, commands: commands, ids: ids, log: log}, policy)
	return s
}

// parts are the parts of a service that only join needs.
type parts struct {
	db       store.Store
	tokens   *auth.Authenticator
	commands *registry.Registry
	ids      *store.IDs
	log      *slog.Logger
}

// join builds the remaining services and the handler.
func (s *service) join(t testing.TB, p parts, policy ratelimit.Policy) http.Handler {
	t.Helper()
	now, dir, m := s.dev.Clock, s.dev.Directory, metrics.New("test")
	hosted := lobbies.New(lobbies.Config{
		Cache: s.states, Clock: now, Wall: clock.System{}, IDs: p.ids, Log: p.log, Directory: dir, Codes: countedCodes(),
		Post: s.messages.PutLobbyMessage,
	})
	s.dev.Lobbies, s.dev.Messages = hosted, s.messages
	provider := &oauth.Server{Store: p.db, Clock: now, Wall: now, Directory: dir, Log: p.log, Issuer: "https://bellhop.example", Audit: s.audit}
	players := provisional.New(provisional.Config{
		Store: p.db, Directory: dir, OAuth: provider, Clock: now, Wall: clock.System{}, IDs: p.ids, Log: p.log, Audit: s.audit, Transfer: hosted.Members.Transfer, Verify: verifyPlayer,
	})
	webhooks := webhook.New(webhook.Config{
		Clock: clock.System{}, Metrics: m, Log: p.log, Policy: webhook.Production(), Resolver: noResolver{},
	})
	t.Cleanup(webhooks.Close)
	shown := &images.Images{Store: p.db, Directory: dir, Files: s.files, IDs: p.ids, Log: p.log}
	hooks := channelhook.New(channelhook.Config{Cache: s.states, Clock: now, IDs: p.ids, Directory: dir, Messages: s.messages, Images: shown, Secrets: s.files, Audit: s.audit, Log: p.log})
	voted := polls.New(polls.Config{Cache: s.states, Clock: now, Messages: s.messages, Log: p.log})
	s.dev.Polls = voted
	s.dev.Guilds = &guilds.Guilds{Directory: dir, Images: shown, Audit: s.audit, Clock: now, IDs: p.ids, Tokens: p.tokens, Messages: s.messages}
	opened := threads.New(threads.Config{Cache: s.states, Clock: now, IDs: p.ids, Directory: dir, Messages: s.messages, Audit: s.audit, Log: p.log})
	connections := &roleconnections.Connections{Store: p.db, Directory: dir}
	s.messages.Audit = s.audit
	s.messages.Threads = opened
	dir.Removals.Dependents = []directory.Dependent{p.commands, hosted, players, provider, s.messages, hooks, opened, s.dev.Guilds, s.dev.Premium, connections}
	limits := api.Limits{
		Edge: ratelimit.NewEdge(policy.Edge, now.Now()), Gate: ratelimit.NewGate(policy.Gate),
		Guard: ratelimit.Guard{Policy: &policy, Limiter: ratelimit.NewMemory(1<<10, now.Now())},
	}
	s.dev.Gateway = gateway.New(gateway.Config{
		Directory: dir, Tokens: p.tokens, Bus: &events.Bus{}, Clock: now, Wall: clock.System{}, Limits: limits.Guard, Metrics: m, Log: p.log,
	})
	s.dev.Guilds.Voice, s.dev.Guilds.Presence = s.dev.Gateway, s.dev.Gateway
	s.dev.Guilds.Activity = &guilds.Activity{Store: p.db, Clock: now, Wall: clock.System{}, Log: p.log}
	p.tokens.Active = s.dev.Guilds.Activity.Note
	serving, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var ran sync.WaitGroup
	ran.Go(func() {
		if err := s.dev.Gateway.Run(serving); err != nil {
			t.Error(err)
		}
	})
	ran.Go(func() { _ = players.Run(serving) })       // it returns nil
	ran.Go(func() { _ = s.dev.Premium.Run(serving) }) // it returns nil
	for _, wait := range []func(context.Context) error{players.WaitUntilRunning, s.dev.Premium.WaitUntilRunning} {
		if err := wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		stop()
		ran.Wait()
	})
	return server.NewHandler(api.Config{
		Store: p.db, Cache: s.states, Tokens: p.tokens, Clock: now, Wall: clock.System{}, Limits: limits, Metrics: m, Log: p.log, Version: "test", Audit: s.audit, LogLevel: &slog.LevelVar{},
	}, v10.Services{
		Directory: dir, Commands: p.commands, Picker: s.dev.Picker, Lobbies: hosted, Interactions: s.dev.Interactions, Messages: s.messages, Hooks: hooks, Threads: opened, Polls: voted,
		Guilds: s.dev.Guilds, Premium: s.dev.Premium, Connections: connections,
		Invites:     invites.New(invites.Config{Store: p.db, Clock: now, Directory: dir, Log: p.log, Codes: guildCodes()}),
		Channels:    channels.New(channels.Config{Clock: now, IDs: p.ids, Directory: dir}),
		Permissions: &permissions.Editor{Store: p.db, Commands: p.commands, Clock: now, Audit: s.audit},
		Attachments: s.files, Images: shown, Webhooks: webhooks, Gateway: s.dev.Gateway, Now: now.Now, IDs: p.ids,
	}, s.dev.Provision, &oauthapi.API{OAuth: provider, Directory: dir, Limits: &limits.Guard, Players: players, Pace: ratelimit.NewPace(&policy, now.Now()), Sessions: &oauthapi.Sessions{
		Store: p.db, Clock: now, Directory: dir, Tokens: p.tokens, IDs: p.ids, Accounts: oauth.Accounts{Server: provider}, Choose: true, Audit: s.audit, Public: func() string { return provider.Issuer },
	}}, &admin.Health{Clock: now, Sessions: s.dev.Gateway.BotSessions}, s.dev)
}

// countedCodes returns invite codes that are the same in every run.
func countedCodes() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("code%d", n) }
}

// noResolver resolves no host.
type noResolver struct{}

func (noResolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, errors.New("no such name")
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request as one of the callers in tokens.
func (s *service) ask(t testing.TB, as, method, path, body string, headers ...string) answer {
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
	s.ServeHTTP(w, req)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// verifyPlayer accepts the tokens "valid SUBJECT" of the provider of an application.
func verifyPlayer(_ context.Context, app *store.Application, token string) (idp.Player, error) {
	subject, ok := strings.CutPrefix(token, "valid ")
	if !ok {
		return idp.Player{}, apierror.IDTokenInvalid
	}
	return idp.Player{Issuer: app.PlayerIssuer, Subject: subject, Name: "Player " + subject}, nil
}

// guildCodes returns codes of invites to guilds that are the same in every run.
func guildCodes() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("guild%03d", n) }
}
