package redis

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/redis/rueidis"
)

// Presence knows which users are connected for which application, on all nodes. Every node writes its own users to
// Redis.
//
// An answer of Redis is cached for a second. A node that changes a user sends a message that invalidates the cache of
// the other nodes. If the message is lost, a node may be wrong for up to a second.
type Presence struct {
	Client *Client
	Node   string // the name of this node
	// TTL is how long a user counts as connected after their node last wrote it. A session of a node that died can be
	// resumed at another node for the same time. A node writes three times per TTL.
	TTL time.Duration

	unwritten atomic.Bool // a write has failed

	mu     sync.Mutex
	local  map[appUser]bool // users connected to this node
	remote map[appUser]cachedAnswer
}

// cachedAnswer is an answer of Redis about a user on other nodes.
type cachedAnswer struct {
	connected bool
	until     time.Time // when the answer expires
}

const (
	// answerTTL is how long an answer of Redis is cached, maxAnswers the size of the cache.
	answerTTL  = time.Second
	maxAnswers = 1 << 16
)

// appUser is a user in the clients of an application.
type appUser struct {
	app  snowflake.Application
	user snowflake.User
}

// NewPresence returns the presence of a node.
func NewPresence(c *Client, node string, ttl time.Duration) *Presence {
	return &Presence{Client: c, Node: node, TTL: ttl, local: map[appUser]bool{}, remote: map[appUser]cachedAnswer{}}
}

func (p *Presence) key(u appUser) string {
	return p.Client.prefix + ":here:{" + u.app.String() + "." + u.user.String() + "}"
}

// Connect records that the first client of a user on this node is connected. It reports whether the user has none on
// other nodes.
func (p *Presence) Connect(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	u := appUser{app, user}
	first := !p.ConnectedElsewhere(ctx, app, user)
	p.mu.Lock()
	p.local[u] = true
	p.mu.Unlock()
	p.write(ctx, u) // Run writes it again
	p.invalidateOthers(ctx, u)
	return first
}

// Disconnect records that the last client of a user on this node has disconnected. It reports whether the user has none
// on other nodes.
func (p *Presence) Disconnect(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	u := appUser{app, user}
	p.mu.Lock()
	delete(p.local, u)
	p.mu.Unlock()
	if client, err := p.Client.conn(); err == nil {
		short, cancel := context.WithTimeout(ctx, p.Client.callTime())
		defer cancel()
		_ = client.Do(short, client.B().Zrem().Key(p.key(u)).Member(p.Node).Build()).Error() // otherwise it expires
	}
	p.invalidateOthers(ctx, u)
	return !p.ConnectedElsewhere(ctx, app, user)
}

// invalidateOthers makes the other nodes drop their cached answer about a user.
func (p *Presence) invalidateOthers(ctx context.Context, u appUser) {
	_ = p.Client.Publish(ctx, presenceTopic, []byte(u.app.String()+" "+u.user.String())) // their answers expire within a second
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
// because the caller may delete an idle lobby on false.
func (p *Presence) ConnectedElsewhere(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	u := appUser{app, user}
	now := p.Client.clock.Now()
	p.mu.Lock()
	answer, known := p.remote[u]
	p.mu.Unlock()
	if known && now.Before(answer.until) {
		return answer.connected
	}
	connected, err := p.ask(ctx, u, now)
	if err != nil {
		connected = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.remote) >= maxAnswers {
		clear(p.remote)
	}
	p.remote[u] = cachedAnswer{connected, now.Add(answerTTL)}
	return connected
}

// OnlineElsewhere is like ConnectedElsewhere, but asks Redis again before it reports false: a cached answer may be older
// than a session that has just begun.
func (p *Presence) OnlineElsewhere(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	u := appUser{app, user}
	now := p.Client.clock.Now()
	p.mu.Lock()
	answer, known := p.remote[u]
	p.mu.Unlock()
	if known && answer.connected && now.Before(answer.until) {
		return true
	}
	p.mu.Lock()
	delete(p.remote, u)
	p.mu.Unlock()
	return p.ConnectedElsewhere(ctx, app, user)
}

// ask asks Redis whether a user is connected to other nodes.
func (p *Presence) ask(ctx context.Context, u appUser, now time.Time) (bool, error) {
	client, err := p.Client.conn()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.Client.callTime())
	defer cancel()
	earliest := strconv.FormatInt(now.UnixMilli(), 10)
	nodes, err := client.Do(ctx, client.B().Zrangebyscore().Key(p.key(u)).Min(earliest).Max("+inf").Build()).AsStrSlice()
	for _, node := range nodes {
		if node != p.Node {
			return true, nil
		}
	}
	return false, err
}

// Run writes the users of this node to Redis and handles messages of other nodes until ctx ends.
func (p *Presence) Run(ctx context.Context) error {
	var own sync.WaitGroup
	own.Go(func() { p.listen(ctx) })
	for written := p.Client.clock.Now(); ctx.Err() == nil; {
		clock.Wait(ctx, p.Client.clock, min(p.TTL/3, answerTTL))
		now := p.Client.clock.Now()
		if !p.unwritten.Swap(false) && now.Sub(written) < p.TTL/3 {
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
			n := min(len(all), maxItems)
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
	past := strconv.FormatInt(now.UnixMilli(), 10)
	cmds := make(rueidis.Commands, 0, 3*len(users))
	for _, u := range users {
		until := now.Add(p.TTL).UnixMilli()
		cmds = append(cmds,
			client.B().Zremrangebyscore().Key(p.key(u)).Min("-inf").Max("("+past).Build(),
			client.B().Zadd().Key(p.key(u)).ScoreMember().ScoreMember(float64(until), p.Node).Build(),
			client.B().Pexpire().Key(p.key(u)).Milliseconds(2*p.TTL.Milliseconds()).Build())
	}
	for _, answer := range client.DoMulti(ctx, cmds...) {
		if answer.Error() != nil {
			p.unwritten.Store(true)
		}
	}
}
