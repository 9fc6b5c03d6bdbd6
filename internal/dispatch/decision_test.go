package dispatch_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// countedIDs counts the ids that it generates.
type countedIDs struct {
	dispatch.IDs

	count atomic.Int64
}

func (c *countedIDs) Next() uint64 {
	c.count.Add(1)
	return c.IDs.Next()
}

// Observe does nothing: the ids of the test increase.
func (c *countedIDs) Observe(uint64) {}

// conflicts refuses every other commit, as after a concurrent write, so that each decision runs twice. Both runs must
// return the same change.
type conflicts struct {
	t testing.TB

	mu    sync.Mutex
	first *store.Change // of the decision that runs again; nil: the next commit belongs to another decision
	runs  int
}

func (c *conflicts) stale(change *store.Change) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	first := c.first
	if first == nil {
		c.first = change
		return true
	}
	c.first = nil
	if !reflect.DeepEqual(first.Put, change.Put) || !reflect.DeepEqual(first.Delete, change.Delete) || !reflect.DeepEqual(first.Events, change.Events) {
		c.t.Errorf("the decision returned another change when it ran again:\n%+v\n%+v", first.Put, change.Put)
	}
	return false
}

// decisionCases are the operations that make decisions. Each prepares a fixture and returns the operation.
var decisionCases = []struct {
	name string
	open func(d *fixture) (run func() error)
}{
	{"invocation with a file", func(d *fixture) func() error {
		c := d.register(echo, 0, `{"name":"send","description":"Send","type":1,"options":[{"type":11,"name":"file","description":"File"}]}`)
		body := withMembers(invokeBody(c, guild, general, `,"options":[{"type":11,"name":"file","value":"0"}],"attachments":[{"id":"0","filename":"a.txt"}]`), `"nonce":"n1"`)
		return func() error {
			d.invoke(ada, body, upload(0, "a.txt", "used"), upload(1, "b.txt", "not used"))
			return nil
		}
	}},
	{"duplicate invocation", func(d *fixture) func() error {
		body := withMembers(invokeBody(d.register(echo, 0, ping), guild, general, ""), `"nonce":"n1"`)
		d.invoke(ada, body)
		return func() error {
			d.invoke(ada, body)
			return nil
		}
	}},
	{"invocation of an app with an endpoint", func(d *fixture) func() error {
		c := d.register(echo, 0, ping)
		d.endpoint(echo, respondForm)
		return func() error {
			if out := d.invokeAndWait(ada, invokeBody(c, guild, general, "")); out.Result != dispatch.Answered || len(out.Messages) != 1 {
				return fmt.Errorf("outcome %+v", out)
			}
			return nil
		}
	}},
	{"launch without the app", func(d *fixture) func() error {
		return func() error {
			if out := d.invokeAndWait(ada, invokeBody(entryPoint(d), guild, general, "")); out.Result != dispatch.Launched || len(out.Messages) != 1 {
				return fmt.Errorf("outcome %+v", out)
			}
			return nil
		}
	}},
	{"answer with a file", func(d *fixture) func() error {
		id, token := invokePing(d)
		return func() error { return d.callback(id, token, hello, upload(0, "a.txt", "text")) }
	}},
	{"answer that launches", func(d *fixture) func() error {
		id, token := invokePing(d)
		return func() error { return d.callback(id, token, `{"type":12}`) }
	}},
	{"follow-up with a file", func(d *fixture) func() error {
		id, token := invokePing(d)
		answered(d, id, token, hello)
		return func() error {
			_, err := d.FollowUp(d.t.Context(), echo, token, d.response(`{"content":"more"}`, upload(0, "a.txt", "text")))
			return err
		}
	}},
	{"follow-up that fills a deferred answer", func(d *fixture) func() error {
		id, token := invokePing(d)
		answered(d, id, token, deferred)
		return func() error {
			_, err := d.FollowUp(d.t.Context(), echo, token, d.response(`{"content":"done"}`))
			return err
		}
	}},
	{"edit that replaces a file", func(d *fixture) func() error {
		id, token := invokePing(d)
		answered(d, id, token, hello, upload(0, "a.txt", "old"))
		return func() error {
			_, err := d.EditMessage(d.t.Context(), echo, token, dispatch.Original, d.response(`{"attachments":[{"id":0}]}`, upload(0, "b.txt", "new")))
			return err
		}
	}},
	{"deletion of a message with a file", func(d *fixture) func() error {
		id, token := invokePing(d)
		answered(d, id, token, hello, upload(0, "a.txt", "text"))
		return func() error { return d.DeleteMessage(d.t.Context(), echo, token, dispatch.Original) }
	}},
	{"failure at the deadline", func(d *fixture) func() error {
		invokePing(d)
		return func() error {
			d.clock.Advance(interaction.Deadline)
			d.waitEvents("INTERACTION_FAILURE", 1)
			return nil
		}
	}},
}

