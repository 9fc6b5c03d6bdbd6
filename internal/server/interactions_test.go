package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/world"
)

// runWithApp runs a service with one app that has a command.
func runWithApp(t *testing.T, app http.HandlerFunc) running {
	t.Helper()
	srv := httptest.NewServer(app)
	t.Cleanup(srv.Close)
	w, err := world.Parse("world.yaml", []byte(`
users: [{id: "700000000000000001", username: ada, token: user-ada}]
applications: [{id: "`+echo+`", name: Echo, owner: "700000000000000001", bot_token: `+token+`, client_secret: hush, interactions_endpoint_url: "`+srv.URL+`"}]
guilds:
  - id: "900000000000000001"
    name: Lab
    owner: "700000000000000001"
    channels: [{id: "900000000000000010", name: general}]
    members: [{user: "700000000000000001"}]
    installs: [{application: "`+echo+`", scopes: [bot, applications.commands]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	r := runServer(t, Config{Data: t.TempDir(), World: &w, Dev: true})
	if status, text := ask(t, "POST", r.base+"/api/v10/applications/"+echo+"/commands", strings.NewReader(`{"name":"go","description":"Go"}`)); status != 201 {
		t.Fatalf("register: %d %s", status, text)
	}
	return r
}

func (r running) invoke(t *testing.T, wait string) (int, string) {
	t.Helper()
	return ask(t, "POST", r.base+"/_dev/invoke", strings.NewReader(`{"as":"ada","in":"Lab/general","command":"/go","wait":"`+wait+`"}`))
}

// TestTrafficOutcomes invokes commands as the tools do, without a session of the user, and finds how they ended.
func TestTrafficOutcomes(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	r := runWithApp(t, func(w http.ResponseWriter, _ *http.Request) {
		if failing.Load() {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":5}`)
	})
	outcomes := func() string {
		_, text := ask(t, "GET", r.base+"/_dev/requests?kind=outcome", nil)
		return text
	}
	r.invoke(t, "answer")
	if got := outcomes(); strings.Count(got, `"kind":"outcome"`) != 1 || !strings.Contains(got, `"outcome":"deferred"`) || !strings.Contains(got, `"path":"/go"`) {
		t.Errorf("the outcomes of a deferred command are %s", got)
	}
	if status, text := ask(t, "POST", r.base+"/_dev/clock", strings.NewReader(`{"advance":"16m"}`)); status != 200 {
		t.Fatalf("move the clock: %d %s", status, text)
	}
	if got := outcomes(); strings.Count(got, `"kind":"outcome"`) != 2 || !strings.Contains(got, `"error":"the app did not fill in its deferred answer"`) {
		t.Errorf("the outcomes after 16 minutes are %s", got)
	}
	failing.Store(true)
	r.invoke(t, "answer")
	if got := outcomes(); strings.Count(got, `"outcome":"failed"`) != 2 || !strings.Contains(got, "500") {
		t.Errorf("the outcomes after a failed command are %s", got)
	}
}

