package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// reset closes the connection without a response.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// flood responds with 100 MB.
func flood(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	block := bytes.Repeat([]byte(" "), 1<<20)
	for range 100 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// respondForm responds with a multipart form that contains a file.
func respondForm(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	_ = m.WriteField("payload_json", `{"type":4,"data":{"content":"here","attachments":[{"id":0,"filename":"a.txt"}]}}`)
	part, _ := m.CreateFormFile("files[0]", "blob")
	_, _ = io.WriteString(part, "text")
	_ = m.WriteField("something", "else")
	_ = m.Close()
	w.Header().Set("Content-Type", m.FormDataContentType())
	_, _ = w.Write(b.Bytes())
}

// TestAppFaults checks the outcomes of faulty and of valid responses.
func TestAppFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		app  http.HandlerFunc
		want dispatch.Result
		why  interaction.Reason
	}{
		{"resets the connection", reset, dispatch.Failed, interaction.ReasonUnknown},
		{"answers garbage", respond(`{"type":`), dispatch.Failed, interaction.ReasonUnknown},
		{"answers with an invalid message", respond(`{"type":4,"data":{"content":7}}`), dispatch.Failed, interaction.ReasonUnknown},
		{"answers with nothing", respond(``), dispatch.Failed, interaction.ReasonUnknown},
		{"answers an empty message", respond(`{"type":4,"data":{}}`), dispatch.Failed, interaction.ReasonUnknown},
		{"answers PONG", respond(`{"type":1}`), dispatch.Failed, interaction.ReasonUnknown},
		{"answers 100 MB", flood, dispatch.Failed, interaction.ReasonUnknown},
		{"answers 204", status(204), dispatch.Failed, interaction.ReasonUnknown},
		{"answers 401", status(401), dispatch.Failed, interaction.ReasonUnknown},
		{"answers 500", status(500), dispatch.Failed, interaction.ReasonUnknown},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		}, dispatch.Failed, interaction.ReasonUnknown},
		{"answers with a form", respondForm, dispatch.Answered, 0},
		{"answers with a modal", respond(openModal), dispatch.Answered, 0},
		{"defers", respond(deferred), dispatch.Deferred, 0},
		{"launches", respond(`{"type":12}`), dispatch.Launched, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			c := d.register(echo, 0, ping)
			d.endpoint(echo, tt.app)
			out := d.invokeAndWait(ada, invokeBody(c, guild, general, ""))
			if out.Result != tt.want || out.Reason != tt.why {
				t.Errorf("outcome %s (%d, %s), want %s (%d)", out.Result, out.Reason, out.Detail, tt.want, tt.why)
			}
			if failures, _ := d.events.named("INTERACTION_FAILURE"); len(failures) == 1 != (tt.want == dispatch.Failed) {
				t.Errorf("%d failure events", len(failures))
			}
		})
	}
}

// TestAppHangs checks that the deadline, on the service's clock, ends the delivery to an app that does not respond.
func TestAppHangs(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	gone := make(chan struct{})
	a := d.endpoint(echo, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	})
	w := dispatch.NewWatch()
	defer w.Close()
	if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(c, guild, general, "")), Watch: w}); err != nil {
		t.Fatal(err)
	}
	<-a.more
	d.clock.Advance(interaction.Deadline)
	if out := d.waitAnswer(w); out.Result != dispatch.Failed || out.Reason != interaction.ReasonTimeout {
		t.Errorf("outcome %+v", out)
	}
	select {
	case <-gone:
	case <-time.After(waitLimit):
		t.Error("the delivery did not end")
	}
}

// TestAppAnswersLate checks that an answer after the deadline has no effect.
func TestAppAnswersLate(t *testing.T) {
	t.Parallel()
	d := open(t, func(c *dispatch.Config) {
		c.Webhooks, c.Wall = lateWebhooks{c.Clock.(*clock.Movable)}, c.Clock // so that time passes only in Deliver
	})
	c := d.register(echo, 0, ping)
	d.setEndpoint(echo, "http://127.0.0.1:1")
	out := d.invokeAndWait(ada, invokeBody(c, guild, general, ""))
	if out.Result != dispatch.Failed || out.Reason != interaction.ReasonTimeout {
		t.Errorf("outcome %+v", out)
	}
	d.stop()
	if made, _ := d.events.named("MESSAGE_CREATE"); len(made) != 0 {
		t.Errorf("%d messages were created", len(made))
	}
}

// lateWebhooks is an app whose answer arrives after the deadline.
type lateWebhooks struct{ clock *clock.Movable }

func (h lateWebhooks) Deliver(context.Context, webhook.Delivery) (webhook.Answer, error) {
	h.clock.Advance(interaction.Deadline)
	body := []byte(hello)
	v, err := parseBody(body)
	return webhook.Answer{ContentType: "application/json", Body: body, Form: v, Arrived: h.clock.Now()}, err
}