// answered answers an interaction while a test is prepared.
func answered(d *fixture, id snowflake.Interaction, token, body string, files ...attachments.Upload) {
	d.t.Helper()
	if err := d.callback(id, token, body, files...); err != nil {
		d.t.Fatal(err)
	}
}

// TestDecisionsArePure lets each decision run twice. The operation must have the same effects as with one run, and no
// effect may happen inside the decision.
func TestDecisionsArePure(t *testing.T) {
	t.Parallel()
	for _, tt := range decisionCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			once := effects(t, tt.open, false)
			if diff := cmp.Diff(once, effects(t, tt.open, true)); diff != "" {
				t.Errorf("effects with one run and with two runs of each decision:\n%s", diff)
			}
		})
	}
}

// decisionEffects are the effects of an operation.
type decisionEffects struct {
	IDs    int64    // taken
	Puts   int      // of files
	Files  []string // stored at the end
	Events []string
	// Metrics counts interactions, those that are pending, and the bytes of files.
	Metrics []string
}

// effects runs an operation and returns its effects.
func effects(t *testing.T, prepare func(*fixture) func() error, again bool) decisionEffects {
	t.Helper()
	ids := &countedIDs{}
	d := open(t, func(c *dispatch.Config) { ids.IDs, c.IDs, c.Messages.IDs = c.IDs, ids, ids })
	run := prepare(d)
	refused := &conflicts{t: t}
	if again {
		d.db.refuseStale(refused.stale)
	}
	from, taken := d.eventCount(), ids.count.Load()
	if err := run(); err != nil {
		t.Fatal(err)
	}
	d.stop() // waits for deliveries
	if again && refused.runs == 0 {
		t.Error("no decision ran again")
	}
	if d.files.late > 0 {
		t.Errorf("decisions stored %d files", d.files.late)
	}
	e := decisionEffects{IDs: ids.count.Load() - taken, Puts: d.files.puts, Files: d.files.texts(), Events: d.eventNames(from)}
	for line := range strings.Lines(d.metricsText()) {
		if strings.HasPrefix(line, "bellhop_interactions_") || strings.HasPrefix(line, "bellhop_attachment_bytes") {
			e.Metrics = append(e.Metrics, strings.TrimSpace(line))
		}
	}
	return e
}

// TestAnswersShareCommits checks that the next decisions on the messages of a channel may build on a new answer or follow-up, and not on
// an edit or a change with files. The interaction is locked until the commit in any case.
func TestAnswersShareCommits(t *testing.T) {
	t.Parallel()
	d := open(t)
	var last store.Change
	d.db.mu.Lock()
	d.db.commit = func(c *store.Change) { last = *c } // the operations of this test run one after another
	d.db.mu.Unlock()
	id, token := invokePing(d)
	for _, tt := range []struct {
		name   string
		run    func() error
		shared bool
	}{
		{"answer", func() error { return d.callback(id, token, hello) }, true},
		{"follow-up", func() error {
			_, err := d.FollowUp(t.Context(), echo, token, d.response(`{"content":"more"}`))
			return err
		}, true},
		{"follow-up with a file", func() error {
			_, err := d.FollowUp(t.Context(), echo, token, d.response(`{"content":"more"}`, upload(0, "a.txt", "text")))
			return err
		}, false},
		{"edit", func() error {
			_, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.response(`{"content":"other"}`))
			return err
		}, false},
	} {
		if err := tt.run(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var want []store.Subject
		if tt.shared {
			want = []store.Subject{store.MessagesSubject(general)}
		}
		if !slices.Equal(last.Extendable, want) {
			t.Errorf("%s: decisions on %v may build on the change, want %v", tt.name, last.Extendable, want)
		}
	}
}
