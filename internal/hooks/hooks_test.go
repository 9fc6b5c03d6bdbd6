package hooks_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/apierror"
)

func open(t testing.TB, list ...hooks.Hook) *hooks.Hooks {
	t.Helper()
	h, err := hooks.New(list, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestBefore checks that a hook refuses with a reason that the caller sees, and what happens if it fails.
func TestBefore(t *testing.T) {
	t.Parallel()
	fails := func(err error) func(context.Context, hooks.Call) error {
		return func(context.Context, hooks.Call) error { return err }
	}
	for _, tt := range []struct {
		name   string
		hook   hooks.Hook
		status int // 0: allowed
		text   string
	}{
		{"allowed", hooks.Hook{Before: fails(nil)}, 0, ""},
		{"refused", hooks.Hook{Before: fails(&hooks.Refusal{Reason: "not now"})}, http.StatusForbidden, "not now"},
		{"refused by a hook that fails open", hooks.Hook{Before: fails(&hooks.Refusal{Reason: "not now"}), FailOpen: true}, http.StatusForbidden, "not now"},
		{"failed", hooks.Hook{Before: fails(errors.New("broken"))}, http.StatusServiceUnavailable, "503: A hook did not answer"},
		{"failed open", hooks.Hook{Before: fails(errors.New("broken")), FailOpen: true}, 0, ""},
		{"of another event", hooks.Hook{Before: fails(&hooks.Refusal{}), Events: []string{hooks.LobbyEnd}}, 0, ""},
	} {
		tt.hook.Name = "test"
		err := open(t, tt.hook).Before(t.Context(), hooks.Message, hooks.MessageData{Channel: 310})
		e, ok := errors.AsType[*apierror.Error](err)
		switch {
		case tt.status == 0 && err != nil:
			t.Errorf("%s: Before() = %v, want no error", tt.name, err)
		case tt.status != 0 && (!ok || e.Status != tt.status || e.Message != tt.text):
			t.Errorf("%s: Before() = %v, want %d %s", tt.name, err, tt.status, tt.text)
		}
	}
	if err := (*hooks.Hooks)(nil).Before(t.Context(), hooks.Message, nil); err != nil {
		t.Errorf("Before() without hooks = %v", err)
	}
}

// TestBeforeHangs checks that a hook that ignores its context holds a request for its timeout only.
func TestBeforeHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := open(t, hooks.Hook{Name: "test", Timeout: 50 * time.Millisecond, Before: func(context.Context, hooks.Call) error {
			<-release
			return nil
		}})
		began := time.Now()
		if err := h.Before(t.Context(), hooks.Message, nil); !errors.Is(err, hooks.Unavailable) {
			t.Errorf("Before() = %v, want %v", err, hooks.Unavailable)
		}
		if took := time.Since(began); took != 50*time.Millisecond {
			t.Errorf("Before() took %v, want the timeout", took)
		}
		close(release)
	})
}

// TestCheck checks that a wrong hook is named.
func TestCheck(t *testing.T) {
	t.Parallel()
	before := func(context.Context, hooks.Call) error { return nil }
	for _, tt := range []struct {
		list []hooks.Hook
		want string
	}{
		{[]hooks.Hook{{Before: before}}, "name"},
		{[]hooks.Hook{{Name: "a", Before: before}, {Name: "a", Before: before}}, "name"},
		{[]hooks.Hook{{Name: "a"}}, "neither Before nor After"},
		{[]hooks.Hook{{Name: "a", Before: before, Events: []string{"lobby.kick"}}}, "lobby.kick"},
		{[]hooks.Hook{{Name: "a", Before: before, Timeout: time.Minute}}, "timeout"},
	} {
		if err := hooks.Check(tt.list); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Check(%+v) = %v, want an error with %q", tt.list, err, tt.want)
		}
	}
}

// BenchmarkBefore measures what a hook in process adds to a request, with its 99th percentile.
func BenchmarkBefore(b *testing.B) {
	h := open(b, hooks.Hook{Name: "test", Before: func(context.Context, hooks.Call) error { return nil }})
	data := hooks.InvocationData{Type: 2, Application: 100, Guild: 300, Channel: 310, User: 200, Command: "roll"}
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if err := h.Before(b.Context(), hooks.Invocation, data); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns/op")
}
