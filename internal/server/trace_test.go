package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestTraces checks that a write leaves a trace with the request and the commit, and that responses have request ids.
func TestTraces(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got strings.Builder
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.Copy(&got, r.Body) // a lost span fails the test
	}))
	defer collector.Close()
	t.Run("service", func(t *testing.T) { // its end sends the last spans
		r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t), OTLP: collector.URL})
		// Unlike /healthz, which answers before the service is open, this request waits for the service.
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/api/v10/gateway", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if id := response.Header.Get("X-Request-Id"); len(id) != 16 {
			t.Errorf("X-Request-Id = %q, want 16 digits", id)
		}
		ask(t, "POST", r.base+"/api/v10/applications/"+echo+"/commands", strings.NewReader(`{"name":"roll","description":"x"}`))
		if log := r.log.String(); !strings.Contains(log, `"trace_id":"0af7651916cd43dd8448eb211c80319c"`) {
			t.Errorf("the log does not name the trace:\n%s", log)
		}
	})
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{`"traceId":"0af7651916cd43dd8448eb211c80319c"`, `"store commit"`, `"name":"POST /`, `"http.response.status_code"`} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("the collector did not get %s:\n%s", want, got.String())
		}
	}
}

// TestLogLevel checks that an operator can change the level of the log, and that the audit log has the change.
func TestLogLevel(t *testing.T) {
	t.Parallel()
	level := &slog.LevelVar{}
	r := runServer(t, Config{Data: t.TempDir(), LogLevel: level})
	secret, err := r.server.Operators().CreateFirst(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	operator, url := "Bearer "+secret.Reveal(), r.base+"/admin/v1/log-level"
	if status, text := askAs(t, operator, "GET", url, nil); status != 200 || text != `{"level":"info"}` {
		t.Errorf("GET log-level = %d %s, want info", status, text)
	}
	if status, text := askAs(t, operator, "PUT", url, strings.NewReader(`{"level":"debug"}`)); status != 200 || level.Level() != slog.LevelDebug {
		t.Errorf("PUT log-level = %d %s, and the level is %s, want debug", status, text, level.Level())
	}
	for _, wrong := range []string{`{"level":"loud"}`, `{"level":"DEBUG"}`, `{"level":"info+1"}`, `{}`} {
		if status, text := askAs(t, operator, "PUT", url, strings.NewReader(wrong)); status != 400 || level.Level() != slog.LevelDebug {
			t.Errorf("PUT log-level %s = %d %s, want 400", wrong, status, text)
		}
	}
	if status, _ := ask(t, "PUT", url, strings.NewReader(`{"level":"error"}`)); status != 401 {
		t.Errorf("PUT log-level with a bot token = %d, want 401", status)
	}
	if _, text := askAs(t, operator, "GET", r.base+"/admin/v1/audit?action=log-level.update", nil); !strings.Contains(text, `"debug"`) {
		t.Errorf("the audit log has no entry about the level: %s", text)
	}
}
