package redis

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/redis/rueidis"
)

// Presence knows which users are connected for which application, on all nodes. Every node writes its own users to
// Redis.
//
// An answer of Redis is cached for a second. A node that changes a user sends a message that invalidates the cache of
// the other nodes. If the message is lost, a node may be wrong for up to a second.
//
// A decision does not wait for Redis: it ends, one call asks for all users that it needs, and it runs again (cache.Ask).
type Presence struct {
	Client *Client
	Node   string // the name of this node
	// TTL is the time for which a user counts as connected after their node last wrote it. A session of a node that
	// died can be resumed at another node for the same time. A node writes three times per TTL.
	TTL time.Duration

	unwritten atomic.Bool // a write has failed

	asking sync.Mutex // held while Redis is asked about wanted users

	mu     sync.Mutex
	local  map[appUser]bool // users connected to this node
	remote map[appUser]cachedAnswer
	wanted map[appUser]struct{} // users that decisions wait for
}

// cachedAnswer is an answer of Redis about a user on other nodes.
type cachedAnswer struct {
	connected bool
	asked     time.Duration // when Redis was asked, as a time of clock.Elapsed
}

const (
	// An answer of Redis is cached for answerTTL. maxAnswers is the size of the cache.
	answerTTL  = time.Second
	maxAnswers = 1 << 16
	// maxUsers is the number of users in one round trip.
	maxUsers = 256
)

// appUser is a user in the clients of an application.
type appUser struct {
	app  snowflake.Application
	user snowflake.User
}

// NewPresence returns the presence of a node.
func NewPresence(c *Client, node string, ttl time.Duration) *Presence {
	return &Presence{Client: c, Node: node, TTL: ttl, local: map[appUser]bool{}, remote: map[appUser]cachedAnswer{}, wanted: map[appUser]struct{}{}}
}

func (p *Presence) key(u appUser) string {
	return p.Client.prefix + ":here:{" + u.app.String() + "." + u.user.String() + "}"
}

// Connect records that the first client of a user on this node is connected. It reports whether the user has none on
// other nodes. It takes one round trip.
func (p *Presence) Connect(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	u := appUser{app, user}
	p.mu.Lock()
	p.local[u] = true
	p.mu.Unlock()
	connected, err := p.change(ctx, u, p.writeCommands)
	if err != nil {
		p.unwritten.Store(true) // Run writes it again
	}
	return !connected
}

// Disconnect records that the last client of a user on this node has disconnected. It reports whether the user has none
// on other nodes. It takes one round trip.
func (p *Presence) Disconnect(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	u := appUser{app, user}
	p.mu.Lock()
	delete(p.local, u)
	p.mu.Unlock()
	connected, _ := p.change(ctx, u, func(client rueidis.Client, u appUser, _ time.Time) []rueidis.Completed { // otherwise it expires
		return []rueidis.Completed{client.B().Zrem().Key(p.key(u)).Member(p.Node).Build()}
	})
	return !connected
}

// change sends the commands that change a user, makes the other nodes drop their cached answer about the user, and asks
// whether the user is connected to another node. It reports true if Redis does not answer.
func (p *Presence) change(
	ctx context.Context, u appUser, commands func(rueidis.Client, appUser, time.Time) []rueidis.Completed,
) (connected bool, err error) {
	client, err := p.Client.conn()
	if err != nil {
		return true, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.Client.callTime())
	defer cancel()
	now := p.Client.clock.Now()
	asked := clock.Elapsed(p.Client.clock)
	cmds := append(commands(client, u, now),
		client.B().Publish().Channel(p.Client.topic(presenceTopic)).Message(u.app.String()+" "+u.user.String()).Build(),
		p.query(client, u, now))
	answers := client.DoMulti(ctx, cmds...)
	for _, a := range answers {
		if err := a.Error(); err != nil {
			return true, err
		}
	}
	connected, err = p.elsewhere(answers[len(answers)-1])
	if err != nil {
		return true, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remember(u, cachedAnswer{connected, asked})
	return connected, nil
}

const presenceTopic = "presence"

// invalidate drops the cached answer about a user, as a message of another node asks.
func (p *Presence) invalidate(message []byte) {
	var u appUser
	app, user, _ := strings.Cut(string(message), " ")
	if u.app.UnmarshalText([]byte(app)) != nil || u.user.UnmarshalText([]byte(user)) != nil {
		return // from a node of another version
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.remote, u)
}

// ConnectedElsewhere reports whether a user is connected to another node. It reports true if Redis does not answer,
// because the caller may delete an idle lobby on false. In a decision it does not wait: see cache.Ask.
func (p *Presence) ConnectedElsewhere(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	return p.lookUp(ctx, appUser{app, user}, answerTTL)
}

// OnlineElsewhere is like ConnectedElsewhere, but asks Redis again before it reports false: a cached answer may be older
// than a session that has just begun.
func (p *Presence) OnlineElsewhere(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	falseTTL := time.Duration(0)
	if cache.Asked(ctx) {
		falseTTL = answerTTL
	}
	return p.lookUp(ctx, appUser{app, user}, falseTTL)
}

// lookUp implements ConnectedElsewhere. It uses a cached answer, one that reports false only up to the given age.
func (p *Presence) lookUp(ctx context.Context, u appUser, falseTTL time.Duration) bool {
	connected, known := p.cached(u, falseTTL)
	if known {
		return connected
	}
	p.mu.Lock()
	p.wanted[u] = struct{}{}
	p.mu.Unlock()
	if cache.Ask(ctx, p, p.askWanted) {
		return true // the decision runs again
	}
	p.askWanted(ctx)
	connected, known = p.cached(u, answerTTL)
	return connected || !known
}

// cached returns a cached answer.
func (p *Presence) cached(u appUser, falseTTL time.Duration) (connected, known bool) {
	now := clock.Elapsed(p.Client.clock)
	p.mu.Lock()
	defer p.mu.Unlock()
	a, known := p.remote[u]
	age := now - a.asked
	return a.connected, known && age < answerTTL && (a.connected || age < falseTTL)
}

// askWanted asks Redis in one round trip about all users that decisions wait for. When it returns, the answers about
// users that were wanted before the call are cached. If Redis does not answer, they count as connected.
func (p *Presence) askWanted(ctx context.Context) {
	p.asking.Lock()
	defer p.asking.Unlock()
	p.mu.Lock()
	users := make([]appUser, 0, len(p.wanted))
	for u := range p.wanted {
		users = append(users, u)
	}
	clear(p.wanted)
	p.mu.Unlock()
	for len(users) > 0 {
		n := min(len(users), maxUsers)
		p.ask(ctx, users[:n])
		users = users[n:]
	}
}

// ask asks Redis whether users are connected to other nodes and caches the answers.
func (p *Presence) ask(ctx context.Context, users []appUser) {
	asked := clock.Elapsed(p.Client.clock)
	var answers []rueidis.RedisResult
	client, err := p.Client.conn()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.Client.callTime()) // other callers wait for it too
		defer cancel()
		now := p.Client.clock.Now()
		cmds := make(rueidis.Commands, len(users))
		for i, u := range users {
			cmds[i] = p.query(client, u, now)
		}
		answers = client.DoMulti(ctx, cmds...)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, u := range users {
		connected := true
		if err == nil {
			if is, err := p.elsewhere(answers[i]); err == nil {
				connected = is
			}
		}
		p.remember(u, cachedAnswer{connected, asked})
	}
}

