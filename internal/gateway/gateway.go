package gateway

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/resume"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// Config is what the gateway works with. What is not marked is required.
type Config struct {
	Directory *directory.Directory
	Tokens    *auth.Authenticator
	Bus       *events.Bus
	Clock     clock.Clock     // the service's, by which identifies are counted
	Limits    ratelimit.Guard // on identifies, payloads and lists of members
	Metrics   *metrics.Metrics
	Log       *slog.Logger
	// URL is the address of the gateway for clients, such as wss://host/gateway/. Without one it is where a client came.
	URL string
	// Time is by which clients are silent and sessions run out; nil: the machine's clock, however the service's is moved.
	Time clock.Clock
	// Lobbies hears who is there for an application, and knows the lobbies that they are in. It may be nil.
	Lobbies Lobbies
	// Sessions is what nodes share of their sessions, so that a client can go on at another node. It may be nil: there is
	// none.
	Sessions resume.Sessions
	// HasCommands reports whether an application has global commands. It may be nil.
	HasCommands func(ctx context.Context, app snowflake.Application) (bool, error)
	// Record is told of every payload. It may be nil. It does not wait, and the text is its own.
	Record func(who session.Who, way socket.Direction, text []byte)

	Settings Settings
}

// Lobbies is where people meet through the clients of applications.
type Lobbies interface {
	// LobbiesOf returns the lobbies of an application that a user is in, each as LOBBY_CREATE shows it.
	LobbiesOf(ctx context.Context, app snowflake.Application, user snowflake.User) ([][]byte, error)
	// Arrived is told that a user's first session for an application is ready, Left that the last has ended.
	Arrived(ctx context.Context, app snowflake.Application, user snowflake.User) error
	Left(ctx context.Context, app snowflake.Application, user snowflake.User) error
}

// Settings are the figures of the gateway. What is zero has the shipped value.
type Settings struct {
	Interval     time.Duration // between heartbeats
	Keep         time.Duration // how long a session waits for its client to come back
	Identify     time.Duration // how long a client may take to say who it is
	Drain        time.Duration // how long clients have to go when the service stops
	MaxPayload   int           // bytes of what a client sends
	MaxGuilds    int           // of a bot on one shard
	ReplayEvents int           // events that a session keeps for a client that comes back
	ReplayBytes  int           // the same in bytes
	Backlog      int           // events that wait to be handed out
	MaxContexts  int           // sockets with a compressed stream
}

// Shipped returns the figures that stand when nothing else is said.
func Shipped() Settings {
	return Settings{
		Interval: 41250 * time.Millisecond, Keep: 3 * time.Minute, Identify: time.Minute, Drain: 5 * time.Second,
		MaxPayload: 4096, MaxGuilds: 2500, ReplayEvents: 1000, ReplayBytes: 15 << 20, Backlog: 16 << 10, MaxContexts: 1024,
	}
}

// complete fills in what is zero.
func (s Settings) complete() Settings {
	d := Shipped()
	for _, f := range []struct{ v, d *time.Duration }{
		{&s.Interval, &d.Interval}, {&s.Keep, &d.Keep}, {&s.Identify, &d.Identify}, {&s.Drain, &d.Drain},
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
	} {
		if *f.v == 0 {
			*f.v = *f.d
		}
	}
	return s
}

// Gateway serves sessions. New makes it, Run hands events out. It is safe for concurrent use.
type Gateway struct {
	Config

	hub          *hub
	node         *resume.Node
	index        *session.Index
	view         *session.View
	bounds       *session.Bounds
	wheel        *wheel
	numbers      *numbers
	subscription *events.Subscription // of the hub
	began        began
	presence     *presence

	pool    *socket.Pool
	workers sync.WaitGroup

	running chan struct{} // closed when clients can be served

	mu      sync.Mutex
	ctx     context.Context //nolint:containedctx // of Run: sockets live as long as it does, not as long as a request
	sockets map[*conn]struct{}
}

// New returns a gateway that takes clients once it runs.
func New(c Config) *Gateway {
	c.Settings = c.Settings.complete()
	if c.Time == nil {
		c.Time = clock.System{}
	}
	g := &Gateway{Config: c, sockets: map[*conn]struct{}{}, running: make(chan struct{})}
	g.hub = &hub{Gateway: g}
	g.index = session.NewIndex(c.Sessions != nil)
	g.view = &session.View{Directory: c.Directory, Log: c.Log}
	g.bounds = &session.Bounds{ReplayEvents: c.Settings.ReplayEvents, ReplayBytes: c.Settings.ReplayBytes}
	g.node = resume.New(resume.Config{
		Sessions: c.Sessions, Index: g.index, View: g.view, Bounds: g.bounds, Keep: c.Settings.Keep, Time: c.Time, Log: c.Log,
		Lose: g.lose,
	})
	g.wheel = newWheel(c.Time.Now())
	g.pool = socket.NewPool(socket.Bounds{MaxPayload: c.Settings.MaxPayload, MaxContexts: c.Settings.MaxContexts}, c.Metrics, c.Log)
	g.numbers = newNumbers(g)
	g.presence = newPresence(g)
	g.subscription = c.Bus.Subscribe(c.Settings.Backlog)
	return g
}

