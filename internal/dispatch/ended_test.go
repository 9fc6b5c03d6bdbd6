package dispatch_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/dispatch"
)

// TestEnded checks what the observer of interactions gets for an answer and for a timeout.
func TestEnded(t *testing.T) {
	t.Parallel()
	ended := make(chan dispatch.Ended, 10)
	d := open(t, func(c *dispatch.Config) { c.Ended = func(e dispatch.Ended) { ended <- e } })
	want := dispatch.Ended{Kind: "command", Application: echo, User: ada, Command: command.ChatInput, Path: "ping"}
	_, answer, _ := invokeWatched(d)
	if err := answer(`{"type":4,"data":{"content":"pong"}}`); err != nil {
		t.Fatal(err)
	}
	got := <-ended
	if got.Interaction == 0 {
		t.Error("the end of an interaction has no id")
	}
	got.Interaction, got.Took, want.Result = 0, 0, dispatch.Answered
	if got != want {
		t.Errorf("after an answer: %+v, want %+v", got, want)
	}
	invokeWatched(d)
	d.clock.Advance(time.Minute)
	got = <-ended
	if got.Took < 3*time.Second {
		t.Errorf("Took = %v after a timeout, want 3s or more", got.Took)
	}
	got.Interaction, got.Took, want.Result, want.Detail = 0, 0, dispatch.Failed, "the app did not answer: timeout after 3000 ms"
	if got != want {
		t.Errorf("after a timeout: %+v, want %+v", got, want)
	}
}

// TestEndedDeferred checks that a deferred answer ends twice: when it is deferred, and when it is filled in.
func TestEndedDeferred(t *testing.T) {
	t.Parallel()
	ended := make(chan dispatch.Ended, 10)
	d := open(t, func(c *dispatch.Config) { c.Ended = func(e dispatch.Ended) { ended <- e } })
	_, answer, followUp := invokeWatched(d)
	if err := answer(`{"type":5}`); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"filled in", "a second message, which is no end"} {
		if err := followUp(`{"content":"` + content + `"}`); err != nil {
			t.Fatal(err)
		}
	}
	first, second := <-ended, <-ended
	if first.Result != dispatch.Deferred || second.Result != dispatch.Answered || first.Interaction != second.Interaction || len(ended) != 0 {
		t.Errorf("ended as %+v, then %+v, and %d more", first, second, len(ended))
	}
}
