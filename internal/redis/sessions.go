package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/resume"
	"github.com/redis/rueidis"
)

// A session is a hash: its node under o, how often it has begun to hear what stands in no history under v, whose it is under
// w, its guilds under g and how it stands under s.
var (
	// keepSession notes how a session stands if it is still its node's.
	keepSession = rueidis.NewLuaScript(`
local node = redis.call('HGET', KEYS[1], 'o')
if node and node ~= ARGV[1] then return 2 end
if not node and ARGV[6] == '' then return 3 end
redis.call('HSET', KEYS[1], 'o', ARGV[4] == '1' and '' or ARGV[1], 's', ARGV[5])
if tonumber(redis.call('HGET', KEYS[1], 'v') or -1) < tonumber(ARGV[3]) then redis.call('HSET', KEYS[1], 'v', ARGV[3]) end
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'w', ARGV[6]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'g', ARGV[7]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`)
	// asideSession notes how often a session has begun to hear what stands in no history.
	asideSession = rueidis.NewLuaScript(`
if redis.call('HGET', KEYS[1], 'o') == ARGV[1] then redis.call('HSET', KEYS[1], 'v', ARGV[2]) end
return 0
`)
	// dropSession forgets a session if it is still its node's.
	dropSession = rueidis.NewLuaScript(`
if redis.call('HGET', KEYS[1], 'o') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0
`)
	// takeSession makes a session a node's if it is still another's.
	takeSession = rueidis.NewLuaScript(`
if redis.call('HGET', KEYS[1], 'o') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'o', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('HINCRBY', KEYS[1], 'v', 1)
`)
)

func (c *Client) sessionKey(id string) string { return c.prefix + ":session:{" + id + "}" }

func (c *Client) parcelKey(id string) string { return c.prefix + ":parcel:{" + id + "}" }

// Sessions is what nodes share of gateway sessions. It is safe for concurrent use.
type Sessions struct {
	Client *Client
	Relay  *Relay // has the history
	Node   string // the name of this process
	// Give gives a session of this node up to another. It is set before Run.
	Give func(id string, seq uint64) (resume.Answer, []byte)

	post post
}

var _ resume.Sessions = (*Sessions)(nil)

// Keep notes how sessions stand.
func (s *Sessions) Keep(ctx context.Context, list []resume.Kept) ([]resume.Fate, error) {
	execs := make([]rueidis.LuaExec, len(list))
	for i := range list {
		k := &list[i]
		free := "0"
		if k.Free {
			free = "1"
		}
		execs[i] = rueidis.LuaExec{Keys: []string{s.Client.sessionKey(k.ID)}, Args: []string{
			s.Node, milliseconds(k.Life), strconv.FormatUint(k.Asides, 10), free, rueidis.BinaryString(k.State),
			rueidis.BinaryString(k.Who), rueidis.BinaryString(k.Guilds),
		}}
	}
	answers, err := s.run(ctx, keepSession, execs)
	if err != nil {
		return nil, err
	}
	fates := make([]resume.Fate, len(list))
	for i, a := range answers {
		fates[i] = resume.Fate(a) // the script's answers are the fates
	}
	return fates, nil
}

// Drop forgets sessions.
func (s *Sessions) Drop(ctx context.Context, ids []string) error {
	execs := make([]rueidis.LuaExec, len(ids))
	for i, id := range ids {
		execs[i] = rueidis.LuaExec{Keys: []string{s.Client.sessionKey(id)}, Args: []string{s.Node}}
	}
	_, err := s.run(ctx, dropSession, execs)
	return err
}

