package ratelimit_test

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// headers returns the headers that v sets.
func headers(v ratelimit.Verdict) http.Header {
	h := http.Header{}
	v.SetHeaders(h)
	return h
}

// guard returns a guard with the default limits and a narrow limit for creates, and its policy.
func guard() (*ratelimit.Guard, *ratelimit.Policy) {
	p := ratelimit.Default()
	p.Routes[ratelimit.CommandsCreate] = ratelimit.Rule{Limit: 5, Window: 20 * time.Second, Per: ratelimit.PerCallerAndGuild}
	return &ratelimit.Guard{Policy: &p, Limiter: ratelimit.NewMemory(1000, start)}, &p
}

func TestGuardCheck(t *testing.T) {
	t.Parallel()
	bot := ratelimit.Caller{Application: 100, Guild: 300}
	const via = "1.1 bellhop"
	for _, tt := range []struct {
		name   string
		rule   string // section of the specification or of the reference
		group  ratelimit.Group
		caller ratelimit.Caller
		before int // earlier requests
		others int // earlier requests of another route
		at     time.Duration
		scope  ratelimit.Scope
		want   map[string]string
		body   string
	}{
		{
			name: "first request", rule: "Headers", group: ratelimit.CommandsCreate, caller: bot,
			want: map[string]string{
				"X-Ratelimit-Limit": "5", "X-Ratelimit-Remaining": "4",
				"X-Ratelimit-Reset": "1772366420.124", "X-Ratelimit-Reset-After": "20.000", "Via": via,
			},
		},
		{
			name: "refused by the route", rule: "429 bodies: user", group: ratelimit.CommandsCreate, caller: bot,
			before: 5, at: 123456 * time.Microsecond, scope: ratelimit.User,
			want: map[string]string{
				"X-Ratelimit-Limit": "5", "X-Ratelimit-Remaining": "0",
				"X-Ratelimit-Reset": "1772366420.124", "X-Ratelimit-Reset-After": "20.000", "Via": via,
				"Retry-After": "20", "X-Ratelimit-Scope": "user",
			},
			body: `{"message":"You are being rate limited.","retry_after":19.877,"global":false}`,
		},
		{
			name: "refused by a shared limit", rule: "429 bodies: shared", group: ratelimit.InteractionsInvoke,
			caller: ratelimit.Caller{User: 200}, before: 50, at: 7940 * time.Millisecond, scope: ratelimit.Shared,
			want: map[string]string{
				"X-Ratelimit-Limit": "50", "X-Ratelimit-Remaining": "0",
				"X-Ratelimit-Reset": "1772366410.124", "X-Ratelimit-Reset-After": "3.000", "Via": via,
				"Retry-After": "3", "X-Ratelimit-Scope": "shared",
			},
			body: `{"message":"The resource is being rate limited.","retry_after":2.060,"global":false}`,
		},
		{
			name: "refused by the limit on everything", rule: "429 bodies: global", group: ratelimit.CommandsCreate, caller: bot,
			others: 50, at: 380 * time.Millisecond, scope: ratelimit.Global,
			want: map[string]string{
				"X-Ratelimit-Limit": "50", "X-Ratelimit-Remaining": "0",
				"X-Ratelimit-Reset": "1772366401.124", "X-Ratelimit-Reset-After": "1.000", "Via": via,
				"Retry-After": "1", "X-Ratelimit-Scope": "global", "X-Ratelimit-Global": "true",
			},
			body: `{"message":"You are being rate limited.","retry_after":0.620,"global":true}`,
		},
		{
			name: "route without a limit of its own", rule: "all endpoints", group: ratelimit.LobbiesEdit,
			caller: ratelimit.Caller{Application: 100}, others: 9,
			want: map[string]string{
				"X-Ratelimit-Limit": "50", "X-Ratelimit-Remaining": "40",
				"X-Ratelimit-Reset": "1772366401.124", "X-Ratelimit-Reset-After": "1.000", "Via": via,
			},
		},
		{
			name: "both used up tells of the one that ends last", rule: "Limits", group: ratelimit.CommandsCreate, caller: bot,
			before: 5, others: 45, at: 999 * time.Millisecond, scope: ratelimit.User,
			want: map[string]string{
				"X-Ratelimit-Limit": "5", "X-Ratelimit-Remaining": "0",
				"X-Ratelimit-Reset": "1772366420.124", "X-Ratelimit-Reset-After": "20.000", "Via": via,
				"Retry-After": "20", "X-Ratelimit-Scope": "user",
			},
			body: `{"message":"You are being rate limited.","retry_after":19.001,"global":false}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _ := guard()
			for range tt.before {
				g.Check(t.Context(), tt.group, &tt.caller, start)
			}
			for range tt.others {
				g.Check(t.Context(), ratelimit.LobbiesGet, &tt.caller, start)
			}
			v := g.Check(t.Context(), tt.group, &tt.caller, start.Add(tt.at))
			if v.Scope() != tt.scope {
				t.Errorf("%s: scope %d, want %d", tt.rule, v.Scope(), tt.scope)
			}
			got := map[string]string{}
			for name, values := range headers(v) {
				got[name] = strings.Join(values, ", ")
			}
			bucket := ratelimit.Refuse(tt.group, ratelimit.User, 0, start)
			if tt.caller.Guild == 0 && got["X-Ratelimit-Bucket"] != headers(bucket).Get("X-RateLimit-Bucket") {
				t.Errorf("%s: bucket is not the route's", tt.rule)
			}
			delete(got, "X-Ratelimit-Bucket")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: headers differ (-want +got):\n%s", tt.rule, diff)
			}
			if tt.body != "" && string(v.AppendBody(nil)) != tt.body {
				t.Errorf("%s: body %s, want %s", tt.rule, v.AppendBody(nil), tt.body)
			}
		})
	}
}

// wire has the members of an answer that a client reads.
type wire struct {
	limit, remaining int
	reset            time.Time
	waits            map[string]time.Duration
}

var threeDecimals = regexp.MustCompile(`^\d+\.\d{3}$`)

// read parses headers and body as client libraries do.
func read(t *rapid.T, v ratelimit.Verdict, now time.Time) wire {
	h := headers(v)
	number := func(name string) int {
		n, err := strconv.ParseUint(h.Get(name), 10, 31)
		if err != nil {
			t.Fatalf("%s is %q, want a whole number that is not negative", name, h.Get(name))
		}
		return int(n)
	}
	seconds := func(name string) time.Duration {
		if !threeDecimals.MatchString(h.Get(name)) {
			t.Fatalf("%s is %q, want seconds with three decimals", name, h.Get(name))
		}
		d, err := time.ParseDuration(h.Get(name) + "s")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	w := wire{limit: number("X-RateLimit-Limit"), remaining: number("X-RateLimit-Remaining")}
	w.reset = time.Unix(0, 0).Add(seconds("X-RateLimit-Reset"))
	w.waits = map[string]time.Duration{"Reset-After": seconds("X-RateLimit-Reset-After"), "Reset": w.reset.Sub(now)}
	if h.Get("X-RateLimit-Bucket") == "" || h.Get("Via") == "" {
		t.Fatalf("headers %v, want a bucket and Via", h)
	}
	if v.Scope() == ratelimit.Allowed {
		return w
	}
	w.waits["Retry-After"] = time.Duration(number("Retry-After")) * time.Second
	var body struct {
		Message    string  `json:"message"`
		RetryAfter float64 `json:"retry_after"`
		Global     bool    `json:"global"`
	}
	if err := json.Unmarshal(v.AppendBody(nil), &body); err != nil {
		t.Fatalf("body %s: %v", v.AppendBody(nil), err)
	}
	w.waits["retry_after"] = time.Duration(math.Round(body.RetryAfter*1000)) * time.Millisecond
	if wait := w.waits["Reset-After"]; wait%time.Second != 0 || wait != w.waits["Retry-After"] {
		t.Fatalf("Reset-After is %v, Retry-After %v: want the same whole seconds", wait, w.waits["Retry-After"])
	}
	if body.Global != (h.Get("X-RateLimit-Global") == "true") || body.Message == "" {
		t.Fatalf("body %s does not fit headers %v", v.AppendBody(nil), h)
	}
	return w
}

func TestClientThatWaitsAsToldIsLetIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, policy := guard()
		limits := rapid.IntRange(1, 3)
		windows := rapid.Custom(func(t *rapid.T) time.Duration { // any duration
			return time.Duration(rapid.Int64Range(int64(time.Second), int64(5*time.Second)).Draw(t, "ns"))
		})
		policy.Application = ratelimit.Rule{Limit: limits.Draw(t, "all"), Window: windows.Draw(t, "window")}
		policy.Routes[ratelimit.CommandsGet] = ratelimit.Rule{Limit: limits.Draw(t, "route"), Window: windows.Draw(t, "window")}
		bot := ratelimit.Caller{Application: 100}
		now := start.Add(time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "start")))
		groups := rapid.SampledFrom([]ratelimit.Group{ratelimit.CommandsGet, ratelimit.LobbiesEdit})
		for range rapid.IntRange(1, 30).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "step")))
			group := groups.Draw(t, "group")
			v := g.Check(t.Context(), group, &bot, now)
			w := read(t, v, now)
			if v.Scope() == ratelimit.Allowed && (w.remaining < 0 || w.remaining >= w.limit) {
				t.Fatalf("let in with %d of %d remaining", w.remaining, w.limit)
			}
			if v.Scope() == ratelimit.Allowed {
				continue
			}
			name := rapid.SampledFrom([]string{"Reset-After", "Reset", "Retry-After", "retry_after"}).Draw(t, "wait")
			now = now.Add(w.waits[name])
			if v := g.Check(t.Context(), group, &bot, now); v.Scope() != ratelimit.Allowed {
				t.Fatalf("refused again after waiting %v by %s", w.waits[name], name)
			}
		}
	})
}

func TestRemainingCountsDownToZero(t *testing.T) {
	t.Parallel()
	g, _ := guard()
	bot := ratelimit.Caller{Application: 100}
	for want := 4; want >= 0; want-- {
		v := g.Check(t.Context(), ratelimit.CommandsCreate, &bot, start)
		if got := v.Result().Remaining; got != want {
			t.Errorf("%d remaining, want %d", got, want)
		}
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		after       time.Duration
		retry, body string
	}{
		{-time.Second, "1", "0.001"},
		{0, "1", "0.001"},
		{1, "1", "0.001"},
		{time.Millisecond, "1", "0.001"},
		{time.Second, "1", "1.000"},
		{time.Second + 1, "2", "1.001"},
		{1336570 * time.Millisecond, "1337", "1336.570"},
	} {
		v := ratelimit.Refuse(ratelimit.Webhooks, ratelimit.User, tt.after, start)
		h := headers(v)
		if h.Get("Retry-After") != tt.retry || h.Get("X-RateLimit-Reset-After") != tt.retry+".000" {
			t.Errorf("after %v: Retry-After %s and Reset-After %s, want %s and %s",
				tt.after, h.Get("Retry-After"), h.Get("X-RateLimit-Reset-After"), tt.retry, tt.retry)
		}
		if !strings.Contains(string(v.AppendBody(nil)), `"retry_after":`+tt.body+`,`) {
			t.Errorf("after %v: body %s, want %s", tt.after, v.AppendBody(nil), tt.body)
		}
	}
	before1970 := ratelimit.Refuse(ratelimit.Webhooks, ratelimit.User, time.Second, time.Unix(-100, 5))
	if got := headers(before1970).Get("X-RateLimit-Reset"); got != "0.000" {
		t.Errorf("X-RateLimit-Reset before 1970 = %s, want 0.000", got)
	}
}

// TestVerdictAllocates does not run in parallel, because allocations are counted per process.
func TestVerdictAllocates(t *testing.T) {
	v := ratelimit.Refuse(ratelimit.Webhooks, ratelimit.Global, 19*time.Second, start)
	h := http.Header{}
	if got := testing.AllocsPerRun(100, func() { v.SetHeaders(h) }); got > 2 {
		t.Errorf("SetHeaders() allocates %v times, want at most 2", got)
	}
	body := make([]byte, 0, 128)
	if got := testing.AllocsPerRun(100, func() { body = v.AppendBody(body[:0]) }); got != 0 {
		t.Errorf("AppendBody() allocates %v times, want 0", got)
	}
}
