package load_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/load"
	"github.com/google/go-cmp/cmp"
)

func line(t *testing.T, text string) load.Line {
	t.Helper()
	l, err := load.ParseLine(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// step returns a step that a person uses in a channel.
func step(t *testing.T, text string) load.Step {
	t.Helper()
	return load.Step{Use: line(t, text), Weight: 1, As: []string{"200"}, In: "310"}
}

func TestLineDraws(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string // every value that can be drawn
	}{
		{"no values", "/roll", []string{"/roll"}},
		{"a list", "/greet name:{Ada,Bob}", []string{"/greet name:Ada", "/greet name:Bob"}},
		{"an empty item", "/greet{, loud:true}", []string{"/greet", "/greet loud:true"}},
		{"whole numbers", "/roll sides:{-1..1}!", []string{"/roll sides:-1!", "/roll sides:0!", "/roll sides:1!"}},
		{"one number", "/roll sides:{6..6}", []string{"/roll sides:6"}},
		{"numbers with digits", "{-0.1..0.1}", []string{"-0.1", "0.0", "0.1"}},
		{"two values", "{a,b}{1..2}", []string{"a1", "a2", "b1", "b2"}},
		{"braces", `/say text:{{"a":1}`, []string{`/say text:{"a":1}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			seen := map[string]bool{}
			for range 1000 {
				seen[line(t, tt.text).Draw(random)] = true
			}
			want := map[string]bool{}
			for _, w := range tt.want {
				want[w] = true
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("Draw() (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseLineErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "empty",
		"/roll {1..6":                     "not closed",
		"/roll {6..1}":                    "6 is not smaller than 1",
		"/roll {a..b}":                    `"a" is not a number`,
		"/roll {x}":                       "want a list",
		"/roll {}":                        "want a list",
		"/roll {1..99999999999999999999}": "too large",
		"/roll {-9223372036854775808..9223372036854775807}": "not smaller",
	} {
		if _, err := load.ParseLine(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseLine(%q) = %v, want %q", text, err, want)
		}
	}
}

func TestPlanComplete(t *testing.T) {
	t.Parallel()
	valid := load.Plan{Rate: 10, Mix: []load.Step{step(t, "/roll")}}
	p, err := valid.Complete()
	if err != nil || p.For != load.DefaultFor || p.Timeout != load.DefaultTimeout || p.InFlight != load.DefaultInFlight {
		t.Errorf("Complete() = %+v, %v", p, err)
	}
	for _, tt := range []struct {
		name, want string
		change     func(*load.Plan)
	}{
		{"rate and concurrency", "not both", func(p *load.Plan) { p.Concurrency = 1 }},
		{"neither rate nor concurrency", "give a rate", func(p *load.Plan) { p.Rate = 0 }},
		{"negative rate", "the rate must", func(p *load.Plan) { p.Rate = -1 }},
		{"large rate", "the rate must", func(p *load.Plan) { p.Rate = 2e6 }},
		{"negative concurrency", "the concurrency must", func(p *load.Plan) { p.Rate, p.Concurrency = 0, -1 }},
		{"too many in flight", "in flight must", func(p *load.Plan) { p.InFlight = 1e6 }},
		{"long ramp-up", "ramp-up", func(p *load.Plan) { p.Ramp = time.Hour }},
		{"negative duration", "the duration must", func(p *load.Plan) { p.For = -1 }},
		{"think time with a rate", "needs a concurrency", func(p *load.Plan) { p.Think = load.Span{Min: 1, Max: 2} }},
		{"no command", "no command", func(p *load.Plan) { p.Mix = nil }},
		{"weight 0", "the weight must", func(p *load.Plan) { p.Mix[0].Weight = 0 }},
		{"no people", "no person", func(p *load.Plan) { p.Mix[0].As = nil }},
		{"no channel", "no channel", func(p *load.Plan) { p.Mix[0].In = "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := valid
			p.Mix = []load.Step{step(t, "/roll")}
			tt.change(&p)
			if _, err := p.Complete(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Complete() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestParsePlan(t *testing.T) {
	t.Parallel()
	p, err := load.ParsePlan("load.yaml", []byte(`
concurrency: 20
for: 1m
ramp: 5s
think: 1s..3s
timeout: 4s
in_flight: 9
seed: 7
as: [ada, bob]
in: Lab/general
mix:
  - {use: "/greet name:{Ada,Bob}", weight: 3}
  - {use: "/roll", as: cleo, in: Lab/random}
fail: ["p99>500ms", "errors>1%"]
`))
	if err != nil {
		t.Fatal(err)
	}
	want := load.Plan{
		Concurrency: 20, For: time.Minute, Ramp: 5 * time.Second, Think: load.Span{Min: time.Second, Max: 3 * time.Second},
		Timeout: 4 * time.Second, InFlight: 9, Seed: 7,
		Mix: []load.Step{
			{Use: line(t, "/greet name:{Ada,Bob}"), Weight: 3, As: []string{"ada", "bob"}, In: "Lab/general"},
			{Use: line(t, "/roll"), Weight: 1, As: []string{"cleo"}, In: "Lab/random"},
		},
		Fail: []load.Threshold{threshold(t, "p99>500ms"), threshold(t, "errors>1%")},
	}
	text := func(v any) string { return v.(interface{ String() string }).String() }
	if diff := cmp.Diff(want, p, cmp.Comparer(func(a, b load.Line) bool { return text(a) == text(b) }),
		cmp.Comparer(func(a, b load.Threshold) bool { return text(a) == text(b) })); diff != "" {
		t.Errorf("ParsePlan() (-want +got):\n%s", diff)
	}
	for file, want := range map[string]string{
		"rate: 1\nspeed: 2\n":             "load.yaml:[2:1] unknown field",
		"for: soon\n":                     "invalid duration",
		"think: 3s..1s\n":                 "want a range",
		"mix: [{use: \"/roll {\"}]\n":     "mix.0.use",
		"fail: [slow]\n":                  "fail.0",
		"mix: [{use: /roll, with: x}]":    "unknown field",
		strings.Repeat("#", 1<<20) + "\n": "larger than 1 MiB",
	} {
		if _, err := load.ParsePlan("load.yaml", []byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParsePlan(%.40q) = %v, want %q", file, err, want)
		}
	}
}

func threshold(t *testing.T, text string) load.Threshold {
	t.Helper()
	c, err := load.ParseThreshold(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseThresholdErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "p99", "p99>", "p99>fast", "p101>1s", "p99=1s", "errors>many", "errors>1s", "speed>1", "throughput<1%", "max>500"} {
		if _, err := load.ParseThreshold(text); err == nil {
			t.Errorf("ParseThreshold(%q) succeeded", text)
		}
	}
}
