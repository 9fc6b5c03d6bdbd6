package apiv10_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/webhook"
)

// dispatched returns what carries invocations of a desk. Apps are on this machine.
func dispatched(t testing.TB, d *desk, ids dispatch.IDs, files *attachments.Attachments) *dispatch.Dispatch {
	t.Helper()
	log, numbers := slog.New(slog.DiscardHandler), metrics.New("test")
	hooks := webhook.New(webhook.Config{Clock: clock.System{}, Metrics: numbers, Log: log, Policy: webhook.Development()})
	carried := dispatch.New(dispatch.Config{
		Cache: d.states, Clock: d.dev.Clock, Wall: clock.System{}, IDs: ids, Directory: d.dev.Directory, Picker: d.dev.Picker,
		Webhooks: &devtools.Recorder{Deliverer: hooks, Requests: &d.dev.Requests, Clock: d.dev.Clock, Wall: clock.System{}}, Files: files, Events: &events.Bus{}, Metrics: numbers, Log: log,
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- carried.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		hooks.Close()
	})
	return carried
}

// relay is an app that answers what it is told to: a command tells it in the option "answer", a component in its custom id,
// a modal in its only input, an option that is being typed in what was typed. Told nothing it says that it will call back.
func relay(t testing.TB) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body, err := jsonbody.Parse(text)
		if err != nil {
			t.Error(err)
		}
		data := body.Get("data")
		answer := data.Get("custom_id").Text()
		for _, option := range data.Get("options").Items() {
			if option.Get("name").Text() == "answer" {
				answer = option.Get("value").Text()
			}
		}
		if rows := data.Get("components").Items(); len(rows) > 0 {
			answer = rows[0].Get("components").Items()[0].Get("value").Text()
		}
		switch answer {
		case "":
			w.WriteHeader(http.StatusAccepted)
		case "refuse":
			http.Error(w, "no", http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer) // the service tells when it did not come
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// withRelay adds the relay and what the conversations about it need.
func (d *desk) withRelay(t testing.TB) {
	t.Helper()
	_, err := d.dev.Apply(t.Context(), "relay.yaml", []byte(strings.ReplaceAll(`
applications:
  - id: "1300000000000000004"
    name: Relay
    owner: "700000000000000001"
    bot_token: bot-relay
    client_secret: s4
    integration_types: [0, 1]
    activities: true
    interactions_endpoint_url: URL
guilds:
  - id: "900000000000000003"
    name: Hall
    owner: "700000000000000001"
    everyone: "1126451810208768"
    channels: [{id: "900000000000000030", name: stage}, {id: "900000000000000031", name: office, permission_overwrites: [{id: "900000000000000003", type: 0, allow: "0", deny: "1024"}]}]
    members: [{user: "700000000000000001"}, {user: "700000000000000002"}]
    installs: [{application: "1300000000000000004", scopes: [bot, applications.commands]}]
user_installs: [{user: "700000000000000002", application: "1300000000000000004"}]
`, "URL", relay(t))))
	if err != nil {
		t.Fatal(err)
	}
}

// What an answer shows that is never the same twice, or that a later request names.
var (
	shownToken   = regexp.MustCompile(`"token":"([\w-]+)"`)
	shownInvoked = regexp.MustCompile(`"interaction":\{"id":"(\d+)"`)
	shownMessage = regexp.MustCompile(`"messages":\[\{"id":"(\d+)"`)
	shownCommand = regexp.MustCompile(`^\{"id":"(\d+)","application_id":"\d+","version":"(\d+)"`)
	shownOrigin  = regexp.MustCompile(`"response_message_id":"(\d+)"`)
	shownLaunch  = regexp.MustCompile(`"activity_instance_id":"([\w-]+)"`)
	shownTimes   = regexp.MustCompile(`"timings_ms":\{[^}]*\}`)
	shownMark    = regexp.MustCompile(`hm=[0-9a-f]{64}`)
)

// memory holds what earlier answers showed.
type memory map[string]string

// recall puts what is remembered in place of its names.
func (m memory) recall(request string) string {
	for name, value := range m {
		request = strings.ReplaceAll(request, name, value)
	}
	return request
}

// note remembers what an answer shows and returns it without what is never the same twice.
func (m memory) note(body string) string {
	for expression, names := range map[*regexp.Regexp][]string{
		shownToken: {"$TOKEN"}, shownInvoked: {"$INTERACTION"}, shownMessage: {"$MESSAGE"}, shownCommand: {"$COMMAND", "$VERSION"},
		shownOrigin: {"$ORIGINAL"}, shownLaunch: {"$INSTANCE"},
	} {
		found := expression.FindStringSubmatch(body)
		for i, name := range names {
			if found != nil {
				m[name] = found[i+1]
			}
		}
	}
	body = shownToken.ReplaceAllString(body, `"token":"$$TOKEN"`)
	body = shownTimes.ReplaceAllString(body, `"timings_ms":{}`)
	return shownMark.ReplaceAllString(body, "hm=SIGNATURE")
}
