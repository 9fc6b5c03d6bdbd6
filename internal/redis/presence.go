package redis

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/redis/rueidis"
)

// Presence knows who is connected for which application, on whichever node.
//
// Where people are is held in memory: whoever changes it has all other nodes forget that before it counts.
type Presence struct {
	Client *Client
	Node   string // the name of this process
	// Stays is how long somebody counts as being there after their node has last said so: those who were connected to a node
	// that dies may go on with their sessions at another one for as long. It says so three times as often.
	Stays time.Duration
	// Changed has every other node forget where a user is. It returns when they have.
	Changed func(ctx context.Context, app snowflake.Application, user snowflake.User) error

	mu   sync.Mutex
	here map[visit]bool // connected to this node

	elsewhere cache.Cache[visit, time.Time] // until when there is somebody on other nodes; the zero Time: nobody is
}

// NewPresence returns a presence that trusts what it holds while fresh reports so. Changed has to be set.
func NewPresence(c *Client, node string, stays time.Duration, fresh func() bool) *Presence {
	return &Presence{Client: c, Node: node, Stays: stays, elsewhere: cache.Cache[visit, time.Time]{Fresh: fresh}}
}

// visit is a user's being there for an application.
type visit struct {
	app  snowflake.Application
	user snowflake.User
}

func (p *Presence) key(v visit) string {
	return p.Client.prefix + ":here:{" + v.app.String() + "." + v.user.String() + "}"
}

// Arrived notes that the first client of a user on this node is there, and reports whether there was none on others.
func (p *Presence) Arrived(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	v := visit{app, user}
	first := !p.Elsewhere(ctx, app, user)
	p.mu.Lock()
	if p.here == nil {
		p.here = map[visit]bool{}
	}
	p.here[v] = true
	p.mu.Unlock()
	p.say(ctx, v) // again soon, if it does not get through now
	p.changed(ctx, v)
	return first
}

// Left notes that the last client of a user on this node has gone, and reports whether there is none on others.
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
	p.changed(ctx, v)
	return !p.Elsewhere(ctx, app, user)
}

// changed has other nodes forget where somebody is. One that cannot be reached trusts nothing that it holds.
func (p *Presence) changed(ctx context.Context, v visit) {
	_ = p.Changed(ctx, v.app, v.user) // fails when this node has left the others, and nobody is connected to it then
}

// Forget drops what is held about where a user is.
func (p *Presence) Forget(app snowflake.Application, user snowflake.User) {
	p.elsewhere.Forget(visit{app, user})
}

// ForgetAll drops everything that is held.
func (p *Presence) ForgetAll() { p.elsewhere.Reset() }

// Elsewhere reports whether a client of a user is connected to another node. When nobody can say it is taken for connected,
// for what follows from the opposite cannot be taken back.
func (p *Presence) Elsewhere(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	v := visit{app, user}
	fetch := func() (time.Time, bool, error) {
		until, err := p.look(ctx, v)
		return until, true, err
	}
	until, _, err := p.elsewhere.Load(v, fetch)
	now := clock.System{}.Now()
	if err == nil && !until.IsZero() && !now.Before(until) { // their node may have said more since
		p.elsewhere.Forget(v)
		until, _, err = p.elsewhere.Load(v, fetch)
	}
	return err != nil || !until.IsZero()
}

// look asks Redis until when a user is connected to other nodes.
func (p *Presence) look(ctx context.Context, v visit) (until time.Time, err error) {
	client, err := p.Client.reach()
	if err != nil {
		return until, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	now := strconv.FormatInt(clock.System{}.Now().UnixMilli(), 10)
	nodes, err := client.Do(ctx, client.B().Zrangebyscore().Key(p.key(v)).Min(now).Max("+inf").Withscores().Build()).AsZScores()
	for _, node := range nodes {
		if end := time.UnixMilli(int64(node.Score)); node.Member != p.Node && end.After(until) {
			until = end
		}
	}
	return until, err
}

// Run says again and again who is there until ctx ends.
func (p *Presence) Run(ctx context.Context) error {
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
	return nil
}

// say tells Redis that users are there.
func (p *Presence) say(ctx context.Context, visits ...visit) {
	client, err := p.Client.reach()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	until := clock.System{}.Now().Add(p.Stays).UnixMilli()
	cmds := make(rueidis.Commands, 0, 2*len(visits))
	for _, v := range visits {
		cmds = append(cmds,
			client.B().Zadd().Key(p.key(v)).ScoreMember().ScoreMember(float64(until), p.Node).Build(),
			client.B().Pexpire().Key(p.key(v)).Milliseconds(2*p.Stays.Milliseconds()).Build())
	}
	client.DoMulti(ctx, cmds...) // what does not get through is said again soon
}
