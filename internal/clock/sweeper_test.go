package clock_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// A sweeper sweeps at its start, at the time that a sweep names, at a time that it is told, and again after a failure.
func TestSweeper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		var at []time.Duration
		var log strings.Builder
		s := clock.NewSweeper(clock.System{}, slog.New(slog.NewTextHandler(&log, nil)), "cups", func(context.Context) (time.Time, error) {
			at = append(at, time.Since(began))
			switch len(at) {
			case 1:
				return began.Add(time.Minute), nil
			case 3:
				return time.Time{}, errors.New("no water")
			}
			return time.Time{}, nil
		})
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		if err := s.WaitUntilRunning(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		s.Due(time.Now().Add(time.Minute))
		time.Sleep(time.Hour)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if want := []time.Duration{0, time.Minute, 3 * time.Minute, 3*time.Minute + time.Second}; !slices.Equal(at, want) {
			t.Errorf("swept after %v, want %v", at, want)
		}
		if !strings.Contains(log.String(), "cups") {
			t.Errorf("the log does not name the work: %s", log.String())
		}
	})
}
