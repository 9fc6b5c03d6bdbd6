package load_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/load"
)

// TestSettingsOverride checks that settings replace those of a load file, and that a zero setting replaces nothing.
func TestSettingsOverride(t *testing.T) {
	t.Parallel()
	parse := func() load.Plan {
		p, err := load.ParsePlan("load.yaml", []byte("rate: 5\nfor: 3s\nramp: 1s\nseed: 9\nmix: [{use: /roll}]\nfail: ['p99>1s']\n"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := parse()
	if err := (load.Settings{}).Override(&p); err != nil || p.Rate != 5 || p.For != 3*time.Second || p.Seed != 9 || len(p.Mix) != 1 || len(p.Fail) != 1 {
		t.Errorf("empty settings: %+v, %v", p, err)
	}
	all := load.Settings{
		Concurrency: 2, InFlight: 7, For: 4 * time.Second, Timeout: time.Second, Think: "1s..2s", Fail: []string{"errors>1%"},
		Commands: []string{"/ban"}, Say: []string{"hello"},
	}
	if err := all.Override(&p); err != nil {
		t.Fatal(err)
	}
	if p.Rate != 0 || p.Concurrency != 2 || p.InFlight != 7 || p.For != 4*time.Second || p.Ramp != time.Second || p.Timeout != time.Second ||
		p.Think != (load.Span{Min: time.Second, Max: 2 * time.Second}) || len(p.Fail) != 2 {
		t.Errorf("Override() = %+v", p)
	}
	if len(p.Mix) != 2 || p.Mix[0].Say || !p.Mix[1].Say || p.Mix[1].Weight != 1 {
		t.Errorf("the mix is %+v, want a command and a message", p.Mix)
	}
	for want, wrong := range map[string]load.Settings{
		"--think": {Think: "soon"}, "--fail": {Fail: []string{"p99"}}, "{": {Commands: []string{"/roll {"}},
	} {
		p := parse()
		if err := wrong.Override(&p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", wrong, err, want)
		}
	}
}
