package hooks_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
)

func open(t testing.TB, list ...hooks.Hook) *hooks.Hooks {
	t.Helper()
	h, _ := openMeasured(t, list...)
	return h
}

// noStore is a store that nothing is written to.
type noStore struct{ store.Store }

func (noStore) Subscribe(func(*store.Change)) {}

func openMeasured(t testing.TB, list ...hooks.Hook) (*hooks.Hooks, *metrics.Metrics) {
	t.Helper()
	m := metrics.New("test")
	log := slog.New(slog.DiscardHandler)
	deliveries := outbox.New(outbox.Config{Store: noStore{}, Clock: clock.System{}, Log: log, Metrics: metrics.New("test")})
	h, err := hooks.New(list, hooks.Config{Outbox: deliveries, Clock: clock.System{}, Log: log, Metrics: m})
	if err != nil {
		t.Fatal(err)
	}
	return h, m
}

// answering returns a hook that returns an error, and changes something if change is not empty.
func answering(err error, change string) func(context.Context, *hooks.Call) error {
	return func(_ context.Context, c *hooks.Call) error {
		if change != "" {
			c.Change = []byte(change)
		}
		return err
	}
}

// TestBefore checks that a hook refuses with a reason that the caller sees, and what happens if it fails.
func TestBefore(t *testing.T) {
	t.Parallel()
	refuse := answering(&hooks.Refusal{Reason: "not now"}, "")
	for _, tt := range []struct {
		name   string
		hook   hooks.Hook
		status int // 0: allowed
		text   string
	}{
		{"allowed", hooks.Hook{Before: answering(nil, "")}, 0, ""},
		{"refused", hooks.Hook{Before: refuse}, http.StatusForbidden, "not now"},
		{"refused without a reason", hooks.Hook{Before: answering(&hooks.Refusal{}, "")}, http.StatusForbidden, "403: A hook refused the request"},
		{"a long reason", hooks.Hook{Before: answering(&hooks.Refusal{Reason: strings.Repeat("ü", 600)}, "")}, http.StatusForbidden, strings.Repeat("ü", 500)},
		{"refused by a hook that fails open", hooks.Hook{Before: refuse, FailOpen: true}, http.StatusForbidden, "not now"},
		{"failed", hooks.Hook{Before: answering(errors.New("broken"), "")}, http.StatusServiceUnavailable, "503: A hook did not answer"},
		{"failed open", hooks.Hook{Before: answering(errors.New("broken"), ""), FailOpen: true}, 0, ""},
		{"of another event", hooks.Hook{Before: refuse, BeforeEvents: []string{hooks.LobbyEnd}}, 0, ""},
		{"a change that is not an object", hooks.Hook{Before: answering(nil, `"x"`)}, http.StatusServiceUnavailable, "503: A hook did not answer"},
		{"a change that is not JSON", hooks.Hook{Before: answering(nil, `{`)}, http.StatusServiceUnavailable, "503: A hook did not answer"},
		{"a change with a name twice", hooks.Hook{Before: answering(nil, `{"content":"a","content":"b"}`)}, http.StatusServiceUnavailable, "503: A hook did not answer"},
		{"a change of what cannot be changed", hooks.Hook{Before: answering(nil, `{"user_id":"1"}`)}, http.StatusServiceUnavailable, "503: A hook did not answer"},
		{"the same by a hook that fails open", hooks.Hook{Before: answering(nil, `{"user_id":"1"}`), FailOpen: true}, 0, ""},
		{"no change", hooks.Hook{Before: answering(nil, `{}`)}, 0, ""},
	} {
		tt.hook.Name = "test"
		changed, err := open(t, tt.hook).Before(t.Context(), hooks.Message, hooks.MessageData{Channel: 310})
		e, ok := errors.AsType[*apierror.Error](err)
		switch {
		case tt.status == 0 && (err != nil || changed.Changes("content")):
			t.Errorf("%s: Before() = %v, %v, want no change and no error", tt.name, changed, err)
		case tt.status != 0 && (!ok || e.Status != tt.status || e.Message != tt.text):
			t.Errorf("%s: Before() = %v, want %d %s", tt.name, err, tt.status, tt.text)
		}
	}
	if _, err := (*hooks.Hooks)(nil).Before(t.Context(), hooks.Message, nil); err != nil {
		t.Errorf("Before() without hooks = %v", err)
	}
}