func (g *Gateway) now() time.Time { return g.Time.Now() }

// patience is how long a client may be silent.
func (g *Gateway) patience() time.Duration { return g.Settings.Interval * 3 / 2 }

// Run hands events out until ctx ends, then sends the clients away and waits until they have gone. When it returns,
// nothing of the gateway runs any more.
func (g *Gateway) Run(ctx context.Context) error {
	// Sockets are served until they have been told to go, which happens after ctx has ended.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g.mu.Lock()
	g.ctx = serving
	g.mu.Unlock()
	g.hub.catchUp(serving)
	var own sync.WaitGroup
	own.Go(func() { g.hub.run(serving) })
	own.Go(func() { g.node.Run(serving) })
	own.Go(func() { g.wheel.run(serving, g.Time) })
	own.Go(func() { g.presence.run(serving) })
	close(g.running)
	<-ctx.Done()
	g.dismiss(serving)
	stop()
	own.Wait()
	g.workers.Wait()
	g.pool.Wait()
	return nil
}

// dismiss sends all clients away, first with a request to come again elsewhere.
func (g *Gateway) dismiss(ctx context.Context) {
	g.mu.Lock()
	g.ctx = nil // nobody comes any more
	list := make([]*conn, 0, len(g.sockets))
	for k := range g.sockets {
		list = append(list, k)
	}
	g.mu.Unlock()
	for _, k := range list {
		k.Say(reconnect)
	}
	g.settled(ctx, list, g.Settings.Drain)
	for _, k := range list {
		k.Close(socket.ErrRestart)
	}
	g.settled(ctx, list, time.Second)
	for _, k := range list {
		k.Kill()
	}
}

// settled waits until none of the sockets is open any more, but no longer than it is told.
func (g *Gateway) settled(ctx context.Context, list []*conn, most time.Duration) {
	const look = 20 * time.Millisecond
	for waited := time.Duration(0); waited < most; waited += look {
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
		clock.Wait(ctx, clock.System{}, look)
	}
}

// serve runs a socket until its connection ends, on a goroutine of its own. It reports false when the gateway does not
// run.
func (g *Gateway) serve(k *conn, talk func(ctx context.Context)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx == nil {
		return false
	}
	ctx := g.ctx
	g.sockets[k] = struct{}{}
	g.workers.Go(func() {
		defer func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			delete(g.sockets, k)
		}()
		talk(ctx)
	})
	return true
}

// Connected reports whether a user has a session for an application that is ready, about to be, or can still be resumed, or
// had one until a moment ago that goes on at another node.
func (g *Gateway) Connected(app snowflake.Application, user snowflake.User) bool {
	return g.index.Connected(session.Seat{Application: app, User: user})
}

// HasClients reports whether Connected may report anybody for an application.
func (g *Gateway) HasClients(app snowflake.Application) bool { return g.index.HasClients(app) }

// Among returns those users whom Connected reports. Of an application that has no clients nobody is looked at.
func (g *Gateway) Among(app snowflake.Application, users iter.Seq[snowflake.User]) (connected []snowflake.User) {
	return g.index.Among(app, users)
}

// Give gives a session up to another node, where its client has come that has heard its events up to a number. The text says
// how it stands.
func (g *Gateway) Give(id string, seq uint64) (resume.Answer, []byte) { return g.node.Give(id, seq) }

// Disconnect closes the connections of sessions that pick chooses with a code, 4000 for 0, and returns how many. Clients
// may resume unless the code forbids it.
func (g *Gateway) Disconnect(pick func(session.Who) bool, code uint16) int {
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
		if pick(k.Who()) {
			k.Close(c)
			n++
		}
	}
	return n
}

// recheckTokens ends the sessions of an application, or of users, whose token holds no longer. Without either it looks at
// all sessions.
func (g *Gateway) recheckTokens(to *events.Audience) {
	list := slices.DeleteFunc(g.index.All(), func(s *session.Session) bool {
		return to.Application != 0 && s.Application != to.Application || len(to.Users) > 0 && !slices.Contains(to.Users, s.User)
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(list) == 0 || g.ctx == nil {
		return
	}
	ctx := g.ctx
	g.workers.Go(func() { g.recheck(ctx, list) })
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