// remember caches an answer. The presence is locked.
func (p *Presence) remember(u appUser, a cachedAnswer) {
	if len(p.remote) >= maxAnswers {
		clear(p.remote)
	}
	p.remote[u] = a
}

// query returns the command that lists the nodes that a user is connected to.
func (p *Presence) query(client rueidis.Client, u appUser, now time.Time) rueidis.Completed {
	earliest := strconv.FormatInt(now.UnixMilli(), 10)
	return client.B().Zrangebyscore().Key(p.key(u)).Min(earliest).Max("+inf").Build()
}

// elsewhere reports whether the answer to query names another node.
func (p *Presence) elsewhere(answer rueidis.RedisResult) (bool, error) {
	nodes, err := answer.AsStrSlice()
	return slices.ContainsFunc(nodes, func(node string) bool { return node != p.Node }), err
}

// Run writes the users of this node to Redis and handles messages of other nodes until ctx ends.
func (p *Presence) Run(ctx context.Context) error {
	var own sync.WaitGroup
	own.Go(func() { p.listen(ctx) })
	for written := p.Client.clock.Now(); ctx.Err() == nil; {
		clock.Wait(ctx, p.Client.clock, min(p.TTL/3, answerTTL))
		now := p.Client.clock.Now()
		if !p.unwritten.Swap(false) && now.Sub(written).Abs() < p.TTL/3 { // also after a step of the clock
			continue
		}
		written = now
		p.mu.Lock()
		all := make([]appUser, 0, len(p.local))
		for u := range p.local {
			all = append(all, u)
		}
		p.mu.Unlock()
		for len(all) > 0 && ctx.Err() == nil {
			n := min(len(all), maxUsers)
			p.write(ctx, all[:n]...)
			all = all[n:]
		}
	}
	own.Wait()
	return nil
}

func (p *Presence) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := p.Client.Listen(ctx, presenceTopic, p.invalidate)
		if ctx.Err() == nil && !errors.Is(err, errNotConnected) {
			p.Client.log.WarnContext(ctx, "messages about presence interrupted", "err", err)
		}
		clock.Wait(ctx, p.Client.clock, connectPoll)
	}
}

// write writes to Redis that users are connected to this node. What fails is written again by Run, a second later.
func (p *Presence) write(ctx context.Context, users ...appUser) {
	client, err := p.Client.conn()
	if err != nil {
		p.unwritten.Store(true)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.Client.callTime())
	defer cancel()
	now := p.Client.clock.Now()
	cmds := make(rueidis.Commands, 0, 3*len(users))
	for _, u := range users {
		cmds = append(cmds, p.writeCommands(client, u, now)...)
	}
	for _, answer := range client.DoMulti(ctx, cmds...) {
		if answer.Error() != nil {
			p.unwritten.Store(true)
		}
	}
}

// writeCommands returns the commands that write that a user is connected to this node.
func (p *Presence) writeCommands(client rueidis.Client, u appUser, now time.Time) []rueidis.Completed {
	past := strconv.FormatInt(now.UnixMilli(), 10)
	until := now.Add(p.TTL).UnixMilli()
	return []rueidis.Completed{
		client.B().Zremrangebyscore().Key(p.key(u)).Min("-inf").Max("(" + past).Build(),
		client.B().Zadd().Key(p.key(u)).ScoreMember().ScoreMember(float64(until), p.Node).Build(),
		client.B().Pexpire().Key(p.key(u)).Milliseconds(2 * p.TTL.Milliseconds()).Build(),
	}
}