// TestBeforeChanges checks that the next hook sees what the hook before it changed, and that the last change counts.
func TestBeforeChanges(t *testing.T) {
	t.Parallel()
	var seen string
	h, m := openMeasured(
		t,
		hooks.Hook{Name: "first", Before: answering(nil, `{"content":"one"}`)},
		hooks.Hook{Name: "second", Before: func(_ context.Context, c *hooks.Call) error {
			seen = string(c.Data)
			c.Change = []byte(`{"content":"two"}`)
			return nil
		}},
		hooks.Hook{Name: "third", Before: answering(nil, "")},
	)
	changed, err := h.Before(t.Context(), hooks.Message, hooks.MessageData{Channel: 310, User: 200, Content: "zero"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"bot":false,"channel_id":"310","content":"one","user_id":"200"}`; seen != want {
		t.Errorf("the second hook sees %s, want %s", seen, want)
	}
	body := jsonbody.ObjectOf(jsonbody.Member{Name: "content", Value: jsonbody.StringOf("zero")}, jsonbody.Member{Name: "tts", Value: jsonbody.BoolOf(true)})
	after := changed.Apply(body, "content", "content")
	if after.Get("content").Text() != "two" || after.Get("tts").String() != "true" {
		t.Errorf("Apply() = %v %v, want the content of the second hook, and the rest of the body", after.Get("content"), after.Get("tts"))
	}
	if list := changed.Apply(jsonbody.ListOf(), "content", "content"); list.Kind() != jsonbody.List {
		t.Errorf("Apply() makes an object of a list")
	}
	for name, want := range map[string]string{"first": "changed", "third": "allowed"} {
		line := `bellhop_hook_calls_total{hook="` + name + `",outcome="` + want + `"} 1`
		if text := exposed(t, m); !strings.Contains(text, line) {
			t.Errorf("the metrics have no line %s", line)
		}
	}
}

// exposed returns the metrics as Prometheus reads them.
func exposed(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// TestBeforeHangs checks that a hook that ignores its context holds a request for its timeout only, and cannot change anything
// afterwards.
func TestBeforeHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := open(t, hooks.Hook{Name: "test", FailOpen: true, Timeout: 50 * time.Millisecond, Before: func(_ context.Context, c *hooks.Call) error {
			<-release
			c.Change = []byte(`{"content":"late"}`)
			return nil
		}})
		began := time.Now()
		changed, err := h.Before(t.Context(), hooks.Message, hooks.MessageData{})
		if err != nil || changed.Changes("content") {
			t.Errorf("Before() = %v, %v, want no change: the hook fails open", changed, err)
		}
		if took := time.Since(began); took != 50*time.Millisecond {
			t.Errorf("Before() took %v, want the timeout", took)
		}
		close(release)
		synctest.Wait()
		if s := h.Status()[0]; s.Failures != 1 || s.Failure != "the hook took too long" || !s.Failed.Equal(began) {
			t.Errorf("Status() = %+v, want one failure", s)
		}
		if _, err := h.Before(t.Context(), hooks.Message, hooks.MessageData{}); err != nil {
			t.Fatal(err)
		}
		if s := h.Status()[0]; s.Failures != 0 || s.Worked.IsZero() {
			t.Errorf("Status() = %+v, want no failures any more", s)
		}
	})
}

// TestBeforeIsBounded checks that calls fail at once while too many hang, and that calls of another hook do not.
func TestBeforeIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(
			t,
			hooks.Hook{Name: "hangs", BeforeEvents: []string{hooks.Message}, Before: func(ctx context.Context, _ *hooks.Call) error {
				<-ctx.Done()
				return ctx.Err()
			}},
			hooks.Hook{Name: "works", BeforeEvents: []string{hooks.LobbyEnd}, Before: answering(nil, "")},
		)
		for range 256 {
			go h.Before(t.Context(), hooks.Message, nil) //nolint:errcheck // it ends with its timeout
		}
		synctest.Wait()
		began := time.Now()
		if _, err := h.Before(t.Context(), hooks.Message, nil); !errors.Is(err, hooks.Unavailable) || time.Since(began) != 0 {
			t.Errorf("Before() = %v after %v, want %v at once", err, time.Since(began), hooks.Unavailable)
		}
		if _, err := h.Before(t.Context(), hooks.LobbyEnd, nil); err != nil {
			t.Errorf("Before() of another hook = %v", err)
		}
		synctest.Wait()
	})
}

// TestPanic checks that a hook that panics has failed, before and after, and does not end the program.
func TestPanic(t *testing.T) {
	t.Parallel()
	h := open(t, hooks.Hook{
		Name: "test", Before: func(context.Context, *hooks.Call) error { panic("oh") }, After: func(context.Context, hooks.Call) error { panic("oh") },
	})
	if _, err := h.Before(t.Context(), hooks.Message, hooks.MessageData{}); !errors.Is(err, hooks.Unavailable) {
		t.Errorf("Before() = %v, want %v", err, hooks.Unavailable)
	}
	if err := h.Deliver(t.Context(), `{"event":"message","data":{}}`); err == nil || err.Error() != "the hook panicked: oh" {
		t.Errorf("the delivery ended with %v", err)
	}
	if s := h.Status()[0]; s.Failures != 2 {
		t.Errorf("Status() = %+v, want two failures", s)
	}
}

// TestAfterIsBounded checks that calls after that ignore their contexts do not become more and more.
func TestAfterIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := open(t, hooks.Hook{Name: "test", After: func(context.Context, hooks.Call) error {
			<-release
			return nil
		}})
		for n := range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := h.Deliver(ctx, `{"event":"message","data":{}}`)
			cancel()
			want := "the hook took too long"
			if n >= 16 {
				want = "too many calls of the hook are in progress"
			}
			if err == nil || err.Error() != want {
				t.Errorf("delivery %d ended with %v, want %s", n, err, want)
			}
		}
		close(release)
		synctest.Wait()
		if err := h.Deliver(t.Context(), `{"event":"message","data":{}}`); err != nil {
			t.Errorf("the last delivery ended with %v", err)
		}
	})
}

// TestClose checks that Close waits for the calls in progress, but not for ever.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ goesOn, waits time.Duration }{{100 * time.Millisecond, 100 * time.Millisecond}, {time.Minute, 5 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, hooks.Hook{Name: "test", Before: func(ctx context.Context, _ *hooks.Call) error {
				<-ctx.Done()
				time.Sleep(tt.goesOn)
				return nil
			}})
			if _, err := h.Before(t.Context(), hooks.Message, nil); !errors.Is(err, hooks.Unavailable) {
				t.Errorf("Before() = %v, want %v", err, hooks.Unavailable)
			}
			began := time.Now()
			h.Close(t.Context())
			if took := time.Since(began); took != tt.waits {
				t.Errorf("Close() took %v, want %v", took, tt.waits)
			}
			time.Sleep(tt.goesOn)
		})
	}
}

// TestCheck checks that a wrong hook is named.
func TestCheck(t *testing.T) {
	t.Parallel()
	before := answering(nil, "")
	for _, tt := range []struct {
		list []hooks.Hook
		want string
	}{
		{[]hooks.Hook{{Before: before}}, "name"},
		{[]hooks.Hook{{Name: "a", Before: before}, {Name: "a", Before: before}}, "name"},
		{[]hooks.Hook{{Name: "a"}}, "neither Before nor After"},
		{[]hooks.Hook{{Name: "a", Before: before, BeforeEvents: []string{"lobby.kick"}}}, "lobby.kick"},
		{[]hooks.Hook{{Name: "a", Before: before, AfterEvents: []string{"mesage"}}}, "did you mean message?"},
		{[]hooks.Hook{{Name: "a", Before: before, Timeout: time.Minute}}, "timeout"},
		{make([]hooks.Hook, hooks.MaxHooks+1), "the most are 64"},
	} {
		if err := hooks.Check(tt.list); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Check(%+v) = %v, want an error with %q", tt.list, err, tt.want)
		}
	}
}

// BenchmarkBefore measures what a hook in process adds to a request, with its 99th percentile.
func BenchmarkBefore(b *testing.B) {
	h := open(b, hooks.Hook{Name: "test", Before: answering(nil, "")})
	data := hooks.InvocationData{Type: 2, Application: 100, Guild: 300, Channel: 310, User: 200, Command: "roll"}
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if _, err := h.Before(b.Context(), hooks.Invocation, data); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns/op")
}
