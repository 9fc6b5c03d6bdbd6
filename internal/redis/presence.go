package redis

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/redis/rueidis"
)

// Presence knows which users are connected for which application, on all nodes. Redis has a set of nodes for each user, and a
// key for each node that expires when the node no longer renews it. So an idle user costs nothing: the node renews one key for
// all of its users.
//
// An answer of Redis that a user is connected is cached for a second. The other answer is used once.
//
// A decision does not wait for Redis: it ends, one call asks for all users that it needs, and it runs again (cache.Ask).
type Presence struct {
	Client *Client
	Node   string // the name of this node, which no other process has
	// TTL is the time for which the users of a node count as connected after the node last renewed its key. A session of a
	// node that died can be resumed at another node for the same time. A node renews the key three times per TTL.
	TTL time.Duration

	asking sync.Mutex // held while Redis is asked about wanted users

	mu        sync.Mutex
	local     map[appUser]bool     // users connected to this node
	unwritten map[appUser]struct{} // users about whom Redis may not have what local says
	remote    map[appUser]cachedAnswer
	alive     map[string]cachedAnswer // whether other nodes have renewed their keys
	wanted    map[appUser]struct{}    // users that decisions wait for
}

// cachedAnswer is an answer of Redis about a user on other nodes, or about a node.
type cachedAnswer struct {
	yes   bool
	asked time.Duration // when Redis was asked, as a time of clock.Elapsed
}

const (
	// An answer of Redis is cached for answerTTL. maxAnswers is the size of the cache.
	answerTTL  = time.Second
	maxAnswers = 1 << 16
	// maxUsers is the number of users in one round trip.
	maxUsers = 256
	// The set of a user expires after userLife. A node writes its users again every userBeat, which also repairs what a failover
	// of Redis has lost.
	userLife = time.Hour
	userBeat = 20 * time.Minute
)

// appUser is a user in the clients of an application.
type appUser struct {
	app  snowflake.Application
	user snowflake.User
}

// NewPresence returns the presence of a node.
func NewPresence(c *Client, node string, ttl time.Duration) *Presence {
	return &Presence{
		Client: c, Node: node, TTL: ttl, local: map[appUser]bool{}, unwritten: map[appUser]struct{}{},
		remote: map[appUser]cachedAnswer{}, alive: map[string]cachedAnswer{}, wanted: map[appUser]struct{}{},
	}
}

func (p *Presence) userKey(u appUser) string {
	return p.Client.prefix + ":connected:{" + u.app.String() + "." + u.user.String() + "}"
}

func (p *Presence) nodeKey(node string) string { return p.Client.prefix + ":alive:{" + node + "}" }

// Connect records that the first client of a user on this node is connected. It reports whether the user has none on
// other nodes. Calls of Connect and Disconnect about one user do not run at the same time.
func (p *Presence) Connect(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	return p.change(ctx, appUser{app, user}, true)
}

// Disconnect records that the last client of a user on this node has disconnected. It reports whether the user has none
// on other nodes.
func (p *Presence) Disconnect(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	return p.change(ctx, appUser{app, user}, false)
}

// change records whether a user is connected to this node. In the same round trip it asks whether the user is connected to
// another node. It reports false if Redis does not answer; Run writes the user then.
func (p *Presence) change(ctx context.Context, u appUser, connected bool) (nowhereElse bool) {
	p.mu.Lock()
	if connected {
		p.local[u] = true
	} else {
		delete(p.local, u)
	}
	p.unwritten[u] = struct{}{}
	p.mu.Unlock()
	client, err := p.Client.conn()
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, p.Client.callTime())
	defer cancel()
	cmds := p.write(client, u, connected)
	if connected {
		cmds = append(cmds, p.renew(client))
	}
	elsewhere, err := p.elsewhere(ctx, client, cmds, []appUser{u})
	if err != nil {
		return false
	}
	p.written(map[appUser]bool{u: connected})
	return !elsewhere[0]
}

