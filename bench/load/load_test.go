package load_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bench/load"
)

var get = []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")

func serve(t *testing.T, handler http.HandlerFunc) (addr string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestTargetRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		handler http.HandlerFunc
		body    uint64
	}{
		{
			name:    "content length",
			handler: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") },
			body:    5,
		},
		{
			name: "chunked",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "hello")
				_ = http.NewResponseController(w).Flush()
				_, _ = io.WriteString(w, ", you")
			},
			body: 10,
		},
		{
			name: "the server closes after each answer",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Connection", "close")
				_, _ = io.WriteString(w, "bye")
			},
			body: 3,
		},
		{
			name:    "no body",
			handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var served atomic.Uint64
			target := load.Target{
				Addr: serve(t, func(w http.ResponseWriter, r *http.Request) {
					served.Add(1)
					tt.handler(w, r)
				}),
				Connections: 3,
				Requests:    load.Repeat(get),
			}
			length := 50 * time.Millisecond
			got, err := target.Run(t.Context(), length)
			for ; err == nil && got.Requests == 0; length *= 2 { // on a busy machine there may be no response in time
				served.Store(0)
				got, err = target.Run(t.Context(), 2*length)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Requests == 0 || got.Requests > served.Load() || got.Requests+3 < served.Load() {
				t.Errorf("Requests = %d, the server counted %d; all but the last of each connection count", got.Requests, served.Load())
			}
			if got.Bytes != got.Requests*tt.body {
				t.Errorf("Bytes = %d, want %d for each of %d", got.Bytes, tt.body, got.Requests)
			}
			if got.Elapsed != length {
				t.Errorf("Elapsed = %v, want %v", got.Elapsed, length)
			}
			if got.Latency.Count() != got.Requests {
				t.Errorf("Latency.Count() = %d, want %d", got.Latency.Count(), got.Requests)
			}
		})
	}
}

func TestTargetSendsWhatTheSourceGives(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 16)
	target := load.Target{
		Addr: serve(t, func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			bodies <- r.Method + string(body)
		}),
		Connections: 2,
		Requests: func(connection int) func() []byte {
			left := 3
			return func() []byte {
				if left--; left < 0 {
					return nil
				}
				return []byte("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n" + string(rune('a'+connection)))
			}
		},
	}
	got, err := target.Drain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Requests != 6 {
		t.Errorf("Drain() answered %d requests, want 6", got.Requests)
	}
	close(bodies)
	seen := map[string]int{}
	for body := range bodies {
		seen[body]++
	}
	if len(seen) != 2 || seen["PUTa"] != 3 || seen["PUTb"] != 3 {
		t.Errorf("the server received %v, want each body three times", seen)
	}
}

func TestTargetFailures(t *testing.T) {
	t.Parallel()
	t.Run("a refused request fails the run and is counted", func(t *testing.T) {
		t.Parallel()
		var served atomic.Uint64
		target := load.Target{
			Addr: serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if served.Add(1) == 2 { // each connection sends at least one
					http.Error(w, "no more", http.StatusTooManyRequests)
				}
			}),
			Connections: 2,
			Requests:    load.Repeat(get),
		}
		_, err := target.Run(t.Context(), 20*time.Millisecond)
		refused, ok := errors.AsType[*load.RefusedError](err)
		if !ok || refused.Count != 1 || refused.Status != http.StatusTooManyRequests || !strings.Contains(refused.Body, "no more") {
			t.Errorf("Run() = %v, want one refusal with status 429 and its body", err)
		}
	})
	t.Run("a broken connection fails the run", func(t *testing.T) {
		t.Parallel()
		target := load.Target{
			Addr:        serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
			Connections: 1,
			Requests:    load.Repeat(get),
		}
		if _, err := target.Run(t.Context(), time.Second); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Run() = %v, want %v", err, io.ErrUnexpectedEOF)
		}
	})
	t.Run("the end of the context ends a run that waits", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		target := load.Target{
			Addr: serve(t, func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			}),
			Connections: 1,
			Requests:    load.Repeat(get),
		}
		if _, err := target.Run(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("Run() = %v, want %v", err, context.Canceled)
		}
	})
	t.Run("no server", func(t *testing.T) {
		t.Parallel()
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		target := load.Target{Addr: listener.Addr().String(), Connections: 1, Requests: load.Repeat(get)}
		if _, err := target.Run(t.Context(), time.Second); err == nil {
			t.Error("Run() = nil, want an error")
		}
	})
}
