package server

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// TestWhileUnavailable checks that work at start is tried again while the store does not answer, and only then.
func TestWhileUnavailable(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	for _, tt := range []struct {
		name  string
		fails int // times before the last error
		last  error
		want  int
	}{
		{"works at once", 0, nil, 1},
		{"works at the third try", 2, nil, 3},
		{"another error", 1, other, 2},
		{"never works", 100, nil, unavailableTries},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := whileUnavailable(t.Context(), slog.New(slog.DiscardHandler), clock.System{}, func() error {
					if calls++; calls <= tt.fails {
						return fmt.Errorf("busy: %w", store.ErrUnavailable)
					}
					return tt.last
				})
				if gaveUp := errors.Is(err, store.ErrUnavailable); calls != tt.want || gaveUp != (tt.fails > unavailableTries) || !gaveUp && !errors.Is(err, tt.last) {
					t.Errorf("%d calls, %v, want %d", calls, err, tt.want)
				}
			})
		})
	}
}
