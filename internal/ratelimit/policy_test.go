package ratelimit_test

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestDefaultHoldsTheSpecification(t *testing.T) {
	t.Parallel()
	p := ratelimit.Default()
	for _, tt := range []struct {
		rule string // row of the table Limits in the specification
		got  ratelimit.Rule
		want string
	}{
		{"all endpoints", p.Application, "50 per 1s per caller"},
		{"lobby create, delete, get", p.Routes[ratelimit.LobbiesCreate], "500 per 10s per application"},
		{"lobby create, delete, get", p.Routes[ratelimit.LobbiesDelete], "500 per 10s per application"},
		{"lobby create, delete, get", p.Routes[ratelimit.LobbiesGet], "500 per 10s per application"},
		{"lobby member add, remove", p.Routes[ratelimit.MembersAdd], "5000 per 10s per application"},
		{"lobby member add, remove", p.Routes[ratelimit.MembersRemove], "5000 per 10s per application"},
		{"sending a message", p.Routes[ratelimit.MessagesSend], "3000 per 2h per user"},
		{"creating or joining a lobby", p.Routes[ratelimit.LobbiesJoin], "10 per 1m per user"},
	} {
		if got := tt.got.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.rule, got, tt.want)
		}
	}
	if p.MostRaised != 1200 {
		t.Errorf("an application can be raised to %d, want 1200", p.MostRaised)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	const golden = "testdata/buckets.golden"
	form := regexp.MustCompile(`^[0-9a-f]{32}$`)
	names, buckets := map[string]bool{}, map[string]bool{}
	var out strings.Builder
	p := ratelimit.Default()
	guard := ratelimit.Guard{Policy: &p, Limiter: ratelimit.NewMemory(1000, start)}
	for _, g := range ratelimit.Groups() {
		if g.String() == "" || names[g.String()] {
			t.Errorf("group %d has no name of its own: %q", g, g)
		}
		names[g.String()] = true
		for _, c := range []ratelimit.Caller{{Application: 100}, {Application: 100, Guild: 300}} {
			h := headers(guard.Check(t.Context(), g, &c, start))
			bucket := h.Get("X-RateLimit-Bucket")
			c.Guild *= 2
			c.Application++
			if other := headers(guard.Check(t.Context(), g, &c, start)).Get("X-RateLimit-Bucket"); other != bucket {
				t.Errorf("bucket of %v is %q for one caller and guild and %q for another", g, bucket, other)
			}
			apart := p.Routes[g].Per == ratelimit.PerCallerAndGuild
			if bucket != "" && (!form.MatchString(bucket) || (buckets[bucket] && (apart || c.Guild == 0))) {
				t.Errorf("bucket of %v is %q, want 32 hex digits of its own", g, bucket)
			}
			buckets[bucket] = true
			fmt.Fprintf(&out, "%-26s guild=%-5v %s\n", g, c.Guild != 0, bucket)
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("buckets have changed, and clients know them (-want +got):\n%s", diff)
	}
}

func TestPolicyClaims(t *testing.T) {
	t.Parallel()
	address := netip.MustParseAddr("192.0.2.7")
	bot := ratelimit.Caller{Application: 100, Address: address}
	bearer := ratelimit.Caller{Application: 100, User: 200, Address: address}
	person := ratelimit.Caller{User: 200, Address: address}
	anonymous := ratelimit.Caller{Address: address}
	in := func(c ratelimit.Caller, change func(*ratelimit.Caller)) ratelimit.Caller {
		change(&c)
		return c
	}
	guild := func(c *ratelimit.Caller) { c.Guild = 300 }
	answering := func(c *ratelimit.Caller) { c.Interaction = 400 }
	const byAddress = "50 per 1s of global:address:0:281473902969351:0"

	for _, tt := range []struct {
		name    string
		group   ratelimit.Group
		caller  ratelimit.Caller
		onAll   string
		onRoute string
	}{
		{
			"bot in its own scope", ratelimit.CommandsCreate, bot,
			"50 per 1s of global:caller:100:0:0", "100 per 10s of commands.create:caller and guild:100:0:0",
		},
		{
			"bot in a guild", ratelimit.CommandsCreate, in(bot, guild),
			"50 per 1s of global:caller:100:0:0", "100 per 10s of commands.create.guild:caller and guild:100:0:300",
		},
		{
			"person through an application in a guild", ratelimit.PermissionsPut, in(bearer, guild),
			"50 per 1s of global:caller:100:200:0", "50 per 10s of permissions.put.guild:caller and guild:100:200:300",
		},
		{
			"raised application", ratelimit.LobbiesGet, in(bot, func(c *ratelimit.Caller) { c.PerSecond = 700 }),
			"700 per 1s of global:caller:100:0:0", "500 per 10s of lobbies.get:application:100:0:0",
		},
		{
			"application raised too far", ratelimit.LobbiesEdit, in(bot, func(c *ratelimit.Caller) { c.PerSecond = 5000 }),
			"1200 per 1s of global:caller:100:0:0", "none",
		},
		{
			"raise is the application's, not its users'", ratelimit.LobbiesEdit,
			in(bearer, func(c *ratelimit.Caller) { c.PerSecond = 700 }),
			"50 per 1s of global:caller:100:200:0", "none",
		},
		{
			"person counts as one whatever the application", ratelimit.MessagesSend, bearer,
			"50 per 1s of global:caller:100:200:0", "3000 per 2h of lobbies.messages.send:user:200:0:0",
		},
		{
			"person's own client", ratelimit.InteractionsInvoke, person,
			"50 per 1s of global:caller:0:200:0", "50 per 10s of interactions.invoke:user:200:0:0",
		},
		{
			"limit per user met by a bot counts the bot", ratelimit.LobbiesJoin, bot,
			"50 per 1s of global:caller:100:0:0", "10 per 1m of lobbies.join:caller:100:0:0",
		},
		{
			"callback of a known interaction", ratelimit.InteractionsCallback, in(bot, answering),
			"none", "5 per 2s of interactions.callback:interaction:100:400:0",
		},
		{
			"follow-up of a known interaction", ratelimit.Webhooks, in(bot, answering),
			"none", "5 per 2s of webhooks:interaction:100:400:0",
		},
		{"follow-up of an unknown interaction", ratelimit.Webhooks, anonymous, byAddress, "none"},
		{"no credential where one is needed", ratelimit.CommandsList, in(anonymous, guild), byAddress, "none"},
		{
			"no credential where none is needed", ratelimit.OAuth2Token, anonymous,
			byAddress, "50 per 10s of oauth2.token:address:0:281473902969351:0",
		},
		{
			"IPv4 in IPv6 is IPv4", ratelimit.Other,
			ratelimit.Caller{Address: netip.MustParseAddr("::ffff:192.0.2.7")},
			byAddress, "none",
		},
		{
			"IPv6 is its /64", ratelimit.Other,
			ratelimit.Caller{Address: netip.MustParseAddr("2001:db8:0:1:aaaa:bbbb:cccc:dddd")},
			"50 per 1s of global:address:2306139568115548161:0:0", "none",
		},
		{"no address at all", ratelimit.Other, ratelimit.Caller{}, "50 per 1s of global:address:0:0:0", "none"},
		{
			"identify counts by application alone", ratelimit.GatewayIdentify, bot,
			"none", "1 per 5s of gateway.identify:application:100:0:0",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := ratelimit.Default()
			onAll, onRoute := p.Claims(tt.group, &tt.caller)
			if got := claimText(onAll); got != tt.onAll {
				t.Errorf("on everything: %s, want %s", got, tt.onAll)
			}
			if got := claimText(onRoute); got != tt.onRoute {
				t.Errorf("on the route: %s, want %s", got, tt.onRoute)
			}
		})
	}
}

