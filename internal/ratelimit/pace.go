package ratelimit

import "time"

// Pace slows down sign-in attempts after failures. It counts the failures of an address, and those of an address for one
// user. Above a limit, the attempts of that address wait for their turns: one each second. Attempts from other addresses do
// not wait, so failures of one client do not lock out the user whom they name.
//
// It counts for one node, remembers a bounded number of addresses, and is safe for concurrent use. A nil Pace delays nothing.
type Pace struct {
	policy   *Policy
	start    time.Time
	failures windows
	turns    windows // each ends when the next attempt may begin
}

const (
	paceKeys = 1 << 16
	paceStep = time.Second
	// paceQueue is the longest wait. An attempt that would wait longer is refused.
	paceQueue = 10 * time.Second
)

// signInGroups are the limits on failed attempts.
var signInGroups = [...]Group{OAuth2SignIn, OAuth2SignInUser}

// NewPace returns a Pace for the limits of a policy. Times are measured from start, as in NewMemory.
func NewPace(p *Policy, start time.Time) *Pace {
	return &Pace{policy: p, start: start, failures: newWindows(paceKeys), turns: newWindows(paceKeys)}
}

// Turn returns how long an attempt at now waits before it begins. It returns false if too many attempts of the address wait
// already. The time then says when they are done.
func (p *Pace) Turn(c *Caller, now time.Time) (time.Duration, bool) {
	var longest time.Duration
	if p == nil {
		return 0, true
	}
	for _, g := range signInGroups {
		if _, claim := p.policy.Claims(g, c); !claim.IsZero() && p.slow(claim, now) {
			wait, ok := p.takeTurn(claim, now)
			if !ok {
				return wait, false
			}
			longest = max(longest, wait)
		}
	}
	return longest, true
}

// slow reports whether the failures of a claim have reached its limit.
func (p *Pace) slow(c Claim, now time.Time) bool {
	at := p.failures.slot(c.Key)
	s := p.failures.lock(at)
	defer s.mu.Unlock()
	r := c.compare(s.open[at.hash], int64(now.Sub(p.start)))
	return !r.Allowed
}

// takeTurn returns the time until the next free turn, and takes it if the time is not too long.
func (p *Pace) takeTurn(c Claim, now time.Time) (time.Duration, bool) {
	t := int64(now.Sub(p.start))
	at := p.turns.slot(c.Key)
	s := p.turns.lock(at)
	defer s.mu.Unlock()
	next := max(s.open[at.hash].ends, t) + int64(paceStep)
	if wait := time.Duration(next - t); wait > paceQueue {
		return wait, false
	}
	s.put(at.hash, window{ends: next, count: 1, limit: 1}, t)
	return time.Duration(next - t), true
}

// Failed counts a failed attempt.
func (p *Pace) Failed(c *Caller, now time.Time) {
	if p == nil {
		return
	}
	t := int64(now.Sub(p.start))
	for _, g := range signInGroups {
		_, claim := p.policy.Claims(g, c)
		if claim.IsZero() {
			continue
		}
		at := p.failures.slot(claim.Key)
		s := p.failures.lock(at)
		w := s.open[at.hash]
		if r := claim.compare(w, t); r.Allowed {
			s.put(at.hash, claim.count(w, t, &r), t)
		}
		s.mu.Unlock()
	}
}

// Clear forgets all attempts.
func (p *Pace) Clear() {
	p.failures.clear()
	p.turns.clear()
}
