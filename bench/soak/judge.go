package main

import (
	"fmt"
	"slices"
	"time"
)

// sample has the values of one measurement.
type sample struct {
	at         time.Duration // since the start of the run
	memory     float64       // MiB
	goroutines float64
	files      float64
	rows       float64 // of all tables that must not grow
	p50, p99   float64 // ms, since the sample before
}

// valueSeries is one measured value over time.
type valueSeries struct {
	name, unit string
	value      func(sample) float64
	// The growth in the second half of the run that is allowed: a share of the median, or this much if that is more. A
	// share of 0 means that the value is not judged.
	share, least float64
}

// series are the measured values.
var series = []valueSeries{
	{"memory", "MiB", func(s sample) float64 { return s.memory }, 0.1, 6},
	{"goroutines", "", func(s sample) float64 { return s.goroutines }, 0.1, 10},
	{"open files", "", func(s sample) float64 { return s.files }, 0.1, 5},
	{"rows", "", func(s sample) float64 { return s.rows }, 0.02, 20},
	{"latency p50", "ms", func(s sample) float64 { return s.p50 }, 0.5, 2},
	{"latency p99", "ms", func(s sample) float64 { return s.p99 }, 0, 0},
}

// verdict is the result of a series.
type verdict struct {
	median, growth, allowed float64
	unit                    string
	judged, grows           bool
}

func (v verdict) String() string {
	text := fmt.Sprintf("median %.4g %s, growth %+.2g", v.median, v.unit, v.growth)
	switch {
	case !v.judged:
		return text + ", not judged"
	case v.grows:
		return text + fmt.Sprintf(", NOT FLAT: at most %.2g is allowed", v.allowed)
	}
	return text + ", flat"
}

// judge computes the growth from a moment to the end of the run. The slope is the median of the slopes between all
// pairs of samples (Theil and Sen), so that single outliers do not count.
func (s valueSeries) judge(samples []sample, from time.Duration) verdict {
	var values, slopes []float64
	var judged []sample
	for _, x := range samples {
		if x.at >= from {
			judged = append(judged, x)
			values = append(values, s.value(x))
		}
	}
	for i, a := range judged {
		for _, b := range judged[i+1:] {
			slopes = append(slopes, (s.value(b)-s.value(a))/(b.at-a.at).Seconds())
		}
	}
	if len(slopes) == 0 {
		return verdict{unit: s.unit}
	}
	v := verdict{median: median(values), unit: s.unit, judged: s.share > 0}
	v.growth = median(slopes) * (judged[len(judged)-1].at - judged[0].at).Seconds()
	v.allowed = max(s.share*v.median, s.least)
	v.grows = v.judged && v.growth > v.allowed
	return v
}

// median returns the median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
