package dispatch_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/wire"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

var durations = regexp.MustCompile(`after \d+ ms`)

// explained makes the service tell developers why interactions fail.
func explained(c *dispatch.Config) { c.Explain = true }

// TestReasons checks the sentence for each way in which an app fails, in the outcome and in the event.
func TestReasons(t *testing.T) {
	t.Parallel()
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<h1>no \"upstream\"</h1>")
	}
	for _, tt := range []struct {
		name string
		app  http.HandlerFunc
		want string
	}{
		{"a status and a body", page, `Echo answered 502 after N ms: <h1>no "upstream"</h1>`},
		{"a closed connection", reset, "Echo did not answer: connection closed before the answer was complete after N ms"},
		{"invalid JSON", respond(`{"type":`), `Echo answered 200 with invalid JSON after N ms: {"type":`},
		{
			"an invalid field", respond(`{"type":4,"data":{"embeds":[{"title":"` + strings.Repeat("x", 257) + `"}]}}`),
			"Echo answered 200 with an invalid answer after N ms: data.embeds.0.title: Must be 256 or fewer in length.",
		},
		{"an empty message", respond(`{"type":4,"data":{}}`), "Echo answered 200 with an invalid answer after N ms: cannot send an empty message"},
		{"an unreadable form", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "multipart/form-data; boundary=x")
			_, _ = io.WriteString(w, "hello")
		}, "Echo answered 200 with an invalid answer after N ms: the form cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t, explained)
			c := d.register(echo, 0, ping)
			d.endpoint(echo, tt.app)
			out := d.invokeAndWait(ada, invokeBody(c, guild, general, ""))
			if got := durations.ReplaceAllString(out.Detail, "after N ms"); got != tt.want {
				t.Errorf("Detail = %q, want %q", got, tt.want)
			}
			event := durations.ReplaceAllString(string(d.waitEvents("INTERACTION_FAILURE", 1)[0].Data), "after N ms")
			if want := `,"reason_code":1,"reason":` + quoted(tt.want) + `}`; !strings.HasSuffix(event, want) {
				t.Errorf("event %s, want it to end with %s", event, want)
			}
		})
	}
}

// quoted returns a text as JSON.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// TestReasonsAreForDevelopers checks that users of a production service do not see why an app failed.
func TestReasonsAreForDevelopers(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(echo, 0, ping)
	d.endpoint(echo, status(500))
	d.invokeAndWait(ada, invokeBody(c, guild, general, ""))
	if event := string(d.waitEvents("INTERACTION_FAILURE", 1)[0].Data); !strings.HasSuffix(event, `,"reason_code":1}`) {
		t.Errorf("event %s contains a reason", event)
	}
}

// TestTimeoutReasons checks the sentences about an app that does not answer in time: over HTTP, over the gateway, and
// after a callback that was refused.
func TestTimeoutReasons(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, tt := range []struct {
		name     string
		app      http.HandlerFunc
		callback string
		want     string
	}{
		{"over HTTP", hang, "", "Echo did not answer: timeout after N ms: no complete answer by the deadline"},
		{"over the gateway", nil, "", "Echo did not answer: timeout after 3000 ms"},
		{
			"after a refused callback", nil, `{"type":4,"data":{"content":7}}`,
			"Echo did not answer: timeout after 3000 ms: its last callback was refused: data.content: Could not interpret \"7\" as string.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t, explained)
			c := d.register(echo, 0, ping)
			var asked <-chan struct{}
			if tt.app != nil {
				asked = d.endpoint(echo, tt.app).more
			}
			watch := dispatch.NewWatch()
			defer watch.Close()
			request := dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(c, guild, general, "")), Watch: watch}
			if _, err := d.Invoke(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			if tt.callback != "" {
				id, token := d.newestToken()
				if err := d.callback(id, token, tt.callback); err == nil {
					t.Fatal("the callback was accepted")
				}
			}
			if asked != nil {
				<-asked
			}
			d.clock.Advance(interaction.Deadline)
			out, err := watch.Answer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := out.Detail
			if tt.app != nil {
				got = durations.ReplaceAllString(got, "after N ms")
			}
			if got != tt.want || out.Reason != interaction.ReasonTimeout {
				t.Errorf("Detail = %q (%d), want %q", got, out.Reason, tt.want)
			}
		})
	}
}

