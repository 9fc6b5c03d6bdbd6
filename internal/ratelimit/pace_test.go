package ratelimit_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// attempt is a sign-in attempt of an address with a token that names a user.
func attempt(address string, user snowflake.User) *ratelimit.Caller {
	return &ratelimit.Caller{Address: netip.MustParseAddr(address), User: user}
}

// TestPace checks when attempts wait, and for how long.
func TestPace(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	now := time.Unix(1_800_000_000, 0)
	p := ratelimit.NewPace(&policy, now)
	wants := func(c *ratelimit.Caller, what string, want time.Duration, ok bool) {
		t.Helper()
		if got, may := p.Turn(c, now); got != want || may != ok {
			t.Errorf("%s: Turn() = %v, %v, want %v, %v", what, got, may, want, ok)
		}
	}
	attacker, victim := attempt("203.0.113.1", 7), attempt("203.0.113.2", 7)
	for range 5 {
		wants(attacker, "before the limit", 0, true)
		p.Failed(attacker, now)
	}
	for i := range 10 {
		wants(attacker, "after the limit", time.Duration(i+1)*time.Second, true)
	}
	wants(attacker, "with ten attempts that wait", 11*time.Second, false)
	wants(victim, "the user at another address", 0, true)
	wants(attempt("203.0.113.1", 8), "another user at the address", 0, true)
	now = now.Add(4 * time.Second)
	wants(attacker, "after four turns", 7*time.Second, true)
	now = now.Add(10 * time.Minute)
	wants(attacker, "after the window", 0, true)
}

// TestPaceOfAnAddress checks that failures for many users, and with tokens that name no user, count for the address.
func TestPaceOfAnAddress(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	now := time.Unix(1_800_000_000, 0)
	p := ratelimit.NewPace(&policy, now)
	for i := range 20 {
		c := attempt("203.0.113.1", snowflake.User(i/2)) // 0 is no user
		if got, _ := p.Turn(c, now); got != 0 {
			t.Fatalf("attempt %d waits %v", i+1, got)
		}
		p.Failed(c, now)
	}
	if got, ok := p.Turn(attempt("203.0.113.1", 99), now); got != time.Second || !ok {
		t.Errorf("after 20 failures of the address: Turn() = %v, %v", got, ok)
	}
	if got, ok := p.Turn(attempt("203.0.113.2", 1), now); got != 0 || !ok {
		t.Errorf("at another address: Turn() = %v, %v", got, ok)
	}
	p.Clear()
	if got, ok := p.Turn(attempt("203.0.113.1", 99), now); got != 0 || !ok {
		t.Errorf("after Clear: Turn() = %v, %v", got, ok)
	}
	var none *ratelimit.Pace
	if got, ok := none.Turn(attempt("203.0.113.1", 99), now); got != 0 || !ok {
		t.Errorf("a nil Pace: Turn() = %v, %v", got, ok)
	}
}
