package dispatch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// Result is the result of an invocation.
type Result string

// The results.
const (
	Answered Result = "answered"
	Deferred Result = "deferred"
	Launched Result = "launched"
	Failed   Result = "failed"
)

// Outcome is the outcome of an invocation, as its user sees it. JSON fields are nil when they do not apply.
type Outcome struct {
	Result      Result
	Reason      interaction.Reason // of a failure
	Detail      string             // of a failure, for humans
	Interaction []byte             // as the app received it; nil when the app was not asked
	Response    []byte             // the answer of the app: {"type", "data"}
	Messages    [][]byte           // in the order of their creation
	Choices     []byte             // a list
	Modal       []byte             // an object
	Instance    string             // the launched activity instance
	URL         string             // of the instance

	// Durations since the call of Invoke: until the checks passed, until the app had the interaction, and until there was
	// an answer or a failure. They are 0 for a step that did not happen.
	Checked, Delivered, Answered time.Duration
}

// Watch observes one invocation until its outcome is final. The caller passes it to Invoke, so that it misses nothing.
// The methods that Invoke uses accept a nil Watch.
type Watch struct {
	answer, end chan struct{} // closed with the first answer, and when the outcome is final
	detach      func()        // set by Invoke

	// recording is read-locked from before the commit of a first answer until the answer is recorded here. Later changes
	// of the outcome wait for it.
	recording sync.RWMutex

	mu       sync.Mutex
	began    time.Time
	answered bool // answer is closed
	out      Outcome
	seen     []snowflake.Message // of out.Messages
}

// NewWatch returns a watch for one invocation. The caller closes it.
func NewWatch() *Watch {
	return &Watch{answer: make(chan struct{}), end: make(chan struct{}), detach: func() {}}
}

// Close ends the watch.
func (w *Watch) Close() { w.detach() }

// Answer waits for the first answer or the failure.
func (w *Watch) Answer(ctx context.Context) (Outcome, error) { return w.wait(ctx, w.answer) }

// Final waits until the outcome is final: there is an answer, a deferred answer was filled in, or its token has
// expired.
func (w *Watch) Final(ctx context.Context) (Outcome, error) { return w.wait(ctx, w.end) }

func (w *Watch) wait(ctx context.Context, until chan struct{}) (Outcome, error) {
	select {
	case <-until:
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
	return w.Now(), nil
}

// Now returns the current outcome. Before the first answer it has no result.
func (w *Watch) Now() Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.out
	out.Messages = slices.Clone(out.Messages)
	return out
}

// checked records that the checks passed, and the interaction that the app receives.
func (w *Watch) checked(took time.Duration, body []byte) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Checked, w.out.Interaction = took, body
}

// delivered records that the app has the interaction.
func (w *Watch) delivered(took time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Delivered = took
}

// recordAnswer records the first answer and reports whether it is deferred. It is called once: the store accepts one
// first answer.
func (w *Watch) recordAnswer(fill func(*Outcome), now time.Time) (deferred bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fill(&w.out)
	w.out.Answered = now.Sub(w.began)
	w.answered = true
	close(w.answer)
	return w.out.Result == Deferred
}

// putMessage records a new or edited message.
func (w *Watch) putMessage(id snowflake.Message, text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.seen, id); i >= 0 {
		w.out.Messages[i] = text
		return
	}
	w.seen, w.out.Messages = append(w.seen, id), append(w.out.Messages, text)
}

// dropMessage records that a message was deleted.
func (w *Watch) dropMessage(id snowflake.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.seen, id); i >= 0 {
		w.seen, w.out.Messages = slices.Delete(w.seen, i, i+1), slices.Delete(w.out.Messages, i, i+1)
	}
}

// watches are the active watches: one for each request that waits for an outcome.
type watches struct {
	mu   sync.Mutex
	byID map[snowflake.Interaction]*Watch
}

func (ws *watches) add(w *Watch, id snowflake.Interaction, began time.Time) {
	if w == nil {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.byID == nil {
		ws.byID = map[snowflake.Interaction]*Watch{}
	}
	ws.byID[id] = w
	w.began = began
	w.detach = func() { ws.remove(id) }
}

func (ws *watches) remove(id snowflake.Interaction) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.byID, id)
}

// get returns the watch of an interaction, or nil.
func (ws *watches) get(id snowflake.Interaction) *Watch {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return ws.byID[id]
}

// beginAnswer is called before the commit of a first answer. The caller calls end after the answer was recorded or
// refused.
func (ws *watches) beginAnswer(id snowflake.Interaction) (end func()) {
	w := ws.get(id)
	if w == nil {
		return func() {}
	}
	w.recording.RLock()
	return w.recording.RUnlock
}

// awaitAnswer waits while a first answer is between beginAnswer and its end. Requests that change the outcome after the
// first answer call it after their commit, so that the watch sees the changes in order.
func (ws *watches) awaitAnswer(id snowflake.Interaction) {
	if w := ws.get(id); w != nil {
		w.recording.Lock()
		defer w.recording.Unlock()
	}
}

// answered records the first answer.
func (ws *watches) answered(id snowflake.Interaction, fill func(*Outcome), now time.Time) {
	if w := ws.get(id); w != nil && !w.recordAnswer(fill, now) {
		ws.finish(id, nil)
	}
}

// failed records that there is no answer.
func (ws *watches) failed(id snowflake.Interaction, reason interaction.Reason, detail string, now time.Time) {
	ws.answered(id, func(o *Outcome) { o.Result, o.Reason, o.Detail = Failed, reason, detail }, now)
}

// finish makes the outcome final. Later messages do not belong to it.
func (ws *watches) finish(id snowflake.Interaction, change func(*Outcome)) {
	ws.mu.Lock()
	w := ws.byID[id]
	delete(ws.byID, id)
	ws.mu.Unlock()
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if change != nil {
		change(&w.out)
	}
	if !w.answered { // another node took the first answer
		w.answered = true
		close(w.answer)
	}
	close(w.end)
}

// announced passes a new or edited message to the watches and to Messages, after the commit. The watches are those of the interaction that created the message, and of the interaction by which the app
// created or edited it.
func (s *service) announced(ctx context.Context, by snowflake.Interaction, a *messages.Announcement) {
	if a.Err == nil {
		s.watches.putMessage(a.Message.Interaction, a.Message.ID, a.Post)
		if by != a.Message.Interaction {
			s.watches.putMessage(by, a.Message.ID, a.Post)
		}
	}
	s.Messages.Announced(ctx, a)
}

func (ws *watches) putMessage(id snowflake.Interaction, m snowflake.Message, p *message.Post) {
	if w := ws.get(id); w != nil {
		w.putMessage(m, p.AppendJSON(nil))
	}
}

func (ws *watches) dropMessage(id snowflake.Interaction, m snowflake.Message) {
	if w := ws.get(id); w != nil {
		w.dropMessage(m)
	}
}
