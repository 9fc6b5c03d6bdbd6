package dispatch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// TestCallbackAtAnotherNode lets an app call back through another node as soon as it has an interaction, and answer 202
// then. None of the callbacks is refused, by whichever way the interaction was delivered.
func TestCallbackAtAnotherNode(t *testing.T) {
	t.Parallel()
	const rounds, callers = 1000, 8
	d := openShared(t)
	other := dispatch.New(d.other())
	c := d.register(echo, 0, ping)
	var refused, taken atomic.Int64
	done := make(chan struct{}, callers)
	d.endpoint(echo, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		v, _ := parseBody(body)
		id, _ := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
		_, err = other.Callback(context.WithoutCancel(r.Context()), id, v.Get("token").Text(), d.reply(hello), false)
		if err != nil {
			refused.Add(1)
			t.Logf("Callback() = %v", err)
		} else {
			taken.Add(1)
		}
		done <- struct{}{}
		accepted(w, r)
	})
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range rounds / callers {
				d.invoke(ada, uses(c, guild, general, ""))
				<-done // as many as there are callers are under way
			}
		})
	}
	group.Wait()
	d.stop() // the deliveries have ended
	if refused.Load() != 0 || taken.Load() != rounds {
		t.Errorf("%d of %d callbacks were refused, %d taken", refused.Load(), rounds, taken.Load())
	}
	if success, _ := d.heard.all("INTERACTION_SUCCESS"); len(success) != rounds {
		t.Errorf("%d successes, want %d", len(success), rounds)
	}
}

// TestDeliveredAfterCommit holds the commit of an interaction back: neither the app nor the invoker hears of it before.
func TestDeliveredAfterCommit(t *testing.T) {
	t.Parallel()
	for name, posted := range map[string]bool{"by POST": true, "by the gateway": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var committed atomic.Bool
			d := open(t)
			if posted {
				d.endpoint(echo, func(w http.ResponseWriter, r *http.Request) {
					if !committed.Load() {
						t.Error("the app was called before the commit")
					}
					says(hello)(w, r)
				})
			}
			c := d.register(echo, 0, ping)
			waiting, free := make(chan struct{}), make(chan struct{})
			d.db.before(func(*store.Change) {
				d.db.before(nil)
				close(waiting)
				<-free
				committed.Store(true)
			})
			done := make(chan struct{})
			go func() {
				defer close(done)
				d.invoke(ada, uses(c, guild, general, ""))
			}()
			<-waiting
			if heard := d.mark(); heard != 0 {
				t.Errorf("%d events before the commit", heard)
			}
			close(free)
			<-done
			if posted {
				d.hear("INTERACTION_SUCCESS", 1)
				return
			}
			if id, token := d.token(); id == 0 || token == "" {
				t.Error("the bot was not given the interaction")
			}
		})
	}
}

// TestNotDeliveredWithoutCommit lets the commit fail: the app is not called.
func TestNotDeliveredWithoutCommit(t *testing.T) {
	t.Parallel()
	d := open(t)
	a := d.endpoint(echo, says(hello))
	c := d.register(echo, 0, ping)
	d.db.refuse(true)
	_, err := d.Invoke(t.Context(), dispatch.Call{User: ada, Body: parse(t, uses(c, guild, general, ""))})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("Invoke() = %v", err)
	}
	d.stop()
	if len(a.bodies()) != 0 || d.mark() != 0 {
		t.Errorf("the app was called %d times, %d events", len(a.bodies()), d.mark())
	}
	if text := d.numbers(); !strings.Contains(text, "bellhop_interactions_pending 0") {
		t.Error("the interaction still counts as pending")
	}
}

// TestNodesSweep lets several nodes look for what is due at the same time: each interaction ends once.
func TestNodesSweep(t *testing.T) {
	t.Parallel()
	const count = 60
	d := openShared(t)
	c := d.register(echo, 0, ping)
	for range count {
		d.invoke(ada, uses(c, guild, general, ""))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 3 {
		node := dispatch.New(d.other())
		group.Go(func() { _ = node.Run(ctx) })
	}
	d.clock.Advance(interaction.Deadline)
	d.clock.Advance(interaction.Grace)
	d.hear("INTERACTION_FAILURE", count)
	cancel()
	group.Wait()
	seen := map[string]int{}
	failures, _ := d.heard.all("INTERACTION_FAILURE")
	for _, e := range failures {
		seen[parse(t, string(e.Data)).Get("id").Text()]++
	}
	if len(failures) != count || len(seen) != count {
		t.Errorf("%d failures of %d interactions, want one of each of %d", len(failures), len(seen), count)
	}
}

// TestGraceAtAnotherNode lets an answer arrive in time at a node that did not create the interaction: it counts, although
// the deadline passes while it is read.
func TestGraceAtAnotherNode(t *testing.T) {
	t.Parallel()
	d := openShared(t)
	other := dispatch.New(d.other())
	id, token := begun(d)
	arrived := d.clock.Now()
	defer other.Arriving(id)()
	d.clock.Advance(interaction.Deadline)
	_, err := other.Callback(t.Context(), id, token, dispatch.Response{Body: parse(t, hello), Arrived: arrived}, false)
	if err != nil {
		t.Errorf("Callback() = %v", err)
	}
}

// slowHooks is an app that answers 202 when it is told so.
type slowHooks struct{ free chan struct{} }

func (h slowHooks) Deliver(ctx context.Context, _ webhook.Delivery) (webhook.Answer, error) {
	select {
	case <-h.free:
	case <-ctx.Done():
	}
	return webhook.Answer{Deferred: true, Arrived: time.Now()}, ctx.Err()
}

// TestFollowUpAfterAnswerElsewhere sends a follow-up to the node that created an interaction, which was answered at another
// node. It does not wait for the end of the delivery.
func TestFollowUpAfterAnswerElsewhere(t *testing.T) {
	t.Parallel()
	hooks := slowHooks{make(chan struct{})}
	d := openShared(t, func(c *dispatch.Config) { c.Webhooks = hooks })
	defer close(hooks.free)
	other := dispatch.New(d.other())
	d.setEndpoint(echo, "http://127.0.0.1:1")
	c := d.register(echo, 0, ping)
	w := dispatch.NewWatch()
	defer w.Close()
	if _, err := d.Invoke(t.Context(), dispatch.Call{User: ada, Body: parse(t, uses(c, guild, general, "")), Watch: w}); err != nil {
		t.Fatal(err)
	}
	v := parse(t, string(w.Now().Interaction))
	id, err := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
	if err != nil {
		t.Fatal(err)
	}
	token := v.Get("token").Text()
	if _, err := other.Callback(t.Context(), id, token, d.reply(hello), false); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := d.FollowUp(ctx, echo, token, d.reply(`{"content":"more"}`)); err != nil || ctx.Err() != nil {
		t.Errorf("FollowUp() = %v, %v", err, ctx.Err())
	}
}

// TestUnreadBody brings an answer whose body was not read: it is refused for its token, and not for its body.
func TestUnreadBody(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := begun(d)
	_, err := d.Callback(t.Context(), id, token, dispatch.Response{Unread: true}, false)
	if !errors.Is(err, interaction.ErrUnknownInteraction) {
		t.Errorf("Callback() = %v, want %v", err, interaction.ErrUnknownInteraction)
	}
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	if _, err := d.FollowUp(t.Context(), echo, token, dispatch.Response{Unread: true}); !errors.Is(err, interaction.ErrUnknownWebhook) {
		t.Errorf("FollowUp() = %v, want %v", err, interaction.ErrUnknownWebhook)
	}
}
