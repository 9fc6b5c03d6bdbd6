// Package devtools is what a developer may do to a running service and an operator never does: move the clock, change the
// world, start anew, use commands in anybody's name or ask why that cannot be done, and look at what was sent and received.
package devtools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/world"
)

// ErrRange says that the clock cannot be moved so far, or not backwards.
var ErrRange = errors.New("the clock cannot be moved so far")

// MaxAdvance is how far one call may move the clock: snowflakes have room for it many times over.
const MaxAdvance = 10 * 365 * 24 * time.Hour

// Dev is the developer's hand on the service. All fields but Requests and Faults are required.
type Dev struct {
	Desk

	Clock        *clock.Movable
	Interactions *dispatch.Dispatch
	// Requests holds what apps and people sent and received lately.
	Requests Inspector
	// Faults are what goes wrong on purpose.
	Faults Faults
	// Start is the world that Reset goes back to.
	Start world.World
	// BeforeMove is told how far the clock is about to move.
	BeforeMove func(ctx context.Context, d time.Duration) error
	// AfterReset is told that everything kept in memory is outdated.
	AfterReset func()

	waits waits // requests that wait for an app
}

// Close ends all streams and everything that waits for an app: neither has an end of its own that the service could wait
// for.
func (d *Dev) Close() {
	d.Requests.Close()
	d.waits.close()
}

// Now returns the service's time.
func (d *Dev) Now() time.Time { return d.Clock.Now() }

// Advance moves the clock and returns the new time, once everything that fell due on the way has happened.
func (d *Dev) Advance(ctx context.Context, by time.Duration) (time.Time, error) {
	if by < 0 || by > MaxAdvance {
		return time.Time{}, ErrRange
	}
	if err := d.BeforeMove(ctx, by); err != nil {
		return time.Time{}, fmt.Errorf("move the clock: %w", err)
	}
	d.Clock.Advance(by)
	return d.Clock.Now(), nil
}

// Apply applies a world file to the running service.
func (d *Dev) Apply(ctx context.Context, name string, data []byte) (directory.Applied, error) {
	w, err := world.Parse(name, data)
	if err != nil {
		return directory.Applied{}, err
	}
	return d.Directory.Apply(ctx, w)
}

// Reset goes back to the start: the first world, nothing else, and the machine's time.
func (d *Dev) Reset(ctx context.Context) error {
	if _, err := d.Directory.Reset(ctx, d.Start); err != nil {
		return err
	}
	d.AfterReset()
	d.Faults.Clear()
	d.Requests.Clear()
	d.Clock.Reset()
	return nil
}
