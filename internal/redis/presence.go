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
	// HasClients reports whether an application has clients at this node.
	HasClients func(app snowflake.Application) bool

	mu   sync.Mutex
	here map[visit]bool // connected to this node

	elsewhere cache.Cache[visit, sight]
}

// sight is what was seen of other nodes.
type sight struct {
	there bool      // somebody was
	until time.Time // it is to be believed
}

// NewPresence returns a presence that trusts what it holds while fresh reports so. Changed and HasClients have to be set.
func NewPresence(c *Client, node string, stays time.Duration, fresh func() bool) *Presence {
	return &Presence{Client: c, Node: node, Stays: stays, here: map[visit]bool{}, elsewhere: cache.Cache[visit, sight]{Fresh: fresh}}
}

// visit is a user's being there for an application; the user 0: anybody's.
type visit struct {
	app  snowflake.Application
	user snowflake.User
}

const anybody snowflake.User = 0

// stays is for how long a visit counts after it was last said. Sessions of a node that has died can be resumed for some time,
// and hear then what was told since.
func (p *Presence) stays(v visit) time.Duration {
	if v.user == anybody {
		return 2 * p.Stays
	}
	return p.Stays
}

func (p *Presence) key(v visit) string {
	return p.Client.prefix + ":here:{" + v.app.String() + "." + v.user.String() + "}"
}

// Arrived notes that the first client of a user on this node is there, and reports whether there was none on others.
func (p *Presence) Arrived(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	v := visit{app, user}
	first := !p.Elsewhere(ctx, app, user)
	p.stand(v)
	p.say(ctx, v) // again soon, if it does not get through now
	p.changed(ctx, v)
	return first
}

// Attend makes sure that every other node knows that an application has clients at this one. HasClients reports them by then.
func (p *Presence) Attend(ctx context.Context, app snowflake.Application) {
	v := visit{app, anybody}
	p.stand(v)
	if p.say(ctx, v) {
		p.changed(ctx, v)
	}
}

// Attended reports whether an application has clients at another node, or may have some.
func (p *Presence) Attended(ctx context.Context, app snowflake.Application) bool {
	return p.Elsewhere(ctx, app, anybody)
}

func (p *Presence) stand(v visit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.here[v] = true
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
	fetch := func() (sight, bool, error) {
		seen, err := p.look(ctx, v)
		return seen, true, err
	}
	seen, _, err := p.elsewhere.Load(v, fetch)
	now := clock.System{}.Now()
	if err == nil && !now.Before(seen.until) { // more may have been said since
		p.elsewhere.Forget(v)
		seen, _, err = p.elsewhere.Load(v, fetch)
	}
	return err != nil || seen.there
}

// look asks Redis whether and until when a user is connected to other nodes. That nobody is there is believed for no longer than
// it takes to be said again: Redis may have lost it.
func (p *Presence) look(ctx context.Context, v visit) (seen sight, err error) {
	client, err := p.Client.reach()
	if err != nil {
		return seen, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	now := clock.System{}.Now()
	seen.until = now.Add(p.Stays / 3)
	least := strconv.FormatInt(now.UnixMilli(), 10)
	nodes, err := client.Do(ctx, client.B().Zrangebyscore().Key(p.key(v)).Min(least).Max("+inf").Withscores().Build()).AsZScores()
	for _, node := range nodes {
		if end := time.UnixMilli(int64(node.Score)); node.Member != p.Node && (!seen.there || end.After(seen.until)) {
			seen = sight{true, end}
		}
	}
	return seen, err
}

// Run says again and again who is there until ctx ends.
func (p *Presence) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		clock.Wait(ctx, clock.System{}, p.Stays/3)
		all := p.standing()
		for len(all) > 0 && ctx.Err() == nil {
			n := min(len(all), together)
			p.say(ctx, all[:n]...)
			all = all[n:]
		}
	}
	return nil
}

// standing returns who is at this node, and which applications have clients here.
func (p *Presence) standing() []visit {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]visit, 0, len(p.here))
	for v := range p.here {
		if v.user == anybody && !p.HasClients(v.app) {
			delete(p.here, v) // whoever comes says so again
			continue
		}
		all = append(all, v)
	}
	return all
}

// say tells Redis that users are there, and reports whether it may not have known of all of them. What does not get through is
// said again soon.
func (p *Presence) say(ctx context.Context, visits ...visit) (news bool) {
	client, err := p.Client.reach()
	if err != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	now := clock.System{}.Now()
	past := strconv.FormatInt(now.UnixMilli(), 10)
	cmds := make(rueidis.Commands, 0, 3*len(visits))
	for _, v := range visits {
		until := now.Add(p.stays(v)).UnixMilli()
		cmds = append(cmds,
			client.B().Zremrangebyscore().Key(p.key(v)).Min("-inf").Max("("+past).Build(),
			client.B().Zadd().Key(p.key(v)).ScoreMember().ScoreMember(float64(until), p.Node).Build(),
			client.B().Pexpire().Key(p.key(v)).Milliseconds(2*p.stays(v).Milliseconds()).Build())
	}
	for i, answer := range client.DoMulti(ctx, cmds...) {
		if added, err := answer.AsInt64(); i%3 == 1 && (err != nil || added > 0) {
			news = true
		}
	}
	return news
}
