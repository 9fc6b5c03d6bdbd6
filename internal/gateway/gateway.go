package gateway

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/store/events"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// Config has the dependencies and settings of the gateway. Fields are required unless they say otherwise.
type Config struct {
	Directory *directory.Directory
	Tokens    *auth.Authenticator
	Bus       *events.Bus
	Clock     clock.Clock     // the service's clock: it counts identifies and ends sessions that were not resumed
	Limits    ratelimit.Guard // on identifies, payloads and requests for members
	// Edge counts the clients with wrong tokens. It may be nil.
	Edge *ratelimit.Edge
	// Audit gets the clients with wrong tokens. It may be nil.
	Audit   *audit.Log
	Metrics *metrics.Metrics
	Log     *slog.Logger
	// URL is the gateway's address for clients, such as wss://host/gateway/. If it is empty, clients get the host of
	// their request.
	URL string
	// Wall is the system's clock, for deadlines of connections and waits between nodes.
	Wall clock.Clock
	// ExpiryClock closes silent connections. nil means Wall: moving the service's clock must not disconnect clients.
	ExpiryClock clock.Clock
	// Lobbies gets users who connect and disconnect, and returns the lobbies for READY. It may be nil.
	Lobbies Lobbies
	// Bots gets bots that connect and disconnect, so that other nodes know of them. It is nil if there is one node.
	Bots Bots
	// Shared gives access to the sessions of all nodes, so that a client can resume at another node. It is nil if there
	// is one node.
	Shared session.Shared
	// Interest gets the partitions of events that the sessions need. It is nil if this node gets all events.
	Interest *events.Interest
	// HasCommands reports whether an application has global commands. It may be nil.
	HasCommands func(ctx context.Context, app snowflake.Application) (bool, error)
	// Active gets the user of each session that ends. It may be nil.
	Active func(user snowflake.User)
	// Record gets every payload. It may be nil. It must not block, and it owns the text.
	Record func(owner session.Owner, direction socket.Direction, text []byte)

	Settings Settings
}

// Lobbies is the service of lobbies.
type Lobbies interface {
	// LobbiesOf returns the lobbies of an application that a user is in, each as the data of LOBBY_CREATE.
	LobbiesOf(ctx context.Context, app snowflake.Application, user snowflake.User) ([][]byte, error)
	// ClientConnected is called when a user's first session for an application is ready, ClientDisconnected when the
	// last one has ended.
	ClientConnected(ctx context.Context, app snowflake.Application, user snowflake.User) error
	ClientDisconnected(ctx context.Context, app snowflake.Application, user snowflake.User) error
}

// Bots knows which bots are connected to any node. Calls for a bot that change nothing are allowed.
type Bots interface {
	// BotConnected is called before a new session of a bot gets READY. BotDisconnected is called when the last one has
	// ended.
	BotConnected(ctx context.Context, app snowflake.Application)
	BotDisconnected(ctx context.Context, app snowflake.Application)
}

// Settings are the gateway's limits. Zero values mean the default.
type Settings struct {
	HeartbeatInterval time.Duration // between heartbeats
	ResumeWindow      time.Duration // how long a session can be resumed after its connection broke
	IdentifyTimeout   time.Duration // how long a client may take to identify
	DrainTimeout      time.Duration // how long clients may take to disconnect when the service stops
	MaxPayload        int           // bytes of a client's payload
	MaxGuilds         int           // guilds of a bot on one shard
	ReplayEvents      int           // events that a session keeps for a resume
	ReplayBytes       int           // bytes of events that a session keeps for a resume
	Backlog           int           // events that wait for the hub
	MaxContexts       int           // connections with a compressed stream
	MaxStarting       int           // sessions that start at the same time
}

// DefaultSettings returns the default settings.
func DefaultSettings() Settings {
	return Settings{
		HeartbeatInterval: 41250 * time.Millisecond, ResumeWindow: 3 * time.Minute, IdentifyTimeout: time.Minute, DrainTimeout: 5 * time.Second,
		MaxPayload: 4096, MaxGuilds: 2500, ReplayEvents: 1000, ReplayBytes: 15 << 20, Backlog: 16 << 10, MaxContexts: 1024, MaxStarting: 256,
	}
}

// complete replaces zero values with the defaults.
func (s Settings) complete() Settings {
	d := DefaultSettings()
	for _, f := range []struct{ v, d *time.Duration }{
		{&s.HeartbeatInterval, &d.HeartbeatInterval}, {&s.ResumeWindow, &d.ResumeWindow}, {&s.IdentifyTimeout, &d.IdentifyTimeout}, {&s.DrainTimeout, &d.DrainTimeout},
	} {
		if *f.v == 0 {
			*f.v = *f.d
		}
	}
	for _, f := range []struct{ v, d *int }{
		{&s.MaxPayload, &d.MaxPayload},
		{&s.MaxGuilds, &d.MaxGuilds},
		{&s.ReplayEvents, &d.ReplayEvents},
		{&s.ReplayBytes, &d.ReplayBytes},
		{&s.Backlog, &d.Backlog},
		{&s.MaxContexts, &d.MaxContexts},
		{&s.MaxStarting, &d.MaxStarting},
	} {
		if *f.v == 0 {
			*f.v = *f.d
		}
	}
	return s
}

