package load

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/world"
)

// Settings are the flags of "bellhop load" that override the settings of a load file. A zero field overrides nothing.
type Settings struct {
	Rate                  float64
	Concurrency, InFlight int
	For, Ramp, Timeout    time.Duration
	Seed                  uint64
	Think                 string   // a Span
	Fail                  []string // more thresholds
	Commands, Say         []string // replace the mix
}

// Override replaces the settings of a plan. An error names the flag.
func (s Settings) Override(p *Plan) error {
	if s.Rate != 0 || s.Concurrency != 0 {
		p.Rate, p.Concurrency = s.Rate, s.Concurrency
	}
	p.For, p.Ramp, p.Timeout = cmp.Or(s.For, p.For), cmp.Or(s.Ramp, p.Ramp), cmp.Or(s.Timeout, p.Timeout)
	p.InFlight, p.Seed = cmp.Or(s.InFlight, p.InFlight), cmp.Or(s.Seed, p.Seed)
	if s.Think != "" {
		think, err := ParseSpan(s.Think)
		if err != nil {
			return fmt.Errorf("--think: %w", err)
		}
		p.Think = think
	}
	for _, text := range s.Fail {
		t, err := ParseThreshold(text)
		if err != nil {
			return fmt.Errorf("--fail: %w", err)
		}
		p.Fail = append(p.Fail, t)
	}
	if len(s.Commands)+len(s.Say) > 0 {
		p.Mix = nil
	}
	for i, text := range slices.Concat(s.Commands, s.Say) {
		line, err := ParseLine(text)
		if err != nil {
			return err
		}
		p.Mix = append(p.Mix, Step{Use: line, Say: i >= len(s.Commands), Weight: 1})
	}
	return nil
}

// Place sets the channel and the people of all steps as ids, from the world of the service at a URL. The arguments in and as replace
// those of the steps.
func (p Plan) Place(ctx context.Context, service, in string, as []string) error {
	text, err := remote.Request{Method: http.MethodGet, URL: service + "/_dev/world"}.Send(ctx)
	if err != nil {
		return err
	}
	w, err := world.Parse("world of the service", text)
	if err != nil {
		return err
	}
	for i := range p.Mix {
		if err := p.Mix[i].place(w, in, as); err != nil {
			return err
		}
	}
	return nil
}
