package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/interaction"
)

// Watch follows one invocation to its outcome. It is given to Invoke, so that nothing can happen before it looks.
type Watch struct{}

// NewWatch returns a watch for one invocation. Whoever made it closes it.
func NewWatch() *Watch { return &Watch{} }

// Close ends the watch.
func (w *Watch) Close() {}

// Answer waits for the first answer, or for the end without one.
func (w *Watch) Answer(context.Context) (Outcome, error) { return Outcome{}, errors.ErrUnsupported }

// Final waits until nothing more is promised: a deferred answer has been filled in, or its token has expired.
func (w *Watch) Final(context.Context) (Outcome, error) { return Outcome{}, errors.ErrUnsupported }

// Result is how an invocation went, in a word.
type Result string

// The results.
const (
	Answered Result = "answered"
	Deferred Result = "deferred"
	Launched Result = "launched"
	Failed   Result = "failed"
)

// Outcome is what came of an invocation, as the person sees it. The texts are JSON, nil where there is nothing.
type Outcome struct {
	Result      Result
	Reason      interaction.Reason // of a failure
	Detail      string             // of a failure, for people
	Interaction []byte             // as the app received it; nil when it received nothing
	Response    []byte             // what the app answered: {"type", "data"}
	Messages    [][]byte           // in the order in which they came up
	Choices     []byte             // a list
	Modal       []byte             // an object
	Instance    string             // of the activity that was launched
	URL         string             // where the client finds it

	// How long it took since Invoke was called: until everything was checked, until the app had the interaction, and
	// until there was an answer or none could come any more. What did not happen is 0.
	Checked, Delivered, Answered time.Duration
}
