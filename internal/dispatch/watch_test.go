package dispatch_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/snowflake"
)

// invokeWatched sends an invocation of ping with a watch. It returns the watch, and functions that send the first
// answer and a follow-up.
func invokeWatched(d *fixture) (w *dispatch.Watch, answer func(body string) error, followUp func(body string) error) {
	d.t.Helper()
	w = dispatch.NewWatch()
	d.t.Cleanup(w.Close)
	c := d.register(echo, 0, ping)
	_, err := d.Invoke(d.t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(d.t, invokeBody(c, guild, general, "")), Watch: w})
	if err != nil {
		d.t.Fatal(err)
	}
	id, token := d.newestToken()
	answer = func(body string) error { return d.callback(id, token, body) }
	followUp = func(body string) error {
		_, err := d.FollowUp(d.t.Context(), echo, token, d.response(body))
		return err
	}
	return w, answer, followUp
}

// TestWatchQuickFollowUp fills a deferred answer after the commit of that answer but before the watch has recorded it.
// The watch must record both, in order.
func TestWatchQuickFollowUp(t *testing.T) {
	t.Parallel()
	var followUp func(string) error
	filled := make(chan error, 1)
	first := sync.OnceFunc(func() {
		done := make(chan struct{})
		go func() {
			filled <- followUp(`{"content":"done"}`)
			close(done)
		}()
		select { // a correct follow-up waits until the first answer is recorded, so it does not end here
		case <-done:
		case <-time.After(200 * time.Millisecond):
		}
	})
	d := open(t, func(c *dispatch.Config) {
		c.Ended = func(dispatch.Ended) { first() }
	})
	var w *dispatch.Watch
	var answer func(string) error
	w, answer, followUp = invokeWatched(d)
	if err := answer(deferred); err != nil {
		t.Fatal(err)
	}
	if err := <-filled; err != nil {
		t.Fatal(err)
	}
	if out := d.waitAnswer(w); string(out.Response) != `{"type":5}` {
		t.Errorf("outcome after the first answer: %+v", out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	out, err := w.Final(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if out.Result != dispatch.Answered || len(out.Messages) != 1 || !strings.Contains(string(out.Messages[0]), `"content":"done"`) {
		t.Errorf("final outcome: %+v", out)
	}
}

// TestWatchFollowUpAtOnce sends the follow-up as soon as the watch shows the deferred answer. The race detector checks
// the accesses to the outcome.
func TestWatchFollowUpAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	for range 20 {
		w, answer, followUp := invokeWatched(d)
		done := make(chan error, 1)
		go func() { done <- answer(deferred) }()
		if out := d.waitAnswer(w); out.Result != dispatch.Deferred {
			t.Fatalf("outcome after the first answer: %+v", out)
		}
		if err := followUp(`{"content":"done"}`); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
		out, err := w.Final(ctx)
		cancel()
		if err != nil || out.Result != dispatch.Answered {
			t.Fatalf("final outcome: %+v, %v", out, err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// TestWatchComponent watches the use of a button: an update of its message, and a deferred update that an edit completes.
func TestWatchComponent(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(d *fixture, id snowflake.Interaction, token string) error{
		"an update": func(d *fixture, id snowflake.Interaction, token string) error {
			return d.callback(id, token, `{"type":7,"data":{"content":"pressed"}}`)
		},
		"a deferred update": func(d *fixture, id snowflake.Interaction, token string) error {
			if err := d.callback(id, token, `{"type":6}`); err != nil {
				return err
			}
			_, err := d.EditMessage(d.t.Context(), echo, token, dispatch.Original, d.response(`{"content":"pressed"}`))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			answeredPing(d, buttons)
			w := dispatch.NewWatch()
			t.Cleanup(w.Close)
			id, token := pressButtonWatched(d, bob, w)
			if err := answer(d, id, token); err != nil {
				t.Fatal(err)
			}
			out, err := w.Final(t.Context())
			if err != nil || out.Result != dispatch.Answered || len(out.Messages) != 1 || !strings.Contains(string(out.Messages[0]), `"content":"pressed"`) {
				t.Errorf("Final() = %+v, %v, want the edited message", out, err)
			}
		})
	}
}
