package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/rogpeppe/go-internal/testscript"
)

// serveSlowly runs a service with the demo world and a slow clock, so an app is never too late, and returns its URL.
func serveSlowly(t *testing.T) string {
	t.Helper()
	w := world.Demo()
	srv, err := server.Open(t.Context(), server.Config{
		Clock: engines.NewSlowClock(), Data: t.TempDir(), World: &w, Dev: true, Volatile: true, Version: "test",
		Log: slog.New(slog.DiscardHandler), Limits: ratelimit.Off(),
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(nil)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context())) // the context of the test ends before its cleanup
	done := make(chan error, 1)
	go func() { done <- srv.Run(ctx, web.Listener) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, srv.Close(context.WithoutCancel(ctx))); err != nil {
			t.Error(err)
		}
	})
	return "http://" + web.Listener.Addr().String()
}

// dice starts an app whose response depends on the option "how", and returns its URL. The response to "held" waits until the
// channel is closed.
func dice(t *testing.T, release <-chan struct{}) string {
	t.Helper()
	answers := map[string]string{
		"":        `{"type":4,"data":{"content":"You rolled\na 4","embeds":[{"title":"Fair","description":"dice"}],"components":[{"type":1,"components":[{"type":2,"style":1,"label":"Again","custom_id":"again"}]}]}}`,
		"quietly": `{"type":4,"data":{"content":"A 4","flags":64}}`,
		"later":   `{"type":5}`,
		"form":    `{"type":9,"data":{"custom_id":"bet","title":"Your bet","components":[{"type":18,"label":"How much","component":{"type":4,"custom_id":"sum","style":1}}]}}`,
		"garbage": `not JSON`,
		"held":    `{"type":4,"data":{"content":"At last"}}`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body, err := jsonbody.Parse(text)
		if err != nil {
			t.Error(err)
		}
		how := ""
		for _, o := range body.Get("data").Get("options").Items() {
			if o.Get("name").Text() == "how" {
				how = o.Get("value").Text()
			}
		}
		if how == "held" {
			<-release
		}
		answer := answers[how]
		if body.Get("type").Text() == "4" {
			answer = `{"type":8,"data":{"choices":[{"name":"Quietly","value":"quietly"},{"name":"Later","value":"later"}]}}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer) // if this fails, the service reports it
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestInvoke runs the script testdata/invoke.txtar against a service with an app.
func TestInvoke(t *testing.T) {
	t.Parallel()
	p := &engines.Node{Base: serveSlowly(t)}
	const (
		app    = "1100000000000000100"
		absent = "1100000000000000109"
		token  = "Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only"
	)
	held := make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	for _, ask := range [][2]string{
		{"/_dev/world", `{"applications":[{"id":"` + app + `","name":"Dice","owner":"1100000000000000200","interactions_endpoint_url":"` + dice(t, held) + `"}]}`},
		{"/api/v10/applications/" + app + "/commands", `{"name":"roll","description":"Roll dice","name_localizations":{"de":"wirf"},"options":[
			{"type":4,"name":"sides","description":"How many sides","required":true,"min_value":2},
			{"type":3,"name":"how","description":"In which way","autocomplete":true}]}`},
		{"/_dev/world", `{"applications":[{"id":"` + absent + `","name":"Absent","owner":"1100000000000000200","bot_token":"token-absent",
			"integration_types":[0,1]}],"user_installs":[{"user":"1100000000000000200","application":"` + absent + `"}]}`},
		{"/api/v10/applications/" + absent + "/commands", `{"name":"hello","description":"Say hello"}`},
	} {
		caller := token
		if strings.Contains(ask[0], absent) {
			caller = "Bot token-absent"
		}
		status, body, err := p.Send(t.Context(), http.MethodPost, ask[0], caller, ask[1])
		if err != nil || status >= http.StatusMultipleChoices {
			t.Fatalf("%s: %d %s %v", ask[0], status, body, err)
		}
	}
	t.Cleanup(release) // before the app closes

	t.Run("scripts", func(t *testing.T) { // waits for the scripts before the service stops
		testscript.Run(t, testscript.Params{
			Files: []string{"testdata/invoke.txtar"},
			Setup: func(e *testscript.Env) error {
				e.Setenv("BELLHOP_BASE_URL", p.Base)
				return nil
			},
		})
	})
	release()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, seen, err := p.Send(t.Context(), http.MethodGet, "/_dev/requests?kind=delivery", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(seen, `"kind":"delivery"`) == 14 && strings.Count(seen, `"X-Signature-Ed25519"`) == 14 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after 30 s there are not 14 signed deliveries: %s", seen)
		}
	}
}
