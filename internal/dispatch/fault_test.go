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
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// reset ends the connection instead of answering.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// flood answers with 100 MB.
func flood(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	block := bytes.Repeat([]byte(" "), 1<<20)
	for range 100 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// form answers with a form that holds a file.
func formed(w http.ResponseWriter, _ *http.Request) {
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

// TestAppFaults lets the app do everything but answer, and some of what answers.
func TestAppFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		app  http.HandlerFunc
		want dispatch.Result
		why  interaction.Reason
	}{
		{"resets the connection", reset, dispatch.Failed, interaction.ReasonUnknown},
		{"answers garbage", says(`{"type":`), dispatch.Failed, interaction.ReasonUnknown},
		{"answers what is no answer", says(`{"type":4,"data":{"content":7}}`), dispatch.Failed, interaction.ReasonUnknown},
		{"answers with nothing", says(``), dispatch.Failed, interaction.ReasonUnknown},
		{"answers an empty message", says(`{"type":4,"data":{}}`), dispatch.Failed, interaction.ReasonUnknown},
		{"answers PONG", says(`{"type":1}`), dispatch.Failed, interaction.ReasonUnknown},
		{"answers 100 MB", flood, dispatch.Failed, interaction.ReasonUnknown},
		{"answers 204", status(204), dispatch.Failed, interaction.ReasonUnknown},
		{"answers 401", status(401), dispatch.Failed, interaction.ReasonUnknown},
		{"answers 500", status(500), dispatch.Failed, interaction.ReasonUnknown},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		}, dispatch.Failed, interaction.ReasonUnknown},
		{"answers with a form", formed, dispatch.Answered, 0},
		{"answers with a modal", says(ask), dispatch.Answered, 0},
		{"defers", says(later), dispatch.Deferred, 0},
		{"launches", says(`{"type":12}`), dispatch.Launched, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			c := d.register(echo, 0, ping)
			d.endpoint(echo, tt.app)
			out := d.watched(ada, uses(c, guild, general, ""))
			if out.Result != tt.want || out.Reason != tt.why {
				t.Errorf("outcome %s (%d, %s), want %s (%d)", out.Result, out.Reason, out.Detail, tt.want, tt.why)
			}
			if failures, _ := d.heard.all("INTERACTION_FAILURE"); len(failures) == 1 != (tt.want == dispatch.Failed) {
				t.Errorf("%d failures were told", len(failures))
			}
		})
	}
}

// TestAppHangs lets an app never answer: the deadline ends it, on the service's clock, and with it the delivery.
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
	if _, err := d.Invoke(t.Context(), dispatch.Call{User: ada, Body: parse(t, uses(c, guild, general, "")), Watch: w}); err != nil {
		t.Fatal(err)
	}
	<-a.more
	d.clock.Advance(interaction.Deadline)
	if out := d.answer(w); out.Result != dispatch.Failed || out.Reason != interaction.ReasonTimeout {
		t.Errorf("outcome %+v", out)
	}
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("the delivery goes on")
	}
}

// TestAppAnswersLate lets an answer come after the deadline: it counts for nothing.
func TestAppAnswersLate(t *testing.T) {
	t.Parallel()
	d := open(t, func(c *dispatch.Config) { c.Webhooks = lateHooks{c.Clock.(*clock.Movable)} })
	c := d.register(echo, 0, ping)
	d.setEndpoint(echo, "http://127.0.0.1:1")
	out := d.watched(ada, uses(c, guild, general, ""))
	if out.Result != dispatch.Failed || out.Reason != interaction.ReasonTimeout {
		t.Errorf("outcome %+v", out)
	}
	d.stop()
	if made, _ := d.heard.all("MESSAGE_CREATE"); len(made) != 0 {
		t.Errorf("%d messages came of it", len(made))
	}
}

// lateHooks is an app whose answer arrives when the deadline has passed.
type lateHooks struct{ clock *clock.Movable }

func (h lateHooks) Deliver(context.Context, webhook.Delivery) (webhook.Answer, error) {
	h.clock.Advance(interaction.Deadline)
	body := []byte(hello)
	v, err := parseBody(body)
	return webhook.Answer{ContentType: "application/json", Body: body, Form: v, Arrived: clock.System{}.Now()}, err
}

// TestAppAnswersTwice lets an app answer by callback and then inline: the first one counts, the second is no failure.
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
		says(`{"type":4,"data":{"content":"inline"}}`)(w, r)
	})
	out := d.watched(ada, uses(c, guild, general, ""))
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	if len(out.Messages) != 1 || !strings.Contains(string(out.Messages[0]), "by callback") {
		t.Errorf("outcome %+v", out)
	}
	d.stop() // the inline answer has been read
	made, _ := d.heard.all("MESSAGE_CREATE")
	failures, _ := d.heard.all("INTERACTION_FAILURE")
	if len(made) != 1 || len(failures) != 0 {
		t.Errorf("%d messages, %d failures", len(made), len(failures))
	}
}

