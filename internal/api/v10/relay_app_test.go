package v10_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/world"
)

// startDispatch starts the service that delivers interactions. Apps may be on this machine.
func startDispatch(t testing.TB, s *service, ids *store.IDs) *dispatch.Dispatch {
	t.Helper()
	log, m := slog.New(slog.DiscardHandler), metrics.New("test")
	wall := engines.NewSlowClock() // an app is never too late on a busy machine
	webhooks := webhook.New(webhook.Config{Clock: wall, Metrics: m, Log: log, Policy: webhook.Development()})
	s.dev.Deliveries = &dev.DeliveryRecorder{Deliverer: webhooks, Traffic: &s.dev.Traffic, Clock: s.dev.Clock, Wall: wall}
	s.messages = messages.New(messages.Config{
		Cache: s.states, IDs: ids, Directory: s.dev.Directory, Files: s.files, Metrics: m, Log: log, Clock: s.dev.Clock,
	})
	d := dispatch.New(dispatch.Config{
		Cache: s.states, Clock: s.dev.Clock, Wall: wall, IDs: ids, Directory: s.dev.Directory, Picker: s.dev.Picker,
		Webhooks: s.dev.Deliveries, Messages: s.messages, Metrics: m, Log: log, Entitlements: s.dev.Premium.Valid,
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		webhooks.Close()
	})
	return d
}

// startRelay starts an app whose response is part of the interaction: the option "answer" of a command, the custom id
// of a component, the input of a modal, or the text that the user types. Without one the app answers 202 and calls back
// later. It keeps the token of the last interaction and returns the URL of the app.
func startRelay(t testing.TB, token *atomic.Pointer[string]) string {
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
		token.Store(new(body.Get("token").Text()))
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
			_, _ = io.WriteString(w, answer) // the service reports a lost response
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// addRelay adds the app and a guild in which it is installed.
func (s *service) addRelay(t testing.TB) {
	t.Helper()
	w, err := world.Parse("relay.yaml", []byte(strings.ReplaceAll(`
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
`, "URL", startRelay(t, &s.relayed))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.dev.Provision.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// These match the parts of a response that differ in every run, or that a later request contains.
var (
	shownAccess  = regexp.MustCompile(`"access_token":"([\w-]+)","id_token":"[^"]+"`)
	shownLobby   = regexp.MustCompile(`^{"id":"(\d+)","application_id":"\d+","metadata":{"map":"dust"}`)
	shownToken   = regexp.MustCompile(`"token":"([\w-]+)"`)
	shownHook    = regexp.MustCompile(`(/webhooks/\d+)/[\w-]{60,}`)
	shownInvoked = regexp.MustCompile(`"interaction":\{"id":"(\d+)"`)
	shownMessage = regexp.MustCompile(`"messages":\[\{"id":"(\d+)"`)
	shownCommand = regexp.MustCompile(`^\{"id":"(\d+)","application_id":"\d+","version":"(\d+)"`)
	shownOrigin  = regexp.MustCompile(`"response_message_id":"(\d+)"`)
	shownLaunch  = regexp.MustCompile(`"activity_instance_id":"([\w-]+)"`)
	shownTook    = regexp.MustCompile(`after \d+ ms`)
	shownTimes   = regexp.MustCompile(`"timings_ms":\{[^}]*\}`)
	shownMark    = regexp.MustCompile(`hm=[0-9a-f]{64}`)
)

// variables are values of earlier responses, by name.
type variables map[string]string

// expand replaces the names of variables in a request by their values.
func (v variables) expand(request string) string {
	for name, value := range v {
		request = strings.ReplaceAll(request, name, value)
	}
	return request
}

// capture keeps the variables in a response. It returns the response without the parts that differ in every run.
func (v variables) capture(body string) string {
	for expression, names := range map[*regexp.Regexp][]string{
		shownToken: {"$TOKEN"}, shownInvoked: {"$INTERACTION"}, shownMessage: {"$MESSAGE"}, shownCommand: {"$COMMAND", "$VERSION"},
		shownOrigin: {"$ORIGINAL"}, shownLobby: {"$LOBBY"}, shownLaunch: {"$INSTANCE"},
	} {
		found := expression.FindStringSubmatch(body)
		for i, name := range names {
			if found != nil {
				v[name] = found[i+1]
			}
		}
	}
	if found := shownAccess.FindStringSubmatch(body); found != nil {
		v["$ACCESS"] = found[1]
		body = shownAccess.ReplaceAllString(body, `"access_token":"$$ACCESS","id_token":"ID"`)
	}
	body = shownToken.ReplaceAllString(body, `"token":"$$TOKEN"`)
	body = shownHook.ReplaceAllString(body, "$1/$$TOKEN")
	body = shownTook.ReplaceAllString(body, "after N ms")
	body = shownTimes.ReplaceAllString(body, `"timings_ms":{}`)
	return shownMark.ReplaceAllString(body, "hm=SIGNATURE")
}
