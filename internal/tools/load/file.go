package load

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// loadFile is the form of a load file.
type loadFile struct {
	Rate        float64      `yaml:"rate"`
	Concurrency int          `yaml:"concurrency"`
	For         loadDuration `yaml:"for"`
	Ramp        loadDuration `yaml:"ramp"`
	Think       LoadSpan     `yaml:"think"`
	Timeout     loadDuration `yaml:"timeout"`
	InFlight    int          `yaml:"in_flight"`
	Seed        uint64       `yaml:"seed"`
	As          loadNames    `yaml:"as"`
	In          string       `yaml:"in"`
	Mix         []loadMix    `yaml:"mix"`
	Fail        []string     `yaml:"fail"`
}

type loadMix struct {
	Use    string    `yaml:"use"`
	Weight *float64  `yaml:"weight"`
	As     loadNames `yaml:"as"`
	In     string    `yaml:"in"`
}

// maxLoadFile bounds a load file in bytes.
const maxLoadFile = 1 << 20

// ParseLoadPlan reads a load file. The plan is not completed: see LoadPlan.Complete. Steps without people or a channel
// have those of the file, which may be none.
func ParseLoadPlan(name string, data []byte) (LoadPlan, error) {
	if len(data) > maxLoadFile {
		return LoadPlan{}, fmt.Errorf("%s: the file is larger than %d MiB", name, maxLoadFile>>20)
	}
	var f loadFile
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		return LoadPlan{}, fmt.Errorf("%s:%s", name, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	p := LoadPlan{
		Rate: f.Rate, Concurrency: f.Concurrency, For: time.Duration(f.For), Ramp: time.Duration(f.Ramp), Think: f.Think,
		Timeout: time.Duration(f.Timeout), InFlight: f.InFlight, Seed: f.Seed,
	}
	for i, m := range f.Mix {
		line, err := ParseLoadLine(m.Use)
		if err != nil {
			return p, fmt.Errorf("%s: mix.%d.use: %w", name, i, err)
		}
		s := LoadStep{Use: line, Weight: 1, As: m.As, In: m.In}
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
		t, err := ParseLoadThreshold(text)
		if err != nil {
			return p, fmt.Errorf("%s: fail.%d: %w", name, i, err)
		}
		p.Fail = append(p.Fail, t)
	}
	return p, nil
}

// loadDuration is a duration such as 1m30s.
type loadDuration time.Duration

// UnmarshalYAML reads the text of a duration.
func (d *loadDuration) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(text)
	*d = loadDuration(parsed)
	return err
}

// loadNames is a name or a list of names.
type loadNames []string

// UnmarshalYAML reads a name or a list.
func (n *loadNames) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if unmarshal(&one) == nil {
		*n = loadNames{one}
		return nil
	}
	var list []string
	err := unmarshal(&list)
	*n = list
	return err
}

// UnmarshalYAML reads a span.
func (s *LoadSpan) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	parsed, err := ParseLoadSpan(text)
	*s = parsed
	return err
}

// ParseLoadSpan reads a duration such as 2s, or a range such as 1s..3s.
func ParseLoadSpan(text string) (LoadSpan, error) {
	low, high, isRange := strings.Cut(text, "..")
	if !isRange {
		high = low
	}
	shortest, err := time.ParseDuration(low)
	if err != nil {
		return LoadSpan{}, err
	}
	longest, err := time.ParseDuration(high)
	if err != nil {
		return LoadSpan{}, err
	}
	if shortest < 0 || longest < shortest {
		return LoadSpan{}, fmt.Errorf("%s: want a range such as 1s..3s", text)
	}
	return LoadSpan{shortest, longest}, nil
}