// TestAppAnswersTwice answers by callback and then inline. The first answer counts, and the second is not a failure.
func TestAppAnswersTwice(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	errs := make(chan error, 1)
	d.endpoint(echo, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		v, _ := parseBody(body)
		id, _ := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
		errs <- d.callback(id, v.Get("token").Text(), `{"type":4,"data":{"content":"by callback"}}`)
		respond(`{"type":4,"data":{"content":"inline"}}`)(w, r)
	})
	out := d.invokeAndWait(ada, invokeBody(c, guild, general, ""))
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	if len(out.Messages) != 1 || !strings.Contains(string(out.Messages[0]), "by callback") {
		t.Errorf("outcome %+v", out)
	}
	d.stop() // the inline answer has been read
	made, _ := d.events.named("MESSAGE_CREATE")
	failures, _ := d.events.named("INTERACTION_FAILURE")
	if len(made) != 1 || len(failures) != 0 {
		t.Errorf("%d messages, %d failures", len(made), len(failures))
	}
}

// TestAppAccepts lets an app respond with 202 and then answer by callback, or not at all.
func TestAppAccepts(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	a := d.endpoint(echo, respondAccepted)
	w := dispatch.NewWatch()
	defer w.Close()
	if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(c, guild, general, "")), Watch: w}); err != nil {
		t.Fatal(err)
	}
	<-a.more
	v := parse(t, string(a.bodies()[0]))
	id, _ := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
	if err := d.callback(id, v.Get("token").Text(), hello); err != nil {
		t.Fatal(err)
	}
	if out := d.waitAnswer(w); out.Result != dispatch.Answered {
		t.Errorf("outcome %+v", out)
	}
	d.invoke(ada, invokeBody(c, guild, general, ""))
	<-a.more
	d.clock.Advance(interaction.Deadline + interaction.Grace) // the response may not be read yet
	d.waitEvents("INTERACTION_FAILURE", 1)
}

// TestFollowUpBeforeAnswer sends a follow-up before the inline answer was read. It must wait for the answer.
func TestFollowUpBeforeAnswer(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	done := make(chan error, 1)
	d.endpoint(echo, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		v, _ := parseBody(body)
		token := v.Get("token").Text()
		go func() {
			_, err := d.FollowUp(t.Context(), echo, token, dispatch.Response{Body: parse(t, `{"content":"more"}`)})
			done <- err
		}()
		respond(hello)(w, r)
	})
	d.invoke(ada, invokeBody(c, guild, general, ""))
	if err := <-done; err != nil {
		t.Errorf("FollowUp() = %v", err)
	}
	made := d.waitEvents("MESSAGE_CREATE", 2)
	if !strings.Contains(string(made[0].Data), "hello") {
		t.Errorf("the first message is %s", made[0].Data)
	}
}

// TestFailingEndpoint checks that invocations fail at once, without a delivery, after an endpoint has failed
// repeatedly.
func TestFailingEndpoint(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	a := d.endpoint(echo, status(500))
	for range 100 {
		if out := d.invokeAndWait(ada, invokeBody(c, guild, general, "")); strings.Contains(out.Detail, "circuit") || strings.Contains(out.Detail, "pause") {
			if len(a.bodies()) >= 100 {
				t.Error("every invocation was delivered")
			}
			return
		}
	}
	t.Error("the failing endpoint is still called")
}

// TestLimits checks the limits on pending interactions.
func TestLimits(t *testing.T) {
	t.Parallel()
	d := open(t, func(c *dispatch.Config) { c.Limits = dispatch.Limits{All: 3, PerApplication: 2} })
	one := d.register(echo, 0, ping)
	other := d.register(tool, 0, `{"name":"tool","description":"Tool","type":1,"integration_types":[1],"contexts":[0,1,2]}`)
	try := func(user snowflake.User, body string) error {
		_, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: user, Body: parse(t, body)})
		return err
	}
	for i, want := range []error{nil, nil, dispatch.ErrBusy} {
		if err := try(ada, invokeBody(one, guild, general, "")); !errors.Is(err, want) {
			t.Errorf("invocation %d of an app: %v, want %v", i, err, want)
		}
	}
	for i, want := range []error{nil, dispatch.ErrBusy} {
		if err := try(bob, invokeBody(other, guild, general, "")); !errors.Is(err, want) {
			t.Errorf("invocation %d of another: %v, want %v", i, err, want)
		}
	}
	d.clock.Advance(interaction.Deadline)
	if err := try(ada, invokeBody(one, guild, general, "")); err != nil {
		t.Errorf("after the deadline of the others: %v", err)
	}
	d.stop()
	if err := try(ada, invokeBody(one, guild, general, "")); !errors.Is(err, dispatch.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestStoreFails makes the store fail at every step. A failed write must have no effect, and a retry must succeed.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	body := withMembers(invokeBody(c, guild, general, ""), `"nonce":"n1"`)
	d.db.refuse(true)
	if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, body)}); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("Invoke() = %v", err)
	}
	if n := d.eventCount(); n != 0 {
		t.Errorf("%d events of a failed invocation", n)
	}
	d.db.refuse(false)
	d.invoke(ada, body) // the nonce was released
	id, token := d.newestToken()
	d.db.refuse(true)
	if err := d.callback(id, token, hello); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("Callback() = %v", err)
	}
	d.db.refuse(false)
	if err := d.callback(id, token, hello); err != nil {
		t.Errorf("the answer again: %v", err)
	}
	d.invoke(ada, invokeBody(c, guild, general, ""))
	d.db.refuse(true)
	d.clock.Advance(interaction.Deadline) // the sweep fails
	d.db.refuse(false)
	d.clock.Advance(2 * time.Second)
	d.waitEvents("INTERACTION_FAILURE", 1)
}
