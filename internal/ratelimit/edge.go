package ratelimit

import (
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"
)

// Edge refuses addresses that collect too many refusals, before anything else is done for them. It is safe for
// concurrent use. An IPv6 address stands for its /64.
//
// Requests that it refuses are not counted, so a block ends when it was said to, whatever the address does meanwhile.
// It remembers a bounded number of addresses; when more than that collect refusals at once, those with the fewest are
// forgotten first.
type Edge struct {
	rule      EdgeRule
	start     time.Time
	addresses shards
	until     atomic.Int64 // when the last block ends; until then, Blocked has to look
}

// edgeAddresses is how many addresses an Edge remembers.
const edgeAddresses = 1 << 17

// NewEdge returns an Edge that holds rule. Times are measured from start, as in NewMemory.
func NewEdge(rule EdgeRule, start time.Time) *Edge {
	e := &Edge{rule: rule, start: start, addresses: newShards(edgeAddresses)}
	e.until.Store(math.MinInt64)
	return e
}

// Blocked reports whether addr is refused at now, and for how long from then on.
func (e *Edge) Blocked(addr netip.Addr, now time.Time) (time.Duration, bool) {
	t := int64(now.Sub(e.start))
	if t >= e.until.Load() {
		return 0, false
	}
	k, p := e.addresses.locate(edgeKey(addr))
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.find(k)
	if s == nil || s.count < s.limit || s.ends <= t {
		return 0, false
	}
	return time.Duration(s.ends - t), true
}

// Answered notes the status of an answer that addr got at now. Refusals by a shared limit are not held against it.
func (e *Edge) Answered(addr netip.Addr, status int, scope Scope, now time.Time) {
	switch {
	case status != http.StatusUnauthorized && status != http.StatusForbidden && status != http.StatusTooManyRequests:
	case scope == Shared || e.rule.Invalid == 0 || within(e.rule.Allow, plain(addr)):
	default:
		e.count(addr, int64(now.Sub(e.start)))
	}
}

func (e *Edge) count(addr netip.Addr, t int64) {
	k, p := e.addresses.locate(edgeKey(addr))
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.find(k)
	if s == nil {
		s = p.add(k, t)
	}
	if s.limit == 0 || s.ends <= t {
		s.ends, s.count, s.limit = t+int64(e.rule.Window), 0, uint32(e.rule.Invalid)
	}
	s.count++
	if s.count == s.limit { // what is counted beyond was under way before, and extends nothing
		s.ends = t + int64(e.rule.Block)
		e.blockUntil(s.ends)
	}
}

// blockUntil moves the end of the last block to t unless it is later already.
func (e *Edge) blockUntil(t int64) {
	for old := e.until.Load(); old < t && !e.until.CompareAndSwap(old, t); {
		old = e.until.Load()
	}
}

func edgeKey(addr netip.Addr) Key {
	hi, lo := network(addr)
	return makeKey(bucketOf(global, false), PerAddress, hi, lo, 0)
}

// Clear forgets every address.
func (e *Edge) Clear() {
	e.addresses.clear()
	e.until.Store(math.MinInt64)
}

// Usage returns what e holds now.
func (e *Edge) Usage() Usage { return e.addresses.usage() }

// BlockedBody is the JSON body of the 429 that a blocked address gets.
const BlockedBody = `{"message":"You are being blocked from accessing our API temporarily ` +
	`because too many of your requests were refused.","code":0}`

// SetBlockedHeaders puts the one header into h that a blocked address gets. It has no Via and no bucket, by which
// client libraries tell a block from a limit.
func SetBlockedHeaders(h http.Header, left time.Duration) {
	h[headerRetryAfter] = []string{strconv.FormatInt(max(ceil(int64(left), int64(time.Second)), 1), 10)}
}
