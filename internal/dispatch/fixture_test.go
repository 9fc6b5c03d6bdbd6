package dispatch_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The users, applications, guild and channels of the tests.
const (
	ada, bob, cleo                     snowflake.User        = 200, 201, 202
	echo, tool                         snowflake.Application = 100, 101
	guild                              snowflake.Guild       = 300
	general, hidden, thread, quiet     snowflake.Channel     = 310, 311, 312, 313
	withEcho, withBob, group, withTool snowflake.Channel     = 501, 502, 503, 504
)

// everyoneBits are the permissions of @everyone: view, read history, send, use commands, activities and external apps.
const everyoneBits = "1126726688115712"

// lab is a world with an app that the guild has installed and that has activities, and an app that only bob has
// installed.
const lab = `
users:
  - {id: 200, username: ada, global_name: Ada, locale: de}
  - {id: 201, username: bob}
  - {id: 202, username: cleo}
applications:
  - {id: 100, name: Echo, owner: 200, integration_types: [0, 1], activities: true}
  - {id: 101, name: Tool, owner: 200, integration_types: [0, 1]}
guilds:
  - id: 300
    name: Lab
    owner: 202
    preferred_locale: fr
    everyone: "1126726688115712"
    roles: [{id: 301, name: mods, permissions: "0"}]
    channels:
      - {id: 310, name: general, type: 0, topic: talk}
      - {id: 311, name: hidden, type: 0, permission_overwrites: [{id: 300, type: 0, allow: "0", deny: "1024"}]}
      - {id: 312, name: thread, type: 11, parent: 310}
      - {id: 313, name: quiet, type: 0, permission_overwrites: [{id: 300, type: 0, allow: "0", deny: "2048"}]}
    members: [{user: 200, roles: [301]}, {user: 201}, {user: 202}]
    installs: [{application: 100, scopes: [bot, applications.commands]}]
user_installs:
  - {user: 201, application: 101}
`

// fixture is the service over its own store, with its dependencies.
type fixture struct {
	*dispatch.Dispatch

	t        testing.TB
	db       *gatedStore
	path     string
	clock    *clock.Movable
	commands *registry.Registry
	events   *recordedEvents
	files    *memoryFiles
	hooks    *webhook.Deliverer
	metrics  *metrics.Metrics
	config   dispatch.Config
	stop     func()
}

// open starts a fixture with its own database.
func open(t testing.TB, change ...func(*dispatch.Config)) *fixture {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "bellhop.db"), clock.NewMovable(newFixedClock()), change...)
}

// reopen starts a fixture over a database that may have been used before.
func reopen(t testing.TB, path string, now *clock.Movable, change ...func(*dispatch.Config)) *fixture {
	t.Helper()
	return start(t, path, now, &gatedStore{}, change...)
}

// openShared starts a fixture whose store reports that it is shared with other nodes.
func openShared(t testing.TB, change ...func(*dispatch.Config)) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	return start(t, path, clock.NewMovable(newFixedClock()), &gatedStore{shared: true}, change...)
}

func start(t testing.TB, path string, now *clock.Movable, db *gatedStore, change ...func(*dispatch.Config)) *fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	base, err := sqlite.OpenVolatile(t.Context(), path, clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	db.Store = base
	d := &fixture{t: t, db: db, path: path, clock: now, events: &recordedEvents{t: t, more: make(chan struct{})}, metrics: metrics.New("test")}
	db.Subscribe(d.events.committed)
	d.files = &memoryFiles{files: map[snowflake.Attachment]string{}}
	wall := engines.NewSlowClock() // an app is never too late on a busy machine
	d.hooks = webhook.New(webhook.Config{Clock: wall, Metrics: d.metrics, Log: log, Policy: webhook.Development()})
	cfg := dispatch.Config{
		Wall: wall, Clock: now, Webhooks: d.hooks, Metrics: d.metrics, Log: log,
		ActivityURL: func(_ snowflake.Application, id string) string { return "https://play.example/" + id },
	}
	d.commands = d.configureNode(&cfg, db, 1)
	for _, c := range change {
		c(&cfg)
	}
	d.config = cfg
	d.Dispatch = dispatch.New(cfg)
	d.apply(lab)
	d.run()
	t.Cleanup(d.close)
	return d
}