// run runs a script for many sessions at once.
func (s *Sessions) run(ctx context.Context, script *rueidis.Lua, execs []rueidis.LuaExec) ([]int64, error) {
	client, err := s.Client.reach()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	answers := make([]int64, len(execs))
	for i, answer := range script.ExecMulti(ctx, client, execs...) {
		if answers[i], err = answer.AsInt64(); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// Aside notes how often a session has begun to hear what stands in no history.
func (s *Sessions) Aside(ctx context.Context, id string, begun uint64) error {
	client, err := s.Client.reach()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return asideSession.Exec(ctx, client, []string{s.Client.sessionKey(id)}, []string{s.Node, strconv.FormatUint(begun, 10)}).Error()
}

// Find returns what is kept of a session.
func (s *Sessions) Find(ctx context.Context, id string) (*resume.Found, error) {
	client, err := s.Client.reach()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	fields, err := client.Do(ctx, client.B().Hgetall().Key(s.Client.sessionKey(id)).Build()).AsStrMap()
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	asides, err := strconv.ParseUint(fields["v"], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read a session: %w", err)
	}
	return &resume.Found{
		Node: fields["o"], Who: []byte(fields["w"]), Guilds: []byte(fields["g"]), State: []byte(fields["s"]), Asides: asides,
	}, nil
}

// Take makes a session this node's.
func (s *Sessions) Take(ctx context.Context, id, from string, life time.Duration) (uint64, error) {
	client, err := s.Client.reach()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return takeSession.Exec(ctx, client, []string{s.Client.sessionKey(id)}, []string{s.Node, from, milliseconds(life)}).AsUint64()
}

// After returns some of the events behind a position.
func (s *Sessions) After(ctx context.Context, p events.Position) ([]events.Event, error) {
	return s.Relay.After(ctx, p)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

const (
	// answerWithin is how long a node has to hand a session over, parcelLife how long the session lies ready then.
	answerWithin = 500 * time.Millisecond
	parcelLife   = 10 * time.Second
	// silence is for how long a node is not asked again that did not answer.
	silence = 2 * time.Second
	// maxAsked is how many sessions are handed over at once, maxWaiting how many may wait for that.
	maxAsked   = 16
	maxWaiting = 1024
)

// errSilent says that a node does not answer.
var errSilent = errors.New("the node does not answer")

// letter is what nodes tell each other about sessions: a question, or with an answer in it the answer to one.
type letter struct {
	From   string        `json:"f"`
	Nonce  uint64        `json:"n"`
	ID     string        `json:"i,omitzero"`
	Seq    uint64        `json:"s,omitzero"`
	Answer resume.Answer `json:"a,omitzero"`
}

// post is who waits for letters.
type post struct {
	mu     sync.Mutex
	nonce  uint64
	asked  map[uint64]chan resume.Answer // each has room for one
	silent map[string]time.Time          // until when nodes are not asked
}

// Ask has another node give a session up.
func (s *Sessions) Ask(ctx context.Context, node, id string, seq uint64) (resume.Answer, []byte, error) {
	if node == s.Node {
		return resume.Absent, nil, nil // asked for is what is not here
	}
	nonce, answered, err := s.post.ask(node)
	if err != nil {
		return 0, nil, err
	}
	defer s.post.done(nonce)
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if err := s.write(ctx, node, letter{From: s.Node, Nonce: nonce, ID: id, Seq: seq}); err != nil {
		return 0, nil, err
	}
	select {
	case answer := <-answered:
		if answer != resume.Given {
			return answer, nil, nil
		}
		body, err := s.fetch(ctx, id)
		return answer, body, err
	case <-ctx.Done():
		s.post.mute(node)
		return 0, nil, errSilent
	}
}

func (p *post) ask(node string) (uint64, chan resume.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := (clock.System{}).Now(); now.Before(p.silent[node]) {
		return 0, nil, errSilent
	}
	if p.asked == nil {
		p.asked, p.silent = map[uint64]chan resume.Answer{}, map[string]time.Time{}
	}
	p.nonce++
	answered := make(chan resume.Answer, 1)
	p.asked[p.nonce] = answered
	return p.nonce, answered, nil
}

func (p *post) done(nonce uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asked, nonce)
}

func (p *post) mute(node string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := clock.System{}.Now()
	for other, until := range p.silent {
		if until.Before(now) {
			delete(p.silent, other)
		}
	}
	p.silent[node] = now.Add(silence)
}

// answer hands an answer to who waits for it.
func (p *post) answer(l *letter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answered, waits := p.asked[l.Nonce]; waits {
		delete(p.asked, l.Nonce)
		answered <- l.Answer
	}
}
