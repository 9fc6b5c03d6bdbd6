package ratelimit

import (
	"math/bits"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// Edge blocks addresses that got too many refusals. It counts the refusals of an address separately for each Credential:
// requests with wrong tokens do not block those of a valid token from the same address. It is safe for concurrent use.
// An IPv6 address stands for its /64.
//
// Requests of a blocked address are not counted, so a block ends at the announced time. Edge remembers a bounded number
// of addresses; if there are more, it forgets those with the fewest refusals first.
type Edge struct {
	rule      EdgeRule
	start     time.Time
	addresses windows
}

// Credential is the credential of a request: a valid caller, or a kind of credential that was missing or not valid.
type Credential uint64

// The kinds of credentials that are missing or not valid. Callers that are known have other values.
const (
	NoCredential Credential = iota
	WrongBotToken
	WrongBearerToken
	WrongUserToken
	WrongOperatorToken
	WrongInteractionToken
)

// String returns the kind for the log.
func (c Credential) String() string {
	switch c {
	case NoCredential:
		return "none"
	case WrongBotToken:
		return "bot"
	case WrongBearerToken:
		return "bearer"
	case WrongUserToken:
		return "user"
	case WrongOperatorToken:
		return "operator"
	case WrongInteractionToken:
		return "interaction"
	}
	return "valid"
}

// knownCaller marks the Credential of a known caller.
const knownCaller = 1 << 63

// Credential returns the caller's credential, or wrong if the caller is not known.
func (c *Caller) Credential(wrong Credential) Credential {
	if !c.known() {
		return wrong
	}
	return Credential(knownCaller | uint64(c.Application) ^ uint64(c.Webhook) ^ bits.RotateLeft64(uint64(c.User), 31))
}

// edgeAddresses is the number of addresses that an Edge remembers.
const edgeAddresses = 1 << 17

// NewEdge returns an Edge. Times are measured from start, as in NewMemory.
func NewEdge(rule EdgeRule, start time.Time) *Edge {
	return &Edge{rule: rule, start: start, addresses: newWindows(edgeAddresses)}
}

// Blocked reports whether requests of addr with a credential are blocked at now, and for how long.
func (e *Edge) Blocked(addr netip.Addr, by Credential, now time.Time) (time.Duration, bool) {
	t := int64(now.Sub(e.start))
	p := e.addresses.slot(edgeKey(addr, by))
	s := e.addresses.lock(p)
	defer s.mu.Unlock()
	w := s.open[p.hash]
	if w.limit == 0 || w.count < w.limit || w.ends <= t {
		return 0, false
	}
	return time.Duration(w.ends - t), true
}

// Answered records the status of an answer to addr at now. It ignores refusals by a shared limit. It returns true if this
// answer blocks the address.
func (e *Edge) Answered(addr netip.Addr, by Credential, status int, scope Scope, now time.Time) bool {
	switch {
	case status != http.StatusUnauthorized && status != http.StatusForbidden && status != http.StatusTooManyRequests:
	case scope == Shared || e.rule.Invalid == 0 || within(e.rule.Allow, plain(addr)):
	default:
		return e.count(addr, by, int64(now.Sub(e.start)))
	}
	return false
}

// count counts a refusal and reports whether it blocks the address.
func (e *Edge) count(addr netip.Addr, by Credential, t int64) bool {
	p := e.addresses.slot(edgeKey(addr, by))
	s := e.addresses.lock(p)
	defer s.mu.Unlock()
	w := s.open[p.hash]
	if w.limit == 0 || w.ends <= t {
		w = window{ends: t + int64(e.rule.Window), limit: uint32(e.rule.Invalid)}
	}
	w.count++
	if w.count == w.limit { // later refusals were in progress before the block and do not extend it
		w.ends = t + int64(e.rule.Block)
	}
	s.put(p.hash, w, t)
	return w.count == w.limit
}

func edgeKey(addr netip.Addr, by Credential) Key {
	hi, lo := network(addr)
	return makeKey(bucketOf(global, false), PerAddress, hi, lo, uint64(by))
}

// Clear forgets all addresses.
func (e *Edge) Clear() { e.addresses.clear() }

// Usage returns the number of addresses.
func (e *Edge) Usage() Usage { return e.addresses.usage() }

// BlockedBody is the JSON body of the 429 answer to a blocked address.
const BlockedBody = `{"message":"You are being blocked from accessing our API temporarily ` +
	`because too many of your requests were refused.","code":0}`

// SetBlockedHeaders sets the only header that a blocked address gets. Without Via and a bucket, client libraries
// recognize a block.
func SetBlockedHeaders(h http.Header, left time.Duration) {
	h[headerRetryAfter] = []string{strconv.FormatInt(max(ceil(int64(left), int64(time.Second)), 1), 10)}
}