// Gateway serves gateway connections. New creates it; Run must be running for it to accept clients. It is safe for
// concurrent use.
type Gateway struct {
	Config

	hub          *hub
	node         *session.Node
	index        *session.Index
	view         *session.View
	bounds       *session.Bounds
	timeouts     *timeouts
	retention    *retention
	counters     *counters
	subscription *events.Subscription // read by the hub
	starts       startCounts
	anonymous    anonymous
	connections  *connections
	statuses     *statuses
	starting     chan struct{} // has an element for each session that starts

	pool    *socket.Pool
	workers sync.WaitGroup

	running chan struct{} // closed when Run accepts clients

	mu      sync.Mutex
	start   func(work func(ctx context.Context)) // starts a goroutine that ends with Run; nil while Run does not accept clients
	sockets map[*conn]struct{}
}

// New returns a gateway that accepts clients once it runs.
func New(c Config) *Gateway {
	c.Settings = c.Settings.complete()
	if c.ExpiryClock == nil {
		c.ExpiryClock = c.Wall
	}
	g := &Gateway{Config: c, sockets: map[*conn]struct{}{}, running: make(chan struct{}), starting: make(chan struct{}, c.Settings.MaxStarting)}
	g.hub = &hub{Gateway: g}
	g.index = session.NewIndex(c.Shared != nil)
	g.index.Interest = c.Interest
	g.view = &session.View{Guilds: c.Directory.Guilds, Log: c.Log}
	g.bounds = &session.Bounds{ReplayEvents: c.Settings.ReplayEvents, ReplayBytes: c.Settings.ReplayBytes}
	g.node = session.NewNode(session.NodeConfig{
		Shared: c.Shared, Index: g.index, View: g.view, Bounds: g.bounds, ResumeWindow: c.Settings.ResumeWindow,
		Clock: c.Clock, Wall: c.Wall, Log: c.Log, Release: g.release,
	})
	g.timeouts = newTimeouts(clock.Elapsed(c.ExpiryClock))
	g.retention = &retention{gateway: g}
	g.pool = socket.NewPool(socket.Bounds{MaxPayload: c.Settings.MaxPayload, MaxContexts: c.Settings.MaxContexts}, c.Wall, c.Metrics, c.Log)
	g.counters = registerMetrics(g)
	g.connections = newConnections(g)
	g.statuses = newStatuses(g)
	g.view.Presences, g.view.Voices = g.statuses.listed, g.statuses.voicesIn
	g.subscription = c.Bus.Subscribe(c.Settings.Backlog)
	return g
}

// elapsed returns the time for the timeouts of connections.
func (g *Gateway) elapsed() time.Duration { return clock.Elapsed(g.ExpiryClock) }

// silenceTimeout returns the time after which a client without a heartbeat is disconnected.
func (g *Gateway) silenceTimeout() time.Duration { return g.Settings.HeartbeatInterval * 3 / 2 }

// Run delivers events until ctx ends, then disconnects the clients and waits for them. When it returns, no goroutine of
// the gateway is running.
func (g *Gateway) Run(ctx context.Context) error {
	// Connections are served until they are closed, which happens after ctx has ended.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g.mu.Lock()
	g.start = func(work func(context.Context)) { g.workers.Go(func() { work(serving) }) }
	g.mu.Unlock()
	g.hub.catchUp(serving)
	var own sync.WaitGroup
	own.Go(func() { g.hub.run(serving) })
	own.Go(func() { g.node.Run(serving) })
	own.Go(func() { g.timeouts.run(serving, g.ExpiryClock) })
	own.Go(func() { g.connections.run(serving) })
	own.Go(func() { g.statuses.run(serving) })
	own.Go(func() { g.retention.run(serving) })
	close(g.running)
	<-ctx.Done()
	g.disconnectAll(serving)
	stop()
	own.Wait()
	g.workers.Wait()
	g.pool.Wait()
	return nil
}

// disconnectAll closes all connections. It sends Reconnect (op 7) first, so that clients resume at another node.
func (g *Gateway) disconnectAll(ctx context.Context) {
	g.mu.Lock()
	g.start = nil
	list := make([]*conn, 0, len(g.sockets))
	for k := range g.sockets {
		list = append(list, k)
	}
	g.mu.Unlock()
	for _, k := range list {
		k.SendText(reconnect)
	}
	g.waitClosed(ctx, list, g.Settings.DrainTimeout)
	for _, k := range list {
		k.Close(socket.ErrRestart)
	}
	g.waitClosed(ctx, list, time.Second)
	for _, k := range list {
		k.CloseNow()
	}
}

