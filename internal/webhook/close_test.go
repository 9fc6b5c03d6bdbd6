package webhook_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/webhook"
)

func TestCloseCancelsDeliveries(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 10), make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	defer close(release)
	d := newFixture(t, nil)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, err := d.Deliver(t.Context(), d.to(s.URL)); !errors.Is(err, webhook.ErrClosed) {
				t.Errorf("Deliver() = %v, want %v", err, webhook.ErrClosed)
			}
		})
	}
	for range 10 {
		<-arrived
	}
	d.Close()
	wg.Wait()
	d.Close() // Close may be called twice
	if _, err := d.deliver(s.URL); !errors.Is(err, webhook.ErrClosed) {
		t.Errorf("Deliver() = %v after Close, want %v", err, webhook.ErrClosed)
	}
	for _, name := range []string{"bellhop_webhook_connections", "bellhop_webhook_in_flight"} {
		if got := d.number(name); got != "0" {
			t.Errorf("%s = %s after Close, want 0", name, got)
		}
	}
}

func TestCloseEndsDials(t *testing.T) {
	t.Parallel()
	m := clock.NewMovable(stillClock{})
	dialing, over := make(chan struct{}), make(chan struct{})
	d := newFixture(t, func(c *webhook.Config) {
		c.Clock = m
		c.Policy.Connect = time.Hour
		c.Connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
			close(dialing)
			<-ctx.Done()
			close(over)
			return nil, ctx.Err()
		}
	})
	d.within = appTime
	go func() { // ends with the dial
		<-dialing
		m.Advance(appTime)
	}()
	d.fail("http://127.0.0.1:9999/", webhook.Timeout)
	d.Close()
	select {
	case <-over:
	default:
		t.Error("the dial still runs after Close")
	}
}

func TestCloseLateConnection(t *testing.T) {
	t.Parallel()
	dialing := make(chan struct{})
	here, there := net.Pipe()
	d := newFixture(t, func(c *webhook.Config) {
		c.Connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
			close(dialing)
			<-ctx.Done()
			return here, nil
		}
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := d.deliver("http://127.0.0.1:9999/"); !errors.Is(err, webhook.ErrClosed) {
			t.Errorf("Deliver() = %v, want %v", err, webhook.ErrClosed)
		}
	})
	<-dialing
	d.Close()
	wg.Wait()
	if _, err := there.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the server reads %v, want EOF", err)
	}
}

func TestCloseDuringDeliveries(t *testing.T) {
	t.Parallel()
	s := serve(t, pong)
	d := newFixture(t, nil)
	var wg sync.WaitGroup
	var answered atomic.Int64
	begun := make(chan struct{}, 1)
	for range 16 {
		wg.Go(func() {
			for {
				_, err := d.Deliver(t.Context(), d.to(s.URL))
				if errors.Is(err, webhook.ErrClosed) {
					return
				}
				if err != nil {
					t.Errorf("Deliver() = %v, want an answer or %v", err, webhook.ErrClosed)
					return
				}
				if answered.Add(1) == 100 {
					begun <- struct{}{}
				}
			}
		})
	}
	<-begun
	d.Close()
	wg.Wait()
	if got := d.number("bellhop_webhook_connections"); got != "0" {
		t.Errorf("%s connections after Close, want 0", got)
	}
}
