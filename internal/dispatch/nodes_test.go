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
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// TestCallbackAtAnotherNode sends the callback to another node as soon as the app has the interaction, before the app
// responds with 202. No callback may be refused.
func TestCallbackAtAnotherNode(t *testing.T) {
	t.Parallel()
	const rounds, callers = 1000, 8
	d := openShared(t)
	other := dispatch.New(d.otherNode())
	c := d.register(echo, 0, ping)
	var refused, accepted atomic.Int64
	done := make(chan struct{}, callers)
	d.endpoint(echo, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		v, _ := parseBody(body)
		id, _ := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
		_, err = other.Callback(context.WithoutCancel(r.Context()), id, v.Get("token").Text(), d.response(hello), false)
		if err != nil {
			refused.Add(1)
			t.Logf("Callback() = %v", err)
		} else {
			accepted.Add(1)
		}
		done <- struct{}{}
		respondAccepted(w, r)
	})
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range rounds / callers {
				d.invoke(ada, invokeBody(c, guild, general, ""))
				<-done // one invocation per caller at a time
			}
		})
	}
	group.Wait()
	d.stop() // the deliveries have ended
	if refused.Load() != 0 || accepted.Load() != rounds {
		t.Errorf("%d of %d callbacks were refused, %d accepted", refused.Load(), rounds, accepted.Load())
	}
	if success, _ := d.events.named("INTERACTION_SUCCESS"); len(success) != rounds {
		t.Errorf("%d successes, want %d", len(success), rounds)
	}
}

// TestDeliveredAfterCommit delays the commit of an interaction. Neither the app nor the invoker may receive it before.
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
					respond(hello)(w, r)
				})
			}
			c := d.register(echo, 0, ping)
			waiting, proceed := make(chan struct{}), make(chan struct{})
			d.db.before(func(*store.Change) {
				d.db.before(nil)
				close(waiting)
				<-proceed
				committed.Store(true)
			})
			done := make(chan struct{})
			go func() {
				defer close(done)
				d.invoke(ada, invokeBody(c, guild, general, ""))
			}()
			<-waiting
			if n := d.eventCount(); n != 0 {
				t.Errorf("%d events before the commit", n)
			}
			close(proceed)
			<-done
			if posted {
				d.waitEvents("INTERACTION_SUCCESS", 1)
				return
			}
			if id, token := d.newestToken(); id == 0 || token == "" {
				t.Error("the bot did not receive the interaction")
			}
		})
	}
}

// TestNotDeliveredWithoutCommit checks that the app is not called when the commit fails.
func TestNotDeliveredWithoutCommit(t *testing.T) {
	t.Parallel()
	d := open(t)
	a := d.endpoint(echo, respond(hello))
	c := d.register(echo, 0, ping)
	d.db.refuse(true)
	_, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(c, guild, general, ""))})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("Invoke() = %v", err)
	}
	d.stop()
	if len(a.bodies()) != 0 || d.eventCount() != 0 {
		t.Errorf("the app was called %d times, %d events", len(a.bodies()), d.eventCount())
	}
	if text := d.metricsText(); !strings.Contains(text, "bellhop_interactions_pending 0") {
		t.Error("the interaction still counts as pending")
	}
}

// TestNodesSweep runs the sweep of several nodes at the same time. Each interaction must fail once.
func TestNodesSweep(t *testing.T) {
	t.Parallel()
	const count = 60
	d := openShared(t)
	c := d.register(echo, 0, ping)
	for range count {
		d.invoke(ada, invokeBody(c, guild, general, ""))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 3 {
		node := dispatch.New(d.otherNode())
		group.Go(func() { _ = node.Run(ctx) })
	}
	d.clock.Advance(interaction.Deadline)
	d.clock.Advance(interaction.Grace)
	d.waitEvents("INTERACTION_FAILURE", count)
	cancel()
	group.Wait()
	seen := map[string]int{}
	failures, _ := d.events.named("INTERACTION_FAILURE")
	for _, e := range failures {
		seen[parse(t, string(e.Data)).Get("id").Text()]++
	}
	if len(failures) != count || len(seen) != count {
		t.Errorf("%d failures of %d interactions, want one of each of %d", len(failures), len(seen), count)
	}
}

// TestGraceAtAnotherNode checks that the grace period also applies at a node that did not create the interaction.
func TestGraceAtAnotherNode(t *testing.T) {
	t.Parallel()
	d := openShared(t)
	other := dispatch.New(d.otherNode())
	id, token := invokePing(d)
	arrived := d.clock.Now()
	defer other.Arriving(id)()
	d.clock.Advance(interaction.Deadline)
	_, err := other.Callback(t.Context(), id, token, dispatch.Response{Body: parse(t, hello), Arrived: arrived}, false)
	if err != nil {
		t.Errorf("Callback() = %v", err)
	}
}

// slowWebhooks is an app that responds with 202 when respond is closed.
type slowWebhooks struct{ respond chan struct{} }

func (h slowWebhooks) Deliver(ctx context.Context, _ webhook.Delivery) (webhook.Answer, error) {
	select {
	case <-h.respond:
	case <-ctx.Done():
	}
	return webhook.Answer{Deferred: true, Arrived: time.Now()}, ctx.Err()
}

// TestFollowUpAfterAnswerElsewhere sends a follow-up to the node that created an interaction, after another node has
// accepted the answer. The follow-up must not wait for the end of the delivery.
func TestFollowUpAfterAnswerElsewhere(t *testing.T) {
	t.Parallel()
	hooks := slowWebhooks{make(chan struct{})}
	d := openShared(t, func(c *dispatch.Config) { c.Webhooks = hooks })
	defer close(hooks.respond)
	other := dispatch.New(d.otherNode())
	d.setEndpoint(echo, "http://127.0.0.1:1")
	c := d.register(echo, 0, ping)
	w := dispatch.NewWatch()
	defer w.Close()
	if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(c, guild, general, "")), Watch: w}); err != nil {
		t.Fatal(err)
	}
	v := parse(t, string(w.Now().Interaction))
	id, err := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
	if err != nil {
		t.Fatal(err)
	}
	token := v.Get("token").Text()
	if _, err := other.Callback(t.Context(), id, token, d.response(hello), false); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	if _, err := d.FollowUp(ctx, echo, token, d.response(`{"content":"more"}`)); err != nil || ctx.Err() != nil {
		t.Errorf("FollowUp() = %v, %v", err, ctx.Err())
	}
}

// TestUnreadBody checks that a request whose body was not read gets the error for an unknown token.
func TestUnreadBody(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := invokePing(d)
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
