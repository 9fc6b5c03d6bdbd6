package process_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/bench/process"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give string
		want time.Duration
		fail bool
	}{
		{
			name: "user and system time are added",
			give: "123 (bellhop) S 1 123 123 0 -1 4194304 900 0 0 0 250 50 7 8 20 0 9 0 100 1000 200\n",
			want: 3 * time.Second,
		},
		{
			name: "a program whose name looks like fields",
			give: "123 (a) b 9 9 (c) S 1 123 123 0 -1 4194304 900 0 0 0 1 2 7 8 20\n",
			want: 30 * time.Millisecond,
		},
		{name: "empty", fail: true},
		{name: "too short", give: "123 (bellhop) S 1 123", fail: true},
		{name: "no number", give: "123 (bellhop) S 1 123 123 0 -1 4194304 900 0 0 0 x 50 7 8 20\n", fail: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, err := process.ParseStat(tt.give); got != tt.want || (err != nil) != tt.fail {
				t.Errorf("ParseStat() = %v, %v, want %v, failure: %t", got, err, tt.want, tt.fail)
			}
		})
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give string
		want process.Memory
		fail bool
	}{
		{
			name: "among other lines",
			give: "Name:\tbellhop\nVmPeak:\t  999999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t9\n",
			want: process.Memory{Resident: 1 << 20, Peak: 2 << 20},
		},
		{name: "a process that has ended holds nothing", give: "Name:\tbellhop\nState:\tZ (zombie)\n", fail: true},
		{name: "no number", give: "VmHWM:\t    2048 kB\nVmRSS:\t    many kB\n", fail: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, err := process.ParseStatus(tt.give); got != tt.want || (err != nil) != tt.fail {
				t.Errorf("ParseStatus() = %+v, %v, want %+v, failure: %t", got, err, tt.want, tt.fail)
			}
		})
	}
}