// ConnectedElsewhere reports whether a user is connected to another node. It reports true if Redis does not answer,
// because the caller may delete an idle lobby on false. In a decision it does not wait: see cache.Ask.
func (p *Presence) ConnectedElsewhere(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	u := appUser{app, user}
	if connected, known := p.cached(u, cache.Asked(ctx)); known {
		return connected
	}
	p.mu.Lock()
	p.wanted[u] = struct{}{}
	p.mu.Unlock()
	if cache.Ask(ctx, p, p.askWanted) {
		return true // the decision runs again
	}
	p.askWanted(ctx)
	connected, known := p.cached(u, true)
	return connected || !known
}

// cached returns a cached answer. The caller uses one that reports false only if it has just asked: another one may be older
// than a session that has begun since.
func (p *Presence) cached(u appUser, asked bool) (connected, known bool) {
	now := clock.Elapsed(p.Client.clock)
	p.mu.Lock()
	defer p.mu.Unlock()
	a, known := p.remote[u]
	return a.yes, known && now-a.asked < answerTTL && (a.yes || asked)
}

// askWanted asks Redis in one round trip about all users that decisions wait for. When it returns, the answers about
// users that were wanted before the call are cached. If Redis does not answer, they count as connected.
func (p *Presence) askWanted(ctx context.Context) {
	p.asking.Lock()
	defer p.asking.Unlock()
	p.mu.Lock()
	users := slices.Collect(maps.Keys(p.wanted))
	clear(p.wanted)
	p.mu.Unlock()
	for list := range slices.Chunk(users, maxUsers) {
		p.ask(ctx, list)
	}
}

// ask asks Redis whether users are connected to other nodes and caches the answers.
func (p *Presence) ask(ctx context.Context, users []appUser) {
	asked := clock.Elapsed(p.Client.clock)
	client, err := p.Client.conn()
	var answers []bool
	if err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.Client.callTime()) // other callers wait for it too
		defer cancel()
		answers, err = p.elsewhere(ctx, client, nil, users)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.remote) >= maxAnswers {
		clear(p.remote)
	}
	for i, u := range users {
		p.remote[u] = cachedAnswer{err != nil || answers[i], asked}
	}
}

// elsewhere sends commands and asks which of the users are connected to other nodes that are alive. A node that this one has
// not heard of for a second takes a second round trip. Nodes that have died are removed from the sets of the users.
func (p *Presence) elsewhere(ctx context.Context, client rueidis.Client, first rueidis.Commands, users []appUser) ([]bool, error) {
	cmds := first
	for _, u := range users {
		cmds = append(cmds, client.B().Smembers().Key(p.userKey(u)).Build())
	}
	nodes := make([][]string, len(users))
	for i, answer := range client.DoMulti(ctx, cmds...) {
		switch err := answer.Error(); {
		case rueidis.IsRedisNil(err): // the key of this node, which was renewed
			p.writeAll()
		case err != nil:
			return nil, err
		}
		if i < len(first) {
			continue
		}
		list, err := answer.AsStrSlice()
		if err != nil {
			return nil, err
		}
		nodes[i-len(first)] = slices.DeleteFunc(list, func(node string) bool { return node == p.Node })
	}
	alive, err := p.livingNodes(ctx, client, slices.Concat(nodes...))
	if err != nil {
		return nil, err
	}
	connected := make([]bool, len(users))
	var cleanup rueidis.Commands
	for i, u := range users {
		for _, node := range nodes[i] {
			if alive[node] {
				connected[i] = true
			} else {
				cleanup = append(cleanup, client.B().Srem().Key(p.userKey(u)).Member(node).Build())
			}
		}
	}
	if len(cleanup) > 0 {
		client.DoMulti(ctx, cleanup...) // what fails is found again by the next question
	}
	return connected, nil
}

