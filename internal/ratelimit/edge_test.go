package ratelimit_test

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/go-json-experiment/json"
)

func TestEdge(t *testing.T) {
	t.Parallel()
	client := netip.MustParseAddr("192.0.2.7")
	rule := ratelimit.EdgeRule{
		Invalid: 10, Window: 10 * time.Minute, Block: 30 * time.Minute,
		Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:a::/48")},
	}
	// answer is a number of answers to an address at a time.
	type answer struct {
		to     string
		status int
		scope  ratelimit.Scope
		times  int
		at     time.Duration
	}
	for _, tt := range []struct {
		name    string
		answers []answer
		asks    string
		at      time.Duration
		want    time.Duration // 0: not blocked
	}{
		{name: "one short", answers: []answer{{"", 401, 0, 9, 0}}},
		{name: "the tenth blocks", answers: []answer{{"", 401, 0, 10, 0}}, want: 30 * time.Minute},
		{
			name:    "401, 403 and 429 add up",
			answers: []answer{{"", 401, 0, 4, 0}, {"", 403, 0, 3, 0}, {"", 429, ratelimit.User, 2, 0}, {"", 429, ratelimit.Global, 1, 0}},
			want:    30 * time.Minute,
		},
		{
			name:    "other answers do not count",
			answers: []answer{{"", 200, 0, 99, 0}, {"", 400, 0, 99, 0}, {"", 404, 0, 99, 0}, {"", 500, 0, 99, 0}, {"", 204, 0, 99, 0}},
		},
		{name: "shared limits do not count", answers: []answer{{"", 429, ratelimit.Shared, 99, 0}}},
		{name: "other addresses do not count", answers: []answer{{"192.0.2.8", 401, 0, 99, 0}}},
		{
			name:    "window starts with the first",
			answers: []answer{{"", 401, 0, 1, 0}, {"", 401, 0, 9, 10*time.Minute - 1}}, at: 10 * time.Minute,
			want: 30*time.Minute - 1,
		},
		{
			name:    "window ends",
			answers: []answer{{"", 401, 0, 9, 0}, {"", 401, 0, 9, 10 * time.Minute}}, at: 10 * time.Minute,
		},
		{name: "block ends", answers: []answer{{"", 401, 0, 10, time.Minute}}, at: 31 * time.Minute},
		{
			name:    "block lasts to its end",
			answers: []answer{{"", 401, 0, 10, time.Minute}}, at: 31*time.Minute - 1, want: 1,
		},
		{
			name:    "answers under way when it was blocked do not extend it",
			answers: []answer{{"", 401, 0, 10, 0}, {"", 401, 0, 50, time.Minute}}, at: time.Minute, want: 29 * time.Minute,
		},
		{
			name:    "a new window follows a block",
			answers: []answer{{"", 401, 0, 10, 0}, {"", 401, 0, 10, time.Hour}}, at: time.Hour, want: 30 * time.Minute,
		},
		{name: "IPv4 in IPv6 is IPv4", answers: []answer{{"::ffff:192.0.2.7", 401, 0, 10, 0}}, want: 30 * time.Minute},
		{
			name:    "IPv6 counts by /64",
			answers: []answer{{"2001:db8::1", 401, 0, 5, 0}, {"2001:db8::2", 401, 0, 5, 0}}, asks: "2001:db8::3", want: 30 * time.Minute,
		},
		{
			name:    "another /64 is another address",
			answers: []answer{{"2001:db8:0:1::1", 401, 0, 10, 0}}, asks: "2001:db8:0:2::1",
		},
		{name: "allowed network", answers: []answer{{"10.1.2.3", 401, 0, 99, 0}}, asks: "10.1.2.3"},
		{name: "allowed network in IPv6 form", answers: []answer{{"::ffff:10.1.2.3", 401, 0, 99, 0}}, asks: "10.1.2.3"},
		{name: "allowed IPv6 network with a zone", answers: []answer{{"2001:db8:a::1%eth0", 401, 0, 99, 0}}, asks: "2001:db8:a::1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := ratelimit.NewEdge(rule, start)
			address := func(s string) netip.Addr {
				if s == "" {
					return client
				}
				return netip.MustParseAddr(s)
			}
			for _, a := range tt.answers {
				for range a.times {
					e.Answered(address(a.to), ratelimit.WrongBotToken, a.status, a.scope, start.Add(a.at))
				}
			}
			left, blocked := e.Blocked(address(tt.asks), ratelimit.WrongBotToken, start.Add(tt.at))
			if left != tt.want || blocked != (tt.want > 0) {
				t.Errorf("Blocked() = %v, %v, want %v", left, blocked, tt.want)
			}
			e.Clear()
			if _, blocked := e.Blocked(address(tt.asks), ratelimit.WrongBotToken, start.Add(tt.at)); blocked {
				t.Error("blocked after Clear")
			}
		})
	}
}