func claimText(c ratelimit.Claim) string {
	if c.IsZero() {
		return "none"
	}
	rule := ratelimit.Rule{Limit: c.Limit, Window: c.Window}
	return strings.TrimSuffix(rule.String(), "per caller") + "of " + c.Key.String()
}

func TestOff(t *testing.T) {
	t.Parallel()
	p := ratelimit.Off()
	guard := ratelimit.Guard{Policy: &p, Limiter: ratelimit.NewMemory(p.Keys, start)}
	c := ratelimit.Caller{Application: 100, Guild: 300, PerSecond: 10}
	for _, g := range ratelimit.Groups() {
		for range 6000 {
			if v := guard.Check(t.Context(), g, &c, start); v.Scope() != ratelimit.Allowed {
				t.Fatalf("%v refused with limits off", g)
			}
		}
		v := guard.Check(t.Context(), g, &c, start)
		if h := headers(v); len(h) != 1 || h.Get("Via") == "" {
			t.Errorf("%v: headers %v, want Via alone", g, h)
		}
	}
	edge := ratelimit.NewEdge(p.Edge, start)
	addr := netip.MustParseAddr("192.0.2.7")
	for range 20_000 {
		edge.Answered(addr, ratelimit.WrongBotToken, 401, ratelimit.Allowed, start)
	}
	if _, blocked := edge.Blocked(addr, ratelimit.WrongBotToken, start); blocked {
		t.Error("address blocked with limits off")
	}
}
