package dispatch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/snowflake"
)

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

// Watch follows one invocation to its outcome. It is given to Invoke, so that nothing can happen before it looks. A nil
// Watch sees nothing.
type Watch struct {
	answer, end chan struct{} // closed when there is an answer, and when nothing more is promised
	detach      func()        // set by Invoke

	mu    sync.Mutex
	began time.Time
	out   Outcome
	seen  []snowflake.Message // of out.Messages
}

// NewWatch returns a watch for one invocation. Whoever made it closes it.
func NewWatch() *Watch {
	return &Watch{answer: make(chan struct{}), end: make(chan struct{}), detach: func() {}}
}

// Close ends the watch.
func (w *Watch) Close() { w.detach() }

// Answer waits for the first answer, or for the end without one.
func (w *Watch) Answer(ctx context.Context) (Outcome, error) { return w.wait(ctx, w.answer) }

// Final waits until nothing more is promised: a deferred answer has been filled in, or its token has expired.
func (w *Watch) Final(ctx context.Context) (Outcome, error) { return w.wait(ctx, w.end) }

func (w *Watch) wait(ctx context.Context, until chan struct{}) (Outcome, error) {
	select {
	case <-until:
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
	return w.Now(), nil
}

// Now returns what has come of the invocation so far. Before the first answer it has no result.
func (w *Watch) Now() Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.out
	out.Messages = slices.Clone(out.Messages)
	return out
}

// checked notes that the invocation is accepted, and what the app receives.
func (w *Watch) checked(took time.Duration, body []byte) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Checked, w.out.Interaction = took, body
}

// delivered notes that the app has the interaction.
func (w *Watch) delivered(took time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Delivered = took
}

// settle notes the first answer. It happens once: the store sees to it.
func (w *Watch) settle(fill func(*Outcome), now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fill(&w.out)
	w.out.Answered = now.Sub(w.began)
	close(w.answer)
}

// put notes a message, new or changed.
func (w *Watch) put(id snowflake.Message, text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.seen, id); i >= 0 {
		w.out.Messages[i] = text
		return
	}
	w.seen, w.out.Messages = append(w.seen, id), append(w.out.Messages, text)
}

// drop notes that a message is gone.
func (w *Watch) drop(id snowflake.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.seen, id); i >= 0 {
		w.seen, w.out.Messages = slices.Delete(w.seen, i, i+1), slices.Delete(w.out.Messages, i, i+1)
	}
}

// watches are those that look at an interaction now. There are few: one for each request that waits.
type watches struct {
	mu sync.Mutex
	of map[snowflake.Interaction]*Watch
}

func (ws *watches) add(w *Watch, id snowflake.Interaction, began time.Time) {
	if w == nil {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.of == nil {
		ws.of = map[snowflake.Interaction]*Watch{}
	}
	ws.of[id] = w
	w.began = began
	w.detach = func() { ws.remove(id) }
}

func (ws *watches) remove(id snowflake.Interaction) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.of, id)
}

// get returns the watch of an interaction, or nil.
func (ws *watches) get(id snowflake.Interaction) *Watch {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return ws.of[id]
}

func (ws *watches) answered(id snowflake.Interaction, fill func(*Outcome), now time.Time) {
	w := ws.get(id)
	if w == nil {
		return
	}
	w.settle(fill, now)
	if w.out.Result != Deferred {
		ws.finish(id, nil)
	}
}

func (ws *watches) failed(id snowflake.Interaction, reason interaction.Reason, detail string, now time.Time) {
	ws.answered(id, func(o *Outcome) { o.Result, o.Reason, o.Detail = Failed, reason, detail }, now)
}

// finish notes that nothing more is promised. Messages that come later belong to the outcome no more.
func (ws *watches) finish(id snowflake.Interaction, change func(*Outcome)) {
	ws.mu.Lock()
	w := ws.of[id]
	delete(ws.of, id)
	ws.mu.Unlock()
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if change != nil {
		change(&w.out)
	}
	close(w.end)
}

func (ws *watches) message(id snowflake.Interaction, made snowflake.Message, p message.Post) {
	if w := ws.get(id); w != nil {
		w.put(made, p.AppendJSON(nil))
	}
}

func (ws *watches) gone(id snowflake.Interaction, message snowflake.Message) {
	if w := ws.get(id); w != nil {
		w.drop(message)
	}
}