// TestEdgeCountsCredentialsApart blocks an address for one kind of wrong credential.
func TestEdgeCountsCredentialsApart(t *testing.T) {
	t.Parallel()
	e := ratelimit.NewEdge(ratelimit.EdgeRule{Invalid: 3, Window: time.Hour, Block: time.Hour}, start)
	addr := netip.MustParseAddr("192.0.2.7")
	for i := range 5 {
		if got := e.Answered(addr, ratelimit.WrongBotToken, http.StatusUnauthorized, 0, start); got != (i == 2) {
			t.Errorf("refusal %d blocks the address: %v", i+1, got)
		}
	}
	bot, user := ratelimit.Caller{Application: 1}, ratelimit.Caller{User: 1}
	both := ratelimit.Caller{Application: 1, User: 1}
	seen := map[ratelimit.Credential]bool{}
	for _, by := range []ratelimit.Credential{
		ratelimit.NoCredential, ratelimit.WrongBotToken, ratelimit.WrongBearerToken, ratelimit.WrongUserToken, ratelimit.WrongOperatorToken,
		ratelimit.WrongInteractionToken, bot.Credential(0), user.Credential(0), both.Credential(0),
	} {
		if _, blocked := e.Blocked(addr, by, start); blocked != (by == ratelimit.WrongBotToken) || seen[by] {
			t.Errorf("%v: blocked %v", by, blocked)
		}
		seen[by] = true
	}
	anonymous := ratelimit.Caller{Address: addr}
	if got := anonymous.Credential(ratelimit.WrongUserToken); got != ratelimit.WrongUserToken {
		t.Errorf("the credential of an unknown caller is %v", got)
	}
}

func TestEdgeIsExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	rule := ratelimit.Default().Edge
	e := ratelimit.NewEdge(rule, start)
	addr := netip.MustParseAddr("192.0.2.7")
	hammer(49, rule.Invalid/50, func(int) { e.Answered(addr, ratelimit.WrongBotToken, http.StatusUnauthorized, 0, start) })
	for i := range rule.Invalid / 50 {
		if _, blocked := e.Blocked(addr, ratelimit.WrongBotToken, start); blocked {
			t.Fatalf("blocked %d answers early", rule.Invalid/50-i)
		}
		e.Answered(addr, ratelimit.WrongBotToken, http.StatusUnauthorized, 0, start)
	}
	if _, blocked := e.Blocked(addr, ratelimit.WrongBotToken, start); !blocked {
		t.Errorf("not blocked after %d answers", rule.Invalid)
	}
}

func TestEdgeIsBounded(t *testing.T) {
	t.Parallel()
	e := ratelimit.NewEdge(ratelimit.EdgeRule{Invalid: 10, Window: time.Hour, Block: time.Hour}, start)
	villain := netip.MustParseAddr("192.0.2.7")
	for range 10 {
		e.Answered(villain, ratelimit.WrongBotToken, http.StatusForbidden, 0, start)
	}
	for i := range uint64(1 << 18) { // each from another /64
		var b [16]byte
		binary.BigEndian.PutUint64(b[:], 0x2001_0db8<<32|i)
		e.Answered(netip.AddrFrom16(b), ratelimit.WrongBotToken, http.StatusForbidden, 0, start)
	}
	if u := e.Usage(); u.Keys > 3<<16 || u.Evicted == 0 {
		t.Errorf("Usage() after a flood of addresses = %+v, want %d keys or fewer, and evictions", u, 3<<16)
	}
	if _, blocked := e.Blocked(villain, ratelimit.WrongBotToken, start); !blocked {
		t.Error("a flood of other addresses ended a block")
	}
}

func TestBlockedAnswer(t *testing.T) {
	t.Parallel()
	var body map[string]any
	if err := json.Unmarshal([]byte(ratelimit.BlockedBody), &body); err != nil || len(body) != 2 || body["code"] != 0.0 {
		t.Errorf("body %v (%v), want a message and code 0", body, err)
	}
	for left, want := range map[time.Duration]string{0: "1", 1: "1", time.Second: "1", time.Second + 1: "2", 10 * time.Minute: "600"} {
		h := http.Header{}
		ratelimit.SetBlockedHeaders(h, left)
		if h.Get("Retry-After") != want || len(h) != 1 {
			t.Errorf("headers with %v left: %v, want Retry-After %s alone", left, h, want)
		}
	}
}

// TestEdgeAllocates does not run in parallel, because allocations are counted per process.
func TestEdgeAllocates(t *testing.T) {
	e := ratelimit.NewEdge(ratelimit.EdgeRule{Invalid: 10, Window: time.Hour, Block: time.Hour}, start)
	addr := netip.MustParseAddr("2001:db8::1")
	for range 10 {
		e.Answered(addr, ratelimit.WrongBotToken, http.StatusForbidden, 0, start)
	}
	blocked := false
	got := testing.AllocsPerRun(100, func() {
		e.Answered(addr, ratelimit.WrongBotToken, http.StatusForbidden, 0, start)
		_, blocked = e.Blocked(addr, ratelimit.WrongBotToken, start)
	})
	if got != 0 || !blocked {
		t.Errorf("Answered() and Blocked() allocate %v times with blocked %v, want 0 and true", got, blocked)
	}
}
