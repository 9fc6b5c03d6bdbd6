package webhook_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/webhook"
)

// payload is about as large as a command interaction in a guild.
var payload = []byte(`{"type":2,"data":"` + string(bytes.Repeat([]byte("x"), 1500)) + `"}`)

func benchServer(b *testing.B) string {
	b.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answerJSON(w, `{"type":4,"data":{"content":"hi"}}`)
	}))
	b.Cleanup(s.Close)
	return s.URL
}

func benchDelivery(b *testing.B) (*webhook.Deliverer, webhook.Delivery) {
	b.Helper()
	d := webhook.New(webhook.Config{
		Clock: clock.System{}, Metrics: metrics.New("bench"), Log: slog.New(slog.DiscardHandler), Policy: webhook.Development(),
	})
	b.Cleanup(d.Close)
	return d, webhook.Delivery{Application: 100, URL: benchServer(b), Key: seed, Body: payload, Deadline: time.Now().Add(time.Hour)}
}

func BenchmarkDeliver(b *testing.B) {
	d, v := benchDelivery(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Deliver(b.Context(), v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDeliverParallel(b *testing.B) {
	d, v := benchDelivery(b)
	b.SetParallelism(8)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := d.Deliver(b.Context(), v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// bare signs and posts without the rest of the package. The benchmarks compare with it.
func bare(b *testing.B, c *http.Client, url string, key ed25519.PrivateKey) {
	b.Helper()
	ts := strconv.FormatInt(time.Now().Unix(), 10)
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, bytes.NewReader(payload))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Signature-Timestamp", ts)
	req.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(key, append([]byte(ts), payload...))))
	res, err := c.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.ReadAll(res.Body)
	_ = res.Body.Close()
}

func benchBare(b *testing.B) (*http.Client, string, ed25519.PrivateKey) {
	b.Helper()
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}, Timeout: 3 * time.Second}
	b.Cleanup(c.CloseIdleConnections)
	return c, benchServer(b), ed25519.NewKeyFromSeed(seed)
}

func BenchmarkBare(b *testing.B) {
	c, url, key := benchBare(b)
	b.ReportAllocs()
	for b.Loop() {
		bare(b, c, url, key)
	}
}

func BenchmarkBareParallel(b *testing.B) {
	c, url, key := benchBare(b)
	b.SetParallelism(8)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			bare(b, c, url, key)
		}
	})
}

func BenchmarkReserved(b *testing.B) {
	public := addrs("8.8.8.8", "2606:4700::1")
	b.ReportAllocs()
	for b.Loop() {
		for _, a := range public {
			_, _ = webhook.Reserved(a)
		}
	}
}
