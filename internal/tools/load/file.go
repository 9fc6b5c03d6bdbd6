package load

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/yamltree"
	"github.com/goccy/go-yaml"
)

// planFile is the form of a load file.
type planFile struct {
	Rate        float64  `yaml:"rate"`
	Concurrency int      `yaml:"concurrency"`
	For         duration `yaml:"for"`
	Ramp        duration `yaml:"ramp"`
	Think       Span     `yaml:"think"`
	Timeout     duration `yaml:"timeout"`
	InFlight    int      `yaml:"in_flight"`
	Seed        uint64   `yaml:"seed"`
	As          names    `yaml:"as"`
	In          string   `yaml:"in"`
	Mix         []mix    `yaml:"mix"`
	Fail        []string `yaml:"fail"`
}

type mix struct {
	Use    string   `yaml:"use"`
	Say    string   `yaml:"say"`
	Weight *float64 `yaml:"weight"`
	As     names    `yaml:"as"`
	In     string   `yaml:"in"`
}

// maxFileSize bounds a load file in bytes.
const maxFileSize = 1 << 20

// ParsePlan reads a load file. The plan is not completed: see Plan.Complete. Steps without people or a channel
// have those of the file, which may be none.
func ParsePlan(name string, data []byte) (Plan, error) {
	if len(data) > maxFileSize {
		return Plan{}, fmt.Errorf("%s: the file is larger than %d MiB", name, maxFileSize>>20)
	}
	var f planFile
	if err := yamltree.Decode(data, &f); err != nil {
		return Plan{}, fmt.Errorf("%s:%s", name, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	p := Plan{
		Rate: f.Rate, Concurrency: f.Concurrency, For: time.Duration(f.For), Ramp: time.Duration(f.Ramp), Think: f.Think,
		Timeout: time.Duration(f.Timeout), InFlight: f.InFlight, Seed: f.Seed,
	}
	for i, m := range f.Mix {
		if m.Use != "" && m.Say != "" {
			return p, fmt.Errorf("%s: mix.%d: give use or say, not both", name, i)
		}
		key := "use"
		if m.Say != "" {
			key = "say"
		}
		line, err := ParseLine(m.Use + m.Say)
		if err != nil {
			return p, fmt.Errorf("%s: mix.%d.%s: %w", name, i, key, err)
		}
		s := Step{Use: line, Say: m.Say != "", Weight: 1, As: m.As, In: m.In}
		if m.Weight != nil {
			s.Weight = *m.Weight
		}
		if len(s.As) == 0 {
			s.As = f.As
		}
		if s.In == "" {
			s.In = f.In
		}
		p.Mix = append(p.Mix, s)
	}
	for i, text := range f.Fail {
		t, err := ParseThreshold(text)
		if err != nil {
			return p, fmt.Errorf("%s: fail.%d: %w", name, i, err)
		}
		p.Fail = append(p.Fail, t)
	}
	return p, nil
}

// duration is a duration such as 1m30s.
type duration time.Duration

// UnmarshalYAML reads the text of a duration.
func (d *duration) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(text)
	*d = duration(parsed)
	return err
}

// names is a name or a list of names.
type names []string

// UnmarshalYAML reads a name or a list.
func (n *names) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if unmarshal(&one) == nil {
		*n = names{one}
		return nil
	}
	var list []string
	err := unmarshal(&list)
	*n = list
	return err
}

// UnmarshalYAML reads a span.
func (s *Span) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	parsed, err := ParseSpan(text)
	*s = parsed
	return err
}

// ParseSpan reads a duration such as 2s, or a range such as 1s..3s.
func ParseSpan(text string) (Span, error) {
	low, high, isRange := strings.Cut(text, "..")
	if !isRange {
		high = low
	}
	shortest, err := time.ParseDuration(low)
	if err != nil {
		return Span{}, err
	}
	longest, err := time.ParseDuration(high)
	if err != nil {
		return Span{}, err
	}
	if shortest < 0 || longest < shortest {
		return Span{}, fmt.Errorf("%s: want a range such as 1s..3s", text)
	}
	return Span{shortest, longest}, nil
}
