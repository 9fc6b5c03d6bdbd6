package webhook_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

func contextThatIsOver(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}

func TestInFlight(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
		pong(w, r)
	})
	d := newFixture(t, func(c *webhook.Config) { c.Policy.All, c.Policy.PerApplication = 5, 3 })
	var wg sync.WaitGroup
	begin := func(app snowflake.Application, n int) {
		v := d.to(s.URL)
		v.Application = app
		for range n {
			wg.Go(func() {
				if _, err := d.Deliver(t.Context(), v); err != nil {
					t.Errorf("application %v: %v", app, err)
				}
			})
		}
		for range n {
			<-arrived
		}
	}
	refused := func(app snowflake.Application, want string) {
		t.Helper()
		v := d.to(s.URL)
		v.Application = app
		_, err := d.Deliver(t.Context(), v)
		if e := wantKind(t, err, webhook.Overloaded); e.Detail != want {
			t.Errorf("Detail = %q, want %q", e.Detail, want)
		}
	}
	begin(1, 3)
	refused(1, "the application has too many deliveries under way")
	begin(2, 2)
	refused(3, "the service has too many deliveries under way")
	refused(1, "the application has too many deliveries under way")
	if got := d.number("bellhop_webhook_in_flight"); got != "5" {
		t.Errorf("in flight = %s, want 5", got)
	}
	close(release)
	wg.Wait()
	begin(3, 3) // all slots are free again
	wg.Wait()
	if got := d.number("bellhop_webhook_in_flight"); got != "0" {
		t.Errorf("in flight = %s, want 0", got)
	}
}

func TestInFlightUnderConcurrency(t *testing.T) {
	t.Parallel()
	const all, each = 12, 5
	var inside, tooMany atomic.Int64
	var of [4]atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		own := &of[r.URL.Path[1]-'0']
		if inside.Add(1) > all || own.Add(1) > each {
			tooMany.Add(1)
		}
		own.Add(-1)
		inside.Add(-1)
		pong(w, r)
	})
	d := newFixture(t, func(c *webhook.Config) { c.Policy.All, c.Policy.PerApplication = all, each })
	var answered, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			app := i % len(of)
			v := d.to(s.URL + "/" + string(rune('0'+app)))
			v.Application = snowflake.Application(app + 1)
			for range 25 {
				_, err := d.Deliver(t.Context(), v)
				e, ok := errors.AsType[*webhook.Error](err)
				switch {
				case err == nil:
					answered.Add(1)
				case ok && e.Kind == webhook.Overloaded:
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if tooMany.Load() != 0 {
		t.Errorf("%d requests were too many at once", tooMany.Load())
	}
	if answered.Load()+refused.Load() != 1000 || answered.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d answered and %d refused of 1000", answered.Load(), refused.Load())
	}
	if got := d.number("bellhop_webhook_in_flight"); got != "0" {
		t.Errorf("in flight = %s, want 0", got)
	}
}

// half sends the first half of an answer of the given size at once and the second half after a second.
func half(size int) func(net.Conn) {
	body := `"` + strings.Repeat("a", size-2) + `"`
	return func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(size)+"\r\n\r\n"+body[:size/2])
		time.Sleep(time.Second)
		_, _ = io.WriteString(c, body[size/2:])
	}
}

func TestAnswerMemory(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(time.Minute) }) // the app notices the closed connection when it writes
		d := newFixture(t, func(c *webhook.Config) {
			c.Policy.AnswerMemory, c.Policy.MaxAnswer = 4*(size+1), size // room for four answers, one per application
			c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs("10.0.0.1")}}
			c.Connect = pipes(half(size))
		})
		var wg sync.WaitGroup
		begin := func(app snowflake.Application) <-chan error {
			v, result := d.to("http://app.example/"), make(chan error, 1)
			v.Application = app
			wg.Go(func() {
				_, err := d.Deliver(t.Context(), v)
				result <- err
			})
			synctest.Wait()
			return result
		}
		for range 2 { // the memory is available again
			var pending []<-chan error
			for app := range 4 {
				pending = append(pending, begin(snowflake.Application(app)))
			}
			if e := wantKind(t, <-begin(1), webhook.Overloaded); e.Detail != "large answers of the application exceed its memory limit" {
				t.Error(e.Detail)
			}
			if e := wantKind(t, <-begin(9), webhook.Overloaded); e.Detail != "large answers exceed the memory limit" {
				t.Error(e.Detail)
			}
			wg.Wait()
			for _, result := range pending {
				if err := <-result; err != nil {
					t.Error(err)
				}
			}
			if got := d.number("bellhop_webhook_answer_bytes"); got != "0" {
				t.Errorf("%s bytes in use afterwards, want 0", got)
			}
		}
	})
}

func TestAnswerMemoryComesBackWhileOthersAreUnderWay(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		d := newFixture(t, func(c *webhook.Config) {
			c.Policy.AnswerMemory, c.Policy.MaxAnswer = size+1, size
			c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs("10.0.0.1")}}
			c.Connect = pipes(func(c net.Conn) {
				if asked.Add(1) == 1 {
					time.Sleep(2500 * time.Millisecond)
					_, _ = io.WriteString(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
					return
				}
				half(size)(c)
			})
		})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := d.Deliver(t.Context(), d.to("http://app.example/")); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		for range 2 {
			if _, err := d.deliver("http://app.example/"); err != nil {
				t.Error(err)
			}
		}
		wg.Wait()
	})
}