// TestAppPromisesCallback lets an app answer 202 and then by callback, or not at all.
func TestAppPromisesCallback(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	a := d.endpoint(echo, accepted)
	w := dispatch.NewWatch()
	defer w.Close()
	if _, err := d.Invoke(t.Context(), dispatch.Call{User: ada, Body: parse(t, uses(c, guild, general, "")), Watch: w}); err != nil {
		t.Fatal(err)
	}
	<-a.more
	v := parse(t, string(a.bodies()[0]))
	id, _ := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
	if err := d.callback(id, v.Get("token").Text(), hello); err != nil {
		t.Fatal(err)
	}
	if out := d.answer(w); out.Result != dispatch.Answered {
		t.Errorf("outcome %+v", out)
	}
	d.invoke(ada, uses(c, guild, general, ""))
	<-a.more
	d.clock.Advance(interaction.Deadline)
	d.hear("INTERACTION_FAILURE", 1)
}

// TestFollowUpBeforeAnswer sends a follow-up before the inline answer has been read: it is held, not refused.
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
		says(hello)(w, r)
	})
	d.invoke(ada, uses(c, guild, general, ""))
	if err := <-done; err != nil {
		t.Errorf("FollowUp() = %v", err)
	}
	made := d.hear("MESSAGE_CREATE", 2)
	if !strings.Contains(string(made[0].Data), "hello") {
		t.Errorf("first came %s", made[0].Data)
	}
}

// TestEndpointTakenOff lets invocations fail at once while an endpoint is given a pause.
func TestEndpointTakenOff(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	a := d.endpoint(echo, status(500))
	for range 100 {
		if out := d.watched(ada, uses(c, guild, general, "")); strings.Contains(out.Detail, "circuit") || strings.Contains(out.Detail, "pause") {
			if len(a.bodies()) >= 100 {
				t.Error("every invocation was delivered")
			}
			return
		}
	}
	t.Error("an endpoint that keeps failing is called for ever")
}

// TestBounds refuses what is too much at once.
func TestBounds(t *testing.T) {
	t.Parallel()
	d := open(t, func(c *dispatch.Config) { c.Limits = dispatch.Limits{All: 3, PerApplication: 2} })
	one := d.register(echo, 0, ping)
	other := d.register(tool, 0, `{"name":"tool","description":"Tool","type":1,"integration_types":[1],"contexts":[0,1,2]}`)
	try := func(user snowflake.User, body string) error {
		_, err := d.Invoke(t.Context(), dispatch.Call{User: user, Body: parse(t, body)})
		return err
	}
	for i, want := range []error{nil, nil, dispatch.ErrBusy} {
		if err := try(ada, uses(one, guild, general, "")); !errors.Is(err, want) {
			t.Errorf("invocation %d of an app: %v, want %v", i, err, want)
		}
	}
	for i, want := range []error{nil, dispatch.ErrBusy} {
		if err := try(bob, uses(other, guild, general, "")); !errors.Is(err, want) {
			t.Errorf("invocation %d of another: %v, want %v", i, err, want)
		}
	}
	d.clock.Advance(interaction.Deadline)
	if err := try(ada, uses(one, guild, general, "")); err != nil {
		t.Errorf("after the deadline of the others: %v", err)
	}
	d.stop()
	if err := try(ada, uses(one, guild, general, "")); !errors.Is(err, dispatch.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestStoreFails lets the store fail at every step: what was not written did not happen, and nobody waits for ever.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	body := with(uses(c, guild, general, ""), `"nonce":"n1"`)
	d.db.refuse(true)
	if _, err := d.Invoke(t.Context(), dispatch.Call{User: ada, Body: parse(t, body)}); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("Invoke() = %v", err)
	}
	if heard := d.mark(); heard != 0 {
		t.Errorf("%d events of an invocation that never was", heard)
	}
	d.db.refuse(false)
	d.invoke(ada, body) // the nonce is free
	id, token := d.token()
	d.db.refuse(true)
	if err := d.callback(id, token, hello); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("Callback() = %v", err)
	}
	d.db.refuse(false)
	if err := d.callback(id, token, hello); err != nil {
		t.Errorf("the answer again: %v", err)
	}
	d.invoke(ada, uses(c, guild, general, ""))
	d.db.refuse(true)
	d.clock.Advance(interaction.Deadline) // the sweep fails
	d.db.refuse(false)
	d.clock.Advance(2 * time.Second)
	d.hear("INTERACTION_FAILURE", 1)
}