// waitClosed waits until all of the connections are closed, at most for the given time.
func (g *Gateway) waitClosed(ctx context.Context, list []*conn, timeout time.Duration) {
	const poll = 20 * time.Millisecond
	for waited := time.Duration(0); waited < timeout; waited += poll {
		g.mu.Lock()
		open := 0
		for _, k := range list {
			if _, there := g.sockets[k]; there {
				open++
			}
		}
		g.mu.Unlock()
		if open == 0 {
			return
		}
		clock.Wait(ctx, g.Wall, poll)
	}
}

// serve runs talk for a connection on a goroutine of its own. It reports false if the gateway does not run.
func (g *Gateway) serve(k *conn, talk func(ctx context.Context)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.start == nil {
		return false
	}
	g.sockets[k] = struct{}{}
	g.start(func(ctx context.Context) {
		defer func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			delete(g.sockets, k)
		}()
		talk(ctx)
	})
	return true
}

// Connected reports whether a user has a client session for an application that is starting, ready or resumable, or one
// that moved to another node a moment ago.
func (g *Gateway) Connected(app snowflake.Application, user snowflake.User) bool {
	return g.index.Connected(session.AppUser{Application: app, User: user})
}

// HasBot reports whether the bot of an application has a session on this node that is starting, ready or resumable, or
// one that moved to another node a moment ago.
func (g *Gateway) HasBot(app snowflake.Application) bool { return g.index.HasBot(app) }

// BotSessions returns the number of sessions of an application's bot on this node that are starting, ready or resumable.
func (g *Gateway) BotSessions(app snowflake.Application) int { return g.index.Bots(app) }

// HasSession reports whether this node has a session.
func (g *Gateway) HasSession(id string) bool { return g.index.Find(id) != nil }

// HasClients reports whether Connected may report true for any user of an application.
func (g *Gateway) HasClients(app snowflake.Application) bool { return g.index.HasClients(app) }

// ConnectedUsers returns the users for whom Connected reports true.
func (g *Gateway) ConnectedUsers(app snowflake.Application, users iter.Seq[snowflake.User]) (connected []snowflake.User) {
	return g.index.ConnectedUsers(app, users)
}

// HandOver hands a session over to another node, whose client has received its events up to seq.
func (g *Gateway) HandOver(id string, seq uint64) (session.HandoverResult, []byte) {
	return g.node.HandOver(id, seq)
}

// Shed frees memory: it ends the older half of the sessions without a connection, and makes the other sessions drop events.
// A client whose session ended, or that missed a dropped event, has to identify again.
func (g *Gateway) Shed() {
	g.retention.endOlderHalf()
	for _, s := range g.index.All() {
		s.Shed()
	}
}

// abnormalClosure is the close code that no close frame has: clients report it when a connection was cut (RFC 6455, 7.4.1).
const abnormalClosure = 1006

// Disconnect closes the connections whose owner pick chooses, with a close code (0: 4000), and returns how many. With code 1006 the
// connections are cut without a close frame. Clients may resume unless the code forbids it.
func (g *Gateway) Disconnect(pick func(session.Owner) bool, code uint16) int {
	c := &socket.CloseError{Code: code, Reason: "Asked to go."}
	if code == 0 {
		c.Code = socket.ErrUnknown.Code
	}
	g.mu.Lock()
	list := make([]*conn, 0, len(g.sockets))
	for k := range g.sockets {
		list = append(list, k)
	}
	g.mu.Unlock()
	n := 0
	for _, k := range list {
		if !pick(k.Owner()) {
			continue
		}
		if code == abnormalClosure {
			k.CloseNow()
		} else {
			k.Close(c)
		}
		n++
	}
	return n
}

// recheckTokens ends the sessions of an application or of users whose token is no longer valid. With an empty audience
// it checks all sessions.
func (g *Gateway) recheckTokens(to *events.Audience) {
	list := slices.DeleteFunc(g.index.All(), func(s *session.Session) bool {
		return to.Application != 0 && s.Application != to.Application || len(to.Users) > 0 && !slices.Contains(to.Users, s.User)
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(list) > 0 && g.start != nil {
		g.start(func(ctx context.Context) { g.recheck(ctx, list) })
	}
}

func (g *Gateway) recheck(ctx context.Context, list []*session.Session) {
	for _, s := range list {
		holds, err := g.Tokens.Holds(ctx, s.Token)
		if err != nil {
			g.Log.ErrorContext(ctx, "token not checked", "err", err) // the next heartbeat checks it again
			return
		}
		if !holds {
			g.end(s, socket.ErrToken)
		}
	}
}