// livingNodes returns which nodes have renewed their keys.
func (p *Presence) livingNodes(ctx context.Context, client rueidis.Client, names []string) (map[string]bool, error) {
	now := clock.Elapsed(p.Client.clock)
	alive := map[string]bool{}
	var unknown []string
	p.mu.Lock()
	for _, name := range names {
		if a, known := p.alive[name]; known && now-a.asked < answerTTL {
			alive[name] = a.yes
		} else if !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	p.mu.Unlock()
	if len(unknown) == 0 {
		return alive, nil
	}
	cmds := make(rueidis.Commands, len(unknown))
	for i, name := range unknown {
		cmds[i] = client.B().Exists().Key(p.nodeKey(name)).Build()
	}
	for i, answer := range client.DoMulti(ctx, cmds...) {
		found, err := answer.AsInt64()
		if err != nil {
			return nil, err
		}
		alive[unknown[i]] = found > 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.alive) >= maxAnswers {
		clear(p.alive)
	}
	for _, name := range unknown {
		p.alive[name] = cachedAnswer{alive[name], now}
	}
	return alive, nil
}

// Run renews the key of this node until ctx ends, and writes users that Redis does not have.
func (p *Presence) Run(ctx context.Context) error {
	renewed, written := p.Client.clock.Now(), p.Client.clock.Now()
	for ctx.Err() == nil {
		clock.Wait(ctx, p.Client.clock, min(p.TTL/3, answerTTL))
		now := p.Client.clock.Now()
		if now.Sub(written).Abs() >= userBeat { // also after a step of the clock
			written = now
			p.writeAll()
		}
		if now.Sub(renewed).Abs() >= p.TTL/3 {
			if err := p.beat(ctx); err == nil { // otherwise the next round tries again
				renewed = now
			}
		}
		p.writeUsers(ctx)
	}
	return nil
}

// renew returns the command that renews the key of this node. Its answer is null if there was none.
func (p *Presence) renew(client rueidis.Client) rueidis.Completed {
	return client.B().Set().Key(p.nodeKey(p.Node)).Value("1").Get().Px(p.TTL).Build()
}

// beat renews the key of this node.
func (p *Presence) beat(ctx context.Context) error {
	client, err := p.Client.conn()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.Client.callTime())
	defer cancel()
	_, err = p.elsewhere(ctx, client, rueidis.Commands{p.renew(client)}, nil)
	return err
}

// writeAll makes Run write all users of this node: Redis has lost them, or other nodes have removed them.
func (p *Presence) writeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for u := range p.local {
		p.unwritten[u] = struct{}{}
	}
}

// writeUsers writes the users about whom Redis may be wrong. What fails is written again a second later.
func (p *Presence) writeUsers(ctx context.Context) {
	p.mu.Lock()
	users := slices.Collect(maps.Keys(p.unwritten))
	p.mu.Unlock()
	for list := range slices.Chunk(users, maxUsers) {
		client, err := p.Client.conn()
		if err != nil || ctx.Err() != nil {
			return
		}
		states := make(map[appUser]bool, len(list))
		p.mu.Lock()
		for _, u := range list {
			states[u] = p.local[u]
		}
		p.mu.Unlock()
		var cmds rueidis.Commands
		for u, connected := range states {
			cmds = append(cmds, p.write(client, u, connected)...)
		}
		call, cancel := context.WithTimeout(ctx, p.Client.callTime())
		answers := client.DoMulti(call, cmds...)
		cancel()
		if !slices.ContainsFunc(answers, func(a rueidis.RedisResult) bool { return a.Error() != nil }) {
			p.written(states)
		}
	}
}

// written records what Redis has. A user who has connected or disconnected meanwhile is written again.
func (p *Presence) written(states map[appUser]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for u, connected := range states {
		if p.local[u] == connected {
			delete(p.unwritten, u)
		} else {
			p.unwritten[u] = struct{}{}
		}
	}
}

// write returns the commands that write whether a user is connected to this node.
func (p *Presence) write(client rueidis.Client, u appUser, connected bool) rueidis.Commands {
	key := p.userKey(u)
	if !connected {
		return rueidis.Commands{client.B().Srem().Key(key).Member(p.Node).Build()}
	}
	return rueidis.Commands{
		client.B().Sadd().Key(key).Member(p.Node).Build(),
		client.B().Expire().Key(key).Seconds(int64(userLife.Seconds())).Build(),
	}
}
