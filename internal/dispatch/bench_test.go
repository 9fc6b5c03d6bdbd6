package dispatch_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// openBench returns a fixture and the body of an invocation.
func openBench(b *testing.B) (*fixture, string) {
	d := open(b)
	d.events.off.Store(true)
	c := d.register(echo, 0, ping)
	return d, invokeBody(c, guild, general, "")
}

// startApp starts an app that reads requests and responds at once.
func startApp(b *testing.B, text string) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}))
	b.Cleanup(srv.Close)
	return srv
}

// callers is the number of round trips that run at the same time.
const callers = 16

// BenchmarkRoundTrip measures a whole invocation: checks, payload, signed POST, inline answer, stored message, events.
func BenchmarkRoundTrip(b *testing.B) {
	d, body := openBench(b)
	d.setEndpoint(echo, startApp(b, hello).URL)
	request := parse(b, body)
	b.ReportAllocs()
	b.SetParallelism(callers / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			w := dispatch.NewWatch()
			if _, err := d.Invoke(b.Context(), dispatch.InvokeRequest{User: ada, Body: request, Watch: w}); err != nil {
				b.Error(err)
				return
			}
			if out, err := w.Answer(b.Context()); err != nil || out.Result != dispatch.Answered {
				b.Errorf("%+v, %v", out, err)
				return
			}
		}
	})
}

// BenchmarkBareRoundTrip is the lower bound for BenchmarkRoundTrip: it signs and posts the same body and stores one
// record.
func BenchmarkBareRoundTrip(b *testing.B) {
	d, body := openBench(b)
	w := dispatch.NewWatch()
	if _, err := d.Invoke(b.Context(), dispatch.InvokeRequest{User: ada, Body: parse(b, body), Watch: w}); err != nil {
		b.Fatal(err)
	}
	payload := w.Now().Interaction
	srv := startApp(b, hello)
	key := ed25519.NewKeyFromSeed([]byte("0123456789abcdef0123456789abcdef"))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	b.Cleanup(client.CloseIdleConnections)
	var serial atomic.Uint64
	b.ReportAllocs()
	b.SetParallelism(callers / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			answer, err := signedPost(b.Context(), client, key, srv.URL, payload)
			if err != nil {
				b.Error(err)
				return
			}
			m := store.Message{ID: snowflake.Message(serial.Add(1)), Channel: general, Content: answer}
			if err := d.db.Commit(b.Context(), store.Change{Put: []store.Record{m}}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func signedPost(ctx context.Context, client *http.Client, key ed25519.PrivateKey, url string, body []byte) ([]byte, error) {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Signature-Timestamp", stamp)
	r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(key, append([]byte(stamp), body...))))
	res, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	return io.ReadAll(res.Body)
}

// BenchmarkInvoke measures an invocation up to the event for the bot.
func BenchmarkInvoke(b *testing.B) {
	d := open(b, func(c *dispatch.Config) {
		c.Limits = dispatch.Limits{All: 1 << 30, PerApplication: 1 << 30}
	})
	d.events.off.Store(true)
	c := d.register(echo, 0, ping)
	request := parse(b, invokeBody(c, guild, general, ""))
	b.ReportAllocs()
	b.SetParallelism(callers / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := d.Invoke(b.Context(), dispatch.InvokeRequest{User: ada, Body: request}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkOpenDeferred measures the memory of open deferred interactions.
func BenchmarkOpenDeferred(b *testing.B) {
	d, body := openBench(b)
	d.setEndpoint(echo, startApp(b, deferred).URL)
	request := parse(b, body)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		w := dispatch.NewWatch()
		if _, err := d.Invoke(b.Context(), dispatch.InvokeRequest{User: ada, Body: request, Watch: w}); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Answer(b.Context()); err != nil {
			b.Fatal(err)
		}
		w.Close()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(max(float64(after.HeapAlloc)-float64(before.HeapAlloc), 0)/float64(b.N), "B/open")
}
