package main

import (
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

// TestChooseLimits checks that --limits off lifts the daily limit of created commands, and that --daily-creates decides
// about this limit alone.
func TestChooseLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		creates    *int
		want       int
	}{
		{"default", "", nil, 200},
		{"off", "off", nil, 0},
		{"off, with a daily limit", "off", new(200), 200},
		{"another number", "", new(7), 7},
		{"no daily limit", "", new(0), 0},
	} {
		got, err := chooseLimits(tt.file, tt.creates)
		if err != nil || got.Creates != tt.want {
			t.Errorf("%s: chooseLimits() allows %d creates a day, %v, want %d", tt.name, got.Creates, err, tt.want)
		}
		if off := got.Application == (ratelimit.Rule{}); off != (tt.file == "off") {
			t.Errorf("%s: rate limits are off: %v", tt.name, off)
		}
	}
	if _, err := chooseLimits("", new(-1)); err == nil {
		t.Error("chooseLimits() accepts a negative number of creates")
	}
}
