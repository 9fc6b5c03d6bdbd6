package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/redis/rueidis"
)

// A session is a hash: o is its node, v the number of private sends begun, w its owner, g its guilds, s its progress.
var (
	// putSession stores the state of a session if it belongs to the node. Its answers are the values of
	// session.PutResult.
	putSession = rueidis.NewLuaScript(`
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
	// countPrivate stores the number of private sends that a session has begun.
	countPrivate = rueidis.NewLuaScript(`
if redis.call('HGET', KEYS[1], 'o') == ARGV[1] then redis.call('HSET', KEYS[1], 'v', ARGV[2]) end
return 0
`)
	// deleteSession deletes a session if it belongs to the node.
	deleteSession = rueidis.NewLuaScript(`
if redis.call('HGET', KEYS[1], 'o') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0
`)
	// claimSession moves a session from one node to another and counts a private send.
	claimSession = rueidis.NewLuaScript(`
if redis.call('HGET', KEYS[1], 'o') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'o', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('HINCRBY', KEYS[1], 'v', 1)
`)
)

func (c *Client) sessionKey(id string) string { return c.prefix + ":session:{" + id + "}" }

func (c *Client) handoverKey(id string) string { return c.prefix + ":handover:{" + id + "}" }

// Sessions implements session.Shared. It is safe for concurrent use.
type Sessions struct {
	Client *Client
	Node   string // the name of this node
	// History reads the history of events that nodes share.
	History interface {
		EventsAfter(ctx context.Context, p events.Position, list []events.Partition) ([]events.Event, error)
	}
	// HandOver hands a session of this node over to another. It is set before Run.
	HandOver func(id string, seq uint64) (session.HandoverResult, []byte)

	pending pendingRequests
}

var _ session.Shared = (*Sessions)(nil)

// Put implements session.Shared.
func (s *Sessions) Put(ctx context.Context, list []session.SharedState) ([]session.PutResult, error) {
	execs := make([]rueidis.LuaExec, len(list))
	for i := range list {
		k := &list[i]
		free := "0"
		if k.Released {
			free = "1"
		}
		execs[i] = rueidis.LuaExec{Keys: []string{s.Client.sessionKey(k.ID)}, Args: []string{
			s.Node, milliseconds(k.TTL), strconv.FormatUint(k.Private, 10), free, rueidis.BinaryString(k.Progress),
			rueidis.BinaryString(k.Owner), rueidis.BinaryString(k.Guilds),
		}}
	}
	answers, err := s.run(ctx, putSession, execs)
	if err != nil {
		return nil, err
	}
	results := make([]session.PutResult, len(list))
	for i, a := range answers {
		results[i] = session.PutResult(a)
	}
	return results, nil
}

// Delete implements session.Shared.
func (s *Sessions) Delete(ctx context.Context, ids []string) error {
	execs := make([]rueidis.LuaExec, len(ids))
	for i, id := range ids {
		execs[i] = rueidis.LuaExec{Keys: []string{s.Client.sessionKey(id)}, Args: []string{s.Node}}
	}
	_, err := s.run(ctx, deleteSession, execs)
	return err
}

// run runs a script for many sessions in one round trip.
func (s *Sessions) run(ctx context.Context, script *rueidis.Lua, execs []rueidis.LuaExec) ([]int64, error) {
	client, err := s.Client.conn()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Client.callTime())
	defer cancel()
	answers := make([]int64, len(execs))
	for i, answer := range script.ExecMulti(ctx, client, execs...) {
		if answers[i], err = answer.AsInt64(); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// CountPrivate implements session.Shared.
func (s *Sessions) CountPrivate(ctx context.Context, id string, begun uint64) error {
	client, err := s.Client.conn()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Client.callTime())
	defer cancel()
	return countPrivate.Exec(ctx, client, []string{s.Client.sessionKey(id)}, []string{s.Node, strconv.FormatUint(begun, 10)}).Error()
}

// Find implements session.Shared.
func (s *Sessions) Find(ctx context.Context, id string) (*session.StoredSession, error) {
	client, err := s.Client.conn()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Client.callTime())
	defer cancel()
	fields, err := client.Do(ctx, client.B().Hgetall().Key(s.Client.sessionKey(id)).Build()).AsStrMap()
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	private, err := strconv.ParseUint(fields["v"], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("parse a session: %w", err)
	}
	return &session.StoredSession{
		Node: fields["o"], Owner: []byte(fields["w"]), Guilds: []byte(fields["g"]), Progress: []byte(fields["s"]), Private: private,
	}, nil
}

// Exists reports whether a session exists on any node.
func (s *Sessions) Exists(ctx context.Context, id string) (bool, error) {
	client, err := s.Client.conn()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Client.callTime())
	defer cancel()
	n, err := client.Do(ctx, client.B().Exists().Key(s.Client.sessionKey(id)).Build()).AsInt64()
	return n > 0, err
}

// Claim implements session.Shared.
func (s *Sessions) Claim(ctx context.Context, id, from string, ttl time.Duration) (uint64, error) {
	client, err := s.Client.conn()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Client.callTime())
	defer cancel()
	return claimSession.Exec(ctx, client, []string{s.Client.sessionKey(id)}, []string{s.Node, from, milliseconds(ttl)}).AsUint64()
}

// EventsAfter implements session.Shared.
func (s *Sessions) EventsAfter(ctx context.Context, p events.Position, list []events.Partition) ([]events.Event, error) {
	return s.History.EventsAfter(ctx, p, list)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

const (
	// maxAnswerTime bounds how long a node waits for a handover, also if commands may take longer: a session of a dead
	// node has to be restored in the time that is left. A handover is stored for handoverTTL.
	maxAnswerTime = 3 * time.Second
	handoverTTL   = 10 * time.Second
	// silentTime is the time for which a node that did not answer is not asked again.
	silentTime = 2 * time.Second
	// handoverWorkers is the number of sessions handed over at the same time, maxRequests the number of requests that
	// may wait.
	handoverWorkers = 16
	maxRequests     = 1024
)

// errSilent means that a node does not answer.
var errSilent = errors.New("the node does not answer")

// peerMessage is a message between nodes about a session: a request, or its answer if Result is set.
type peerMessage struct {
	From   string                 `json:"f"`
	Nonce  uint64                 `json:"n"`
	ID     string                 `json:"i,omitzero"`
	Seq    uint64                 `json:"s,omitzero"`
	Result session.HandoverResult `json:"a,omitzero"`
}

// pendingRequests are the requests of this node that wait for an answer.
type pendingRequests struct {
	mu      sync.Mutex
	nonce   uint64
	waiting map[uint64]chan session.HandoverResult // by nonce; capacity 1
	silent  map[string]time.Duration               // until when a node is not asked again, as a time of clock.Elapsed
}

// RequestHandover implements session.Shared.
func (s *Sessions) RequestHandover(ctx context.Context, node, id string, seq uint64) (session.HandoverResult, []byte, error) {
	if node == s.Node { // the session left this node a moment ago, or has ended
		result, body := s.HandOver(id, seq)
		return result, body, nil
	}
	nonce, answered, err := s.pending.add(node, clock.Elapsed(s.Client.clock))
	if err != nil {
		return 0, nil, err
	}
	defer s.pending.remove(nonce)
	ctx, cancel := context.WithTimeout(ctx, min(s.Client.callTime(), maxAnswerTime))
	defer cancel()
	if err := s.send(ctx, node, peerMessage{From: s.Node, Nonce: nonce, ID: id, Seq: seq}); err != nil {
		return 0, nil, err
	}
	select {
	case result := <-answered:
		if result != session.HandedOver {
			return result, nil, nil
		}
		body, err := s.fetchHandover(ctx, id)
		return result, body, err
	case <-ctx.Done():
		s.pending.markSilent(node, clock.Elapsed(s.Client.clock))
		return 0, nil, errSilent
	}
}

// add adds a request to a node. It fails with errSilent if the node did not answer a moment ago.
func (p *pendingRequests) add(node string, now time.Duration) (uint64, chan session.HandoverResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now < p.silent[node] {
		return 0, nil, errSilent
	}
	if p.waiting == nil {
		p.waiting, p.silent = map[uint64]chan session.HandoverResult{}, map[string]time.Duration{}
	}
	p.nonce++
	answered := make(chan session.HandoverResult, 1)
	p.waiting[p.nonce] = answered
	return p.nonce, answered, nil
}

func (p *pendingRequests) remove(nonce uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, nonce)
}

// markSilent records that a node does not answer.
func (p *pendingRequests) markSilent(node string, now time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for other, until := range p.silent {
		if until < now {
			delete(p.silent, other)
		}
	}
	p.silent[node] = now + silentTime
}

// resolve passes an answer to the request that waits for it.
func (p *pendingRequests) resolve(m *peerMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answered, waits := p.waiting[m.Nonce]; waits {
		delete(p.waiting, m.Nonce)
		answered <- m.Result
	}
}