// TestOffline checks that an invocation fails at once if its app has neither a gateway session nor an endpoint URL.
func TestOffline(t *testing.T) {
	t.Parallel()
	online := false
	d := open(t, func(c *dispatch.Config) {
		c.Online = func(_ context.Context, app snowflake.Application) bool { return app != echo || online }
	})
	c := d.register(echo, 0, ping)
	const want = "Echo is offline: no gateway session and no endpoint URL"
	out := d.invokeAndWait(ada, invokeBody(c, guild, general, ""))
	if out.Result != dispatch.Failed || out.Detail != want || out.Reason != interaction.ReasonUnknown {
		t.Errorf("outcome %s (%d): %s, want failed: %s", out.Result, out.Reason, out.Detail, want)
	}
	if out.Delivered != 0 || out.Interaction != nil {
		t.Errorf("delivered after %v: %s, want no delivery", out.Delivered, out.Interaction)
	}
	event := d.waitEvents("INTERACTION_FAILURE", 1)[0]
	if !strings.HasSuffix(string(event.Data), `,"reason_code":1,"reason":"`+want+`"}`) {
		t.Errorf("event %s, want the reason", event.Data)
	}
	if sent, _ := d.events.named("INTERACTION_CREATE"); len(sent) != 1 || len(sent[0].To.Users) != 1 {
		t.Errorf("events %+v, want one for the user and none for the app", sent)
	}
	if text := d.metricsText(); !strings.Contains(text, `bellhop_interactions_total{kind="command",outcome="failed"} 1`) {
		t.Error("the failure was not counted")
	}

	online = true
	d.invoke(ada, invokeBody(c, guild, general, ""))
	if sent := d.waitEvents("INTERACTION_CREATE", 3); sent[2].To.Application != echo {
		t.Errorf("events %+v, want one for the app that is online", sent)
	}

	online = false
	d.endpoint(echo, respond(hello))
	if out := d.invokeAndWait(ada, invokeBody(c, guild, general, "")); out.Result != dispatch.Answered {
		t.Errorf("with an endpoint: %s (%s), want answered", out.Result, out.Detail)
	}
}

// TestAppStatus checks the state of an app: from its gateway session, or from the deliveries to its endpoint.
func TestAppStatus(t *testing.T) {
	t.Parallel()
	online := false
	var endpoint webhook.EndpointState
	d := open(t, func(c *dispatch.Config) {
		c.Online = func(context.Context, snowflake.Application) bool { return online }
		c.Endpoint = func(snowflake.Application, string) webhook.EndpointState { return endpoint }
	})
	for _, tt := range []struct {
		name     string
		app      store.Application
		online   bool
		endpoint webhook.EndpointState
		want     wire.AppStatus
	}{
		{name: "no bot", want: wire.AppStatus{State: wire.AppOffline, Detail: "no gateway session and no endpoint URL"}},
		{name: "a bot", online: true, want: wire.AppStatus{State: wire.AppOnline}},
		{name: "an endpoint", app: store.Application{InteractionsEndpointURL: "http://x"}, want: wire.AppStatus{State: wire.AppEndpoint}},
		{
			name: "one failure", app: store.Application{InteractionsEndpointURL: "http://x"}, online: true,
			endpoint: webhook.EndpointState{Failures: 1, Why: "webhook: connection: connection refused"},
			want:     wire.AppStatus{State: wire.AppFailing, Detail: "1 delivery failed with connection: connection refused"},
		},
		{
			name: "a pause", app: store.Application{InteractionsEndpointURL: "http://x"},
			endpoint: webhook.EndpointState{Failures: 5, Why: "webhook: status 500", Paused: true},
			want:     wire.AppStatus{State: wire.AppPaused, Detail: "5 deliveries failed, the last with status 500"},
		},
	} {
		online, endpoint = tt.online, tt.endpoint
		if got := d.AppStatus(t.Context(), &tt.app); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
