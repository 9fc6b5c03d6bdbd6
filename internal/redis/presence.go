package redis

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/redis/rueidis"
)

// Presence knows which users are connected for which application, on all nodes. Every node writes its own users to Redis.
//
// What Redis said of a user is kept for a second. A node that learns of a change has the others forget it by a message that
// is not acknowledged, so a node may be wrong for up to a second when the message is lost.
type Presence struct {
	Client *Client
	Node   string // the name of this process
	// Stays is how long a user counts as connected after their node last said so. The session of a user whose node died can
	// be resumed on another node for as long. A node says so three times as often.
	Stays time.Duration

	mu        sync.Mutex
	here      map[visit]bool // connected to this node
	elsewhere map[visit]sight
}

// sight is what Redis said about a user on other nodes.
type sight struct {
	there bool
	until time.Time // when to ask again
}

const (
	// sightLife is how long an answer of Redis is believed, maxSights how many answers are kept.
	sightLife = time.Second
	maxSights = 1 << 16
)

// visit is a user who is connected for an application.
type visit struct {
	app  snowflake.Application
	user snowflake.User
}

// NewPresence returns the presence of a node.
func NewPresence(c *Client, node string, stays time.Duration) *Presence {
	return &Presence{Client: c, Node: node, Stays: stays, here: map[visit]bool{}, elsewhere: map[visit]sight{}}
}

func (p *Presence) key(v visit) string {
	return p.Client.prefix + ":here:{" + v.app.String() + "." + v.user.String() + "}"
}

// Arrived notes that the first client of a user on this node is connected. It reports whether the user has none on others.
func (p *Presence) Arrived(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	v := visit{app, user}
	first := !p.Elsewhere(ctx, app, user)
	p.mu.Lock()
	p.here[v] = true
	p.mu.Unlock()
	p.say(ctx, v) // again soon, if it does not get through now
	p.tell(ctx, v)
	return first
}

// Left notes that the last client of a user on this node is gone. It reports whether the user has none on others.
func (p *Presence) Left(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	v := visit{app, user}
	p.mu.Lock()
	delete(p.here, v)
	p.mu.Unlock()
	if client, err := p.Client.reach(); err == nil {
		short, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		_ = client.Do(short, client.B().Zrem().Key(p.key(v)).Member(p.Node).Build()).Error() // ends by itself otherwise
	}
	p.tell(ctx, v)
	return !p.Elsewhere(ctx, app, user)
}

// tell has the other nodes forget what they know about a user.
func (p *Presence) tell(ctx context.Context, v visit) {
	_ = p.Client.Publish(ctx, presenceTopic, []byte(v.app.String()+" "+v.user.String())) // they ask again within a second
}

const presenceTopic = "presence"

// forget drops what is known about a user, as a message of another node asks.
func (p *Presence) forget(message []byte) {
	var v visit
	app, user, _ := strings.Cut(string(message), " ")
	if v.app.UnmarshalText([]byte(app)) != nil || v.user.UnmarshalText([]byte(user)) != nil {
		return // of another version
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.elsewhere, v)
}

// Elsewhere reports whether a client of a user is connected to another node. It reports true when Redis does not answer:
// what follows from false, such as the end of an idle lobby, cannot be taken back.
func (p *Presence) Elsewhere(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	v := visit{app, user}
	now := clock.System{}.Now()
	p.mu.Lock()
	seen, known := p.elsewhere[v]
	p.mu.Unlock()
	if known && now.Before(seen.until) {
		return seen.there
	}
	there, err := p.ask(ctx, v, now)
	if err != nil {
		there = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.elsewhere) >= maxSights {
		clear(p.elsewhere)
	}
	p.elsewhere[v] = sight{there, now.Add(sightLife)}
	return there
}

// ask asks Redis whether a user is connected to other nodes.
func (p *Presence) ask(ctx context.Context, v visit, now time.Time) (bool, error) {
	client, err := p.Client.reach()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	least := strconv.FormatInt(now.UnixMilli(), 10)
	nodes, err := client.Do(ctx, client.B().Zrangebyscore().Key(p.key(v)).Min(least).Max("+inf").Build()).AsStrSlice()
	for _, node := range nodes {
		if node != p.Node {
			return true, nil
		}
	}
	return false, err
}

// Run keeps the users of this node in Redis and hears what other nodes say until ctx ends.
func (p *Presence) Run(ctx context.Context) error {
	var own sync.WaitGroup
	own.Go(func() { p.listen(ctx) })
	for ctx.Err() == nil {
		clock.Wait(ctx, clock.System{}, p.Stays/3)
		p.mu.Lock()
		all := make([]visit, 0, len(p.here))
		for v := range p.here {
			all = append(all, v)
		}
		p.mu.Unlock()
		for len(all) > 0 && ctx.Err() == nil {
			n := min(len(all), together)
			p.say(ctx, all[:n]...)
			all = all[n:]
		}
	}
	own.Wait()
	return nil
}

func (p *Presence) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := p.Client.Listen(ctx, presenceTopic, p.forget)
		if ctx.Err() == nil && !errors.Is(err, errAway) {
			p.Client.log.WarnContext(ctx, "messages about presence pause", "err", err)
		}
		clock.Wait(ctx, clock.System{}, look)
	}
}

// say tells Redis that users are connected to this node. What does not get through is said again soon.
func (p *Presence) say(ctx context.Context, visits ...visit) {
	client, err := p.Client.reach()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	now := clock.System{}.Now()
	past := strconv.FormatInt(now.UnixMilli(), 10)
	cmds := make(rueidis.Commands, 0, 3*len(visits))
	for _, v := range visits {
		until := now.Add(p.Stays).UnixMilli()
		cmds = append(cmds,
			client.B().Zremrangebyscore().Key(p.key(v)).Min("-inf").Max("("+past).Build(),
			client.B().Zadd().Key(p.key(v)).ScoreMember().ScoreMember(float64(until), p.Node).Build(),
			client.B().Pexpire().Key(p.key(v)).Milliseconds(2*p.Stays.Milliseconds()).Build())
	}
	client.DoMulti(ctx, cmds...)
}