// configureNode sets the dependencies of one node: a cache and the services that read from it.
func (d *fixture) configureNode(cfg *dispatch.Config, db store.Store, node uint16) *registry.Registry {
	states := cache.New(db, 64<<20)
	cfg.Cache = states
	ids := store.NewIDs(node, cfg.Clock.Now, time.Time{})
	commands := registry.New(states, cfg.Clock, ids)
	cfg.IDs = ids
	cfg.Directory = directory.New(directory.Config{
		Store: db, Cache: states, Clock: cfg.Clock, IDs: ids, Log: cfg.Log,
	})
	cfg.Messages = messages.New(messages.Config{
		Cache: states, IDs: ids, Directory: cfg.Directory, Files: d.files, Metrics: cfg.Metrics, Log: cfg.Log,
	})
	cfg.Picker = &permissions.Picker{Directory: cfg.Directory, Commands: commands, Clock: cfg.Clock}
	return commands
}

// metricsText returns the metrics of the service.
func (d *fixture) metricsText() string {
	w := httptest.NewRecorder()
	d.metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// otherNode returns the configuration of another node over the same store.
func (d *fixture) otherNode() dispatch.Config {
	c := d.config
	c.Metrics = metrics.New("other")
	d.configureNode(&c, unsubscribedStore{&gatedStore{Store: d.db.Store, shared: true}}, 2)
	return c
}

// run runs the service until stop is called. It returns after the first sweep has begun.
func (d *fixture) run() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(d.t.Context()))
	done := make(chan error, 1)
	sweeping := make(chan struct{})
	d.db.read = sync.OnceFunc(func() { close(sweeping) })
	go func() { done <- d.Run(ctx) }()
	<-sweeping
	d.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			d.t.Error(err)
		}
	})
}

// close stops the service and closes the store. It can be called more than once.
func (d *fixture) close() {
	d.stop()
	d.hooks.Close()
	if err := d.db.Close(); err != nil {
		d.t.Error(err)
	}
}

// provision returns what writes worlds to the directory.
func (d *fixture) provision() *provision.Provisioner {
	return &provision.Provisioner{Directory: d.Directory, Clock: d.config.Clock, OnActivities: d.commands.AddEntryPoint}
}

func (d *fixture) apply(file string) {
	d.t.Helper()
	w, err := world.Parse("world.yaml", []byte(file))
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.provision().Apply(d.t.Context(), w); err != nil {
		d.t.Fatal(err)
	}
	for channel, users := range map[snowflake.Channel][]snowflake.User{
		withEcho: {snowflake.User(echo), ada}, withBob: {ada, bob}, group: {ada, bob, cleo}, withTool: {snowflake.User(tool), bob},
	} {
		kind := wire.DM
		if len(users) > 2 {
			kind = wire.GroupDM
		}
		err := store.Decide(d.t.Context(), d.db, func(tx *store.Tx) error {
			return tx.Put(store.Channel{ID: channel, Type: kind, Recipients: users})
		})
		if err != nil {
			d.t.Fatal(err)
		}
	}
}

// register creates a command.
func (d *fixture) register(app snowflake.Application, in snowflake.Guild, definition string) *command.Command {
	d.t.Helper()
	a, err := d.Directory.Applications.Application(d.t.Context(), app)
	if err != nil {
		d.t.Fatal(err)
	}
	scope := command.Scope{Application: app, Guild: in}
	c, _, err := d.commands.Create(d.t.Context(), scope, registry.Env(scope, a), []byte(definition))
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

func parse(t testing.TB, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// appServer is the interactions endpoint of an app.
type appServer struct {
	*httptest.Server

	mu   sync.Mutex
	got  [][]byte // bodies of requests
	more chan struct{}
}

// endpoint starts an interactions endpoint and sets it for an application.
func (d *fixture) endpoint(id snowflake.Application, handle http.HandlerFunc) *appServer {
	d.t.Helper()
	a := &appServer{more: make(chan struct{}, 1024)}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has closed the connection
		}
		a.mu.Lock()
		a.got = append(a.got, body)
		a.mu.Unlock()
		a.more <- struct{}{}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handle(w, r)
	}))
	d.t.Cleanup(a.Close)
	d.setEndpoint(id, a.URL)
	return a
}