// TestFaultyApps invokes commands of faulty apps. The user gets the reason, and the next invocation works.
func TestFaultyApps(t *testing.T) {
	t.Parallel()
	const (
		good     = `{"type":4,"data":{"content":"Hello"}}`
		timedOut = `"reason_code":2`
	)
	say := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text) // the service may stop reading
	}
	for _, tt := range []struct {
		name string
		app  http.HandlerFunc
		want []string // parts of the response
	}{
		{"hangs", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, []string{`"outcome":"failed"`, timedOut, `"reason":"Echo did not answer: timeout after `, ` ms (request 2): no complete answer`}},
		{"answers 503", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no database", http.StatusServiceUnavailable)
		}, []string{`"outcome":"failed"`, `"reason":"Echo answered 503 after `, `: no database"`}},
		{"answers an invalid field", func(w http.ResponseWriter, _ *http.Request) {
			say(w, `{"type":4,"data":{"content":7}}`)
		}, []string{`"outcome":"failed"`, `"reason":"Echo answered 200 with an invalid answer after `, `: data.content: `}},
		{"answers late", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case <-r.Context().Done():
			case <-time.After(4 * time.Second):
				say(w, good)
			}
		}, []string{`"outcome":"failed"`, timedOut}},
		{"resets the connection", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}, []string{`"outcome":"failed"`, `"reason_code":1`}},
		{"answers garbage", func(w http.ResponseWriter, _ *http.Request) { say(w, `{"type":4,"data":`) }, []string{`"outcome":"failed"`, `"reason_code":1`}},
		{"answers what is no answer", func(w http.ResponseWriter, _ *http.Request) { say(w, `{"type":8}`) }, []string{`"outcome":"failed"`, `"reason_code":1`}},
		{"answers twice in one", func(w http.ResponseWriter, _ *http.Request) { say(w, good+good) }, []string{`"outcome":"failed"`, `"reason_code":1`}},
		{"answers 100 MB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			page := strings.Repeat("x", 1<<20)
			for range 100 {
				if _, err := io.WriteString(w, page); err != nil {
					return
				}
			}
		}, []string{`"outcome":"failed"`, `"reason_code":1`}},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, []string{`"outcome":"failed"`, `"reason_code":1`}},
		{"answers well", func(w http.ResponseWriter, _ *http.Request) { say(w, good) }, []string{`"outcome":"answered"`, `"content":"Hello"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := runWithApp(t, tt.app)
			status, text := r.invoke(t, "answer")
			late := slices.Contains(tt.want, timedOut)
			for n := 0; n < 5 && !late && strings.Contains(text, timedOut); n++ { // a busy machine took longer than an app may
				status, text = r.invoke(t, "answer")
			}
			for _, part := range tt.want {
				if status != 200 || !strings.Contains(text, part) {
					t.Errorf("%d %s, want %s", status, text, part)
				}
			}
			if status, text := ask(t, "GET", r.base+"/readyz", nil); status != 200 {
				t.Errorf("afterwards: %d %s", status, text)
			}
			if err := r.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOfflineApp invokes a command of an app with neither a gateway session nor an endpoint.
func TestOfflineApp(t *testing.T) {
	t.Parallel()
	r := runWithApp(t, func(http.ResponseWriter, *http.Request) { t.Error("the app was called") })
	if status, text := ask(t, "PATCH", r.base+"/api/v10/applications/@me", strings.NewReader(`{"interactions_endpoint_url":null}`)); status != 200 {
		t.Fatalf("removing the endpoint: %d %s", status, text)
	}
	status, text := r.invoke(t, "answer")
	const want = `"outcome":"failed","reason":"Echo is offline: no gateway session and no endpoint URL","reason_code":1,"interaction":null`
	if status != 200 || !strings.Contains(text, want) || !strings.Contains(text, `"delivered":0,`) {
		t.Errorf("%d %s, want %s", status, text, want)
	}
	if status, text := ask(t, "GET", r.base+"/_dev/applications", nil); status != 200 || !strings.Contains(text, `"status":{"state":"offline","detail":"`) {
		t.Errorf("the status of the app: %d %s", status, text)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
}

// TestStopWhileWaiting stops a service while a developer waits for a deferred response.
func TestStopWhileWaiting(t *testing.T) {
	t.Parallel()
	answered := make(chan struct{}, 1)
	r := runWithApp(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":5}`)
		answered <- struct{}{}
	})
	came := make(chan string, 1)
	go func() {
		status, text := r.invoke(t, "final")
		came <- fmt.Sprint(status, " ", text)
	}()
	<-answered
	began := time.Now()
	if err := r.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if got := <-came; !strings.HasPrefix(got, "503 ") {
		t.Errorf("the waiting request gets %s", got)
	}
	if took := time.Since(began); took >= drainTime { // it must not wait for the app
		t.Errorf("stopping took %v", took)
	}
}
