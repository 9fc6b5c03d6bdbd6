package ratelimit_test

import (
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var comparePolicies = cmp.Options{cmpopts.EquateComparable(netip.Prefix{}), cmpopts.EquateEmpty()}

// fileText returns a limits file with all values of p.
func fileText(p ratelimit.Policy) string {
	var b strings.Builder
	number := func(key string, n int) {
		if n == 0 {
			fmt.Fprintf(&b, "  %s: none\n", key)
		} else {
			fmt.Fprintf(&b, "  %s: %d\n", key, n)
		}
	}
	list := func(key string, prefixes []netip.Prefix) {
		quoted := make([]string, len(prefixes))
		for i, p := range prefixes {
			quoted[i] = strconv.Quote(p.String())
		}
		fmt.Fprintf(&b, "  %s: [%s]\n", key, strings.Join(quoted, ", "))
	}
	fmt.Fprintf(&b, "global:\n  application: %v\n  user: %v\n  address: %v\n", p.Application, p.User, p.Address)
	number("raised", p.MostRaised)
	b.WriteString("routes:\n")
	for _, g := range ratelimit.Groups() {
		fmt.Fprintf(&b, "  %v: %v\n", g, p.Routes[g])
	}
	invalid := ratelimit.Rule{Limit: p.Edge.Invalid, Window: p.Edge.Window, Per: ratelimit.PerAddress}
	fmt.Fprintf(&b, "edge:\n  invalid: %v\n  block: %v\n", invalid, p.Edge.Block)
	list("allow", p.Edge.Allow)
	list("proxies", p.Proxies)
	b.WriteString("gate:\n")
	number("all", p.Gate.All)
	number("caller", p.Gate.Caller)
	b.WriteString("memory:\n")
	number("keys", p.Keys)
	return b.String()
}

func TestLoadSample(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile("limits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ratelimit.Load("limits.yaml", sample)
	if err != nil {
		t.Fatal(err)
	}
	want := ratelimit.Default()
	if diff := cmp.Diff(want, got, comparePolicies); diff != "" {
		t.Errorf("the sample differs from the defaults (-want +got):\n%s", diff)
	}
	for _, g := range ratelimit.Groups() {
		line := fmt.Sprintf("\n  %v: %v", g, want.Routes[g])
		if !strings.Contains(string(sample), line) {
			t.Errorf("the sample lacks the line%s", line)
		}
	}
}

func TestLoadDevelopmentProfile(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("limits-development.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ratelimit.Load("limits-development.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	want := ratelimit.Default()
	hundred := ratelimit.Rule{Limit: 100, Window: 2 * time.Hour, Per: ratelimit.PerApplication}
	for _, g := range []ratelimit.Group{
		ratelimit.LobbiesCreate, ratelimit.LobbiesJoin, ratelimit.LobbiesEdit, ratelimit.LobbiesInvite,
		ratelimit.MembersAdd, ratelimit.MembersRemove, ratelimit.MembersBulk, ratelimit.MessagesSend,
	} {
		want.Routes[g] = hundred
	}
	want.Routes[ratelimit.LobbiesLink] = ratelimit.Rule{Limit: 20, Window: 2 * time.Hour, Per: ratelimit.PerApplication}
	if diff := cmp.Diff(want, got, comparePolicies); diff != "" {
		t.Errorf("the profile differs (-want +got):\n%s", diff)
	}
}

func TestLoadPublicProfile(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("limits-public.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ratelimit.Load("limits-public.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	for g, want := range map[ratelimit.Group]string{
		ratelimit.CommandsCreate: "5 per 20s per caller and guild",
		ratelimit.CommandsBulk:   "2 per 1m per caller and guild",
		ratelimit.CommandsList:   "50 per 10s per caller and guild",
		ratelimit.LobbiesCreate:  "500 per 10s per application",

		ratelimit.ChannelMessagesWrite: "5 per 5s per caller and channel",
		ratelimit.ChannelReactions:     "4 per 1s per caller and channel",
		ratelimit.ChannelsEdit:         "5 per 15s per caller and channel",
	} {
		if rule := got.Routes[g].String(); rule != want {
			t.Errorf("%v: %s, want %s", g, rule, want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	networks := func(s ...string) (out []netip.Prefix) {
		for _, n := range s {
			out = append(out, netip.MustParsePrefix(n))
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		give   string
		change func(p *ratelimit.Policy)
	}{
		{"empty file", "", func(*ratelimit.Policy) {}},
		{"only a comment", "# nothing\n", func(*ratelimit.Policy) {}},
		{"section without entries", "routes:\nedge: {}\n", func(*ratelimit.Policy) {}},
		{
			"one route", "routes:\n  commands.create: 100 per 1m",
			func(p *ratelimit.Policy) {
				p.Routes[ratelimit.CommandsCreate] = ratelimit.Rule{Limit: 100, Window: time.Minute, Per: ratelimit.PerCallerAndGuild}
			},
		},
		{
			"counted per address", "routes: {commands.create: '100 per 90s per address'}",
			func(p *ratelimit.Policy) {
				p.Routes[ratelimit.CommandsCreate] = ratelimit.Rule{Limit: 100, Window: 90 * time.Second, Per: ratelimit.PerAddress}
			},
		},
		{
			"no limit on a route", "routes:\n  commands.create: none",
			func(p *ratelimit.Policy) { p.Routes[ratelimit.CommandsCreate] = ratelimit.Rule{} },
		},
		{
			"limit on everything", "global:\n  application: 100 per 1s\n  user: none\n  raised: 200",
			func(p *ratelimit.Policy) {
				p.Application.Limit, p.User, p.MostRaised = 100, ratelimit.Rule{}, 200
			},
		},
		{
			"edge", "edge:\n  invalid: 50 per 1m\n  block: 24h\n  allow: [192.0.2.1, 10.1.2.3/8]\n  proxies:\n    - ::1\n    - 2001:db8::/32",
			func(p *ratelimit.Policy) {
				p.Edge = ratelimit.EdgeRule{
					Invalid: 50, Window: time.Minute, Block: 24 * time.Hour, Allow: networks("192.0.2.1/32", "10.0.0.0/8"),
				}
				p.Proxies = networks("::1/128", "2001:db8::/32")
			},
		},
		{
			"edge that never blocks", "edge:\n  invalid: none",
			func(p *ratelimit.Policy) { p.Edge.Invalid, p.Edge.Window = 0, 0 },
		},
		{
			"gate and memory", "gate:\n  all: 10\n  caller: none\nmemory:\n  keys: 5000",
			func(p *ratelimit.Policy) { p.Gate, p.Keys = ratelimit.GateRule{All: 10}, 5000 },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := ratelimit.Default()
			tt.change(&want)
			got, err := ratelimit.Load("limits.yaml", []byte(tt.give))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, comparePolicies); diff != "" {
				t.Errorf("Load() differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give string
		want []string // beginnings of the lines of the error
	}{
		{"no YAML", "routes: [", []string{"limits.yaml:1:9: "}},
		{"same key twice", "gate:\n  all: 1\n  all: 2", []string{"limits.yaml:3:3: mapping key \"all\" already defined"}},
		{"list in place of sections", "- 1", []string{"limits.yaml:1:1: keys with values belong here"}},
		{"text in place of a section", "routes: none", []string{"limits.yaml:1:9: keys with values belong here"}},
		{"two documents", "gate: {}\n---\ngate: {}", []string{"limits.yaml:3:"}},
		{"unknown section", "\nroute: {}", []string{`limits.yaml:2:1: unknown key "route"; did you mean "routes"?`}},
		{
			"unknown route", "routes:\n  lobbies.creat: none\n",
			[]string{`limits.yaml:2:3: unknown key "lobbies.creat"; did you mean "lobbies.create"?`},
		},
		{"unknown key like no other", "gate: {xylophone: 1}", []string{`limits.yaml:1:8: unknown key "xylophone"`}},
		{"inner name", "routes: {global: none}", []string{`limits.yaml:1:10: unknown key "global"`}},
		{
			"every fault at once", "gate: {all: x}\nedge: {block: soon}\nroutes: {webhook: none}",
			[]string{
				`limits.yaml:1:13: "x" is not a count between 1 and 1000000000`,
				`limits.yaml:2:15: "soon" is not a time between 1s and 720h`,
				`limits.yaml:3:10: unknown key "webhook"; did you mean "webhooks"?`,
			},
		},
		{"no limit", "routes: {webhooks: 5}", []string{`limits.yaml:1:20: "5" is not a limit such as "50 per 10s per user" or "none"`}},
		{"count of zero", "routes: {webhooks: 0 per 2s}", []string{`limits.yaml:1:20: "0" is not a count`}},
		{"negative count", "routes: {webhooks: -5 per 2s}", []string{`limits.yaml:1:20: "-5" is not a count`}},
		{"window below a second", "routes: {webhooks: 5 per 999ms}", []string{`limits.yaml:1:20: "999ms" is not a time`}},
		{"window without a unit", "routes: {webhooks: 5 per 10}", []string{`limits.yaml:1:20: "10" is not a time`}},
		{"window of a year", "routes: {webhooks: 5 per 9000h}", []string{`limits.yaml:1:20: "9000h" is not a time`}},
		{
			"unknown word after per", "routes: {webhooks: 5 per 2s per guild}",
			[]string{`limits.yaml:1:20: "guild" cannot be counted; want one of caller, caller and guild, caller and channel, `},
		},
		{
			"a global limit per address", "global: {user: 5 per 2s per address}",
			[]string{`limits.yaml:1:16: this limit always counts per caller`},
		},
		{"list as a value", "routes: {webhooks: [5]}", []string{"limits.yaml:1:20: want a plain value"}},
		{"nothing as a value", "routes: {webhooks: }", []string{"limits.yaml:1:19: want a plain value"}},
		{"text as a list", "edge: {allow: 10.0.0.0/8}", []string{"limits.yaml:1:15: a list of networks belongs here"}},
		{"no network", "edge: {proxies: [10.0.0.0/33]}", []string{`limits.yaml:1:18: "10.0.0.0/33" is not a network such as`}},
		{"network in a wrapping", "edge: {proxies: ['::ffff:10.0.0.0/104']}", []string{`limits.yaml:1:18: "::ffff:10.0.0.0/104" is not`}},
		{"gate of zero", "gate: {all: 0}", []string{`limits.yaml:1:13: "0" is not a count`}},
		{"memory for nothing", "memory: {keys: none}", []string{`limits.yaml:1:16: "none" is not a count`}},
		{"too long", strings.Repeat("#", 1<<20+1), []string{"limits.yaml: larger than 1048576 bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := ratelimit.Load("limits.yaml", []byte(tt.give))
			if err == nil {
				t.Fatalf("Load() = %+v, want an error", p)
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tt.want) {
				t.Fatalf("Load() error has %d lines, want %d:\n%v", len(lines), len(tt.want), err)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("Load() error line %d = %s, want %s…", i, lines[i], want)
				}
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	for _, name := range []string{"limits.yaml", "limits-development.yaml", "limits-public.yaml"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("edge: {invalid: none, allow: [10.0.0.0/8, ::1]}\ngate: {all: none}"))
	f.Add([]byte("a: &a {gate: {all: 1}}\n<<: *a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ratelimit.Load("f", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error %q does not say where", err)
			}
			return
		}
		for _, g := range ratelimit.Groups() {
			r := p.Routes[g]
			if !r.IsZero() && (r.Limit < 1 || r.Window < time.Second) {
				t.Errorf("%v got the limit %+v", g, r)
			}
		}
		again, err := ratelimit.Load("again", []byte(fileText(p)))
		if err != nil {
			t.Fatalf("what was read does not read again: %v\n%s", err, fileText(p))
		}
		if diff := cmp.Diff(p, again, comparePolicies); diff != "" {
			t.Errorf("what was read reads differently again (-first +second):\n%s", diff)
		}
	})
}