func (d *fixture) setEndpoint(id snowflake.Application, url string) {
	d.t.Helper()
	err := store.Decide(d.t.Context(), d.db, func(tx *store.Tx) error {
		kept, err := tx.Directory.Application(id)
		if err != nil {
			return err
		}
		kept.InteractionsEndpointURL = url
		return tx.Put(kept)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (a *appServer) bodies() [][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.got
}

// respond returns a handler that responds to every request with the same JSON.
func respond(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// respondAccepted responds with 202: the app will use the callback route.
func respondAccepted(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }

// invokeBody returns the body of an invocation of a command. more are further members of data.
func invokeBody(c *command.Command, in snowflake.Guild, channel snowflake.Channel, more string) string {
	guildID := ""
	if in != 0 {
		guildID = fmt.Sprintf(`"guild_id":"%v",`, in)
	}
	return fmt.Sprintf(`{"type":2,"application_id":"%v",%s"channel_id":"%v","data":{"id":"%v","version":"%v","name":"%v","type":%d%s}}`,
		c.Scope.Application, guildID, channel, c.ID, c.Version, c.Name, c.Type, more)
}

// withMembers returns a body with more members in front.
func withMembers(body, members string) string {
	return "{" + members + "," + strings.TrimPrefix(body, "{")
}

// invoke sends an invocation that must be accepted.
func (d *fixture) invoke(user snowflake.User, body string, files ...attachments.Upload) snowflake.Interaction {
	d.t.Helper()
	i, err := d.Invoke(d.t.Context(), dispatch.InvokeRequest{User: user, Body: parse(d.t, body), Files: files})
	if err != nil {
		d.t.Fatalf("Invoke(%s) = %v", body, err)
	}
	return i.ID
}

// invokeAndWait sends an invocation and waits for its first answer.
func (d *fixture) invokeAndWait(user snowflake.User, body string) dispatch.Outcome {
	d.t.Helper()
	w := dispatch.NewWatch()
	defer w.Close()
	if _, err := d.Invoke(d.t.Context(), dispatch.InvokeRequest{User: user, Body: parse(d.t, body), Watch: w}); err != nil {
		d.t.Fatalf("Invoke(%s) = %v", body, err)
	}
	return d.waitAnswer(w)
}

func (d *fixture) waitAnswer(w *dispatch.Watch) dispatch.Outcome {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), waitLimit)
	defer cancel()
	out, err := w.Answer(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// waitLimit is the longest time that a test waits for an event that must come.
const waitLimit = 20 * time.Second

// waitEvents waits until there are count events with a name.
func (d *fixture) waitEvents(name string, count int) []events.Event {
	d.t.Helper()
	timeout := time.After(waitLimit)
	for {
		found, more := d.events.named(name)
		if len(found) >= count {
			return found
		}
		select {
		case <-more:
		case <-timeout:
			d.t.Fatalf("got %d %s, want %d", len(found), name, count)
		}
	}
}

// newestToken returns the newest interaction that was sent to a bot, and its token.
func (d *fixture) newestToken() (snowflake.Interaction, string) {
	d.t.Helper()
	for _, e := range reversed(d.waitEvents("INTERACTION_CREATE", 1)) {
		if e.To.Application != 0 {
			v := parse(d.t, string(e.Data))
			id, err := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
			if err != nil {
				d.t.Fatal(err)
			}
			return id, v.Get("token").Text()
		}
	}
	d.t.Fatal("no bot received an interaction")
	return 0, ""
}

func reversed[T any](list []T) []T {
	out := make([]T, 0, len(list))
	for i := range list {
		out = append(out, list[len(list)-1-i])
	}
	return out
}

// callback answers an interaction.
func (d *fixture) callback(id snowflake.Interaction, token, body string, files ...attachments.Upload) error {
	d.t.Helper()
	_, err := d.Callback(d.t.Context(), id, token, dispatch.Response{Body: parse(d.t, body), Files: files}, false)
	return err
}

// response returns a request of an app.
func (d *fixture) response(body string, files ...attachments.Upload) dispatch.Response {
	d.t.Helper()
	return dispatch.Response{Body: parse(d.t, body), Files: files}
}

func upload(index int, name, text string) attachments.Upload {
	return attachments.Upload{
		Index: index, Name: name, ContentType: "text/plain", Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
}

const ping = `{"name":"ping","description":"Ping","type":1}`
