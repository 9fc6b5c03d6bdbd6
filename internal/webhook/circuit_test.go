package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/webhook"
)

// statusApp is an app that answers with the status that the test sets.
type statusApp struct {
	url      string
	status   atomic.Int64
	requests atomic.Int64
}

func newStatusApp(t *testing.T, status int) *statusApp {
	t.Helper()
	m := &statusApp{}
	m.status.Store(int64(status))
	m.url = serve(t, func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		if s := int(m.status.Load()); s != http.StatusOK {
			w.WriteHeader(s)
			return
		}
		pong(w, r)
	}).URL
	return m
}

func newMovableFixture(t *testing.T, change func(*webhook.Config)) (*fixture, *clock.Movable) {
	t.Helper()
	m := clock.NewMovable(stillClock{})
	d := newFixture(t, func(c *webhook.Config) {
		c.Clock = m
		c.Policy.Circuit = webhook.Production().Circuit
		if change != nil {
			change(c)
		}
	})
	return d, m
}

func TestCircuit(t *testing.T) {
	t.Parallel()
	d, m := newMovableFixture(t, nil)
	app := newStatusApp(t, 503)
	for range 5 {
		d.fail(app.url, webhook.Status)
	}
	for i, seconds := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		m.Advance(time.Duration(seconds)*time.Second - time.Nanosecond)
		d.fail(app.url, webhook.CircuitOpen)
		if got := d.number("bellhop_webhook_open_circuits"); got != "1" {
			t.Errorf("open circuits = %s in pause %d, want 1", got, i)
		}
		if n := app.requests.Load(); n != int64(5+i) {
			t.Fatalf("the app saw %d requests in pause %d, want %d", n, i, 5+i)
		}
		m.Advance(time.Nanosecond)
		if got := d.number("bellhop_webhook_open_circuits"); got != "0" {
			t.Errorf("open circuits = %s after pause %d, want 0", got, i)
		}
		d.fail(app.url, webhook.Status) // the delivery after the pause
	}
	m.Advance(time.Minute)
	app.status.Store(200)
	for range 2 {
		if _, err := d.deliver(app.url); err != nil {
			t.Fatal(err)
		}
	}
	app.status.Store(503)
	for range 5 { // the failures are counted from zero again
		d.fail(app.url, webhook.Status)
	}
	d.fail(app.url, webhook.CircuitOpen)
	m.Advance(time.Second)
	d.fail(app.url, webhook.Status)

	for _, want := range []string{`msg="deliveries to endpoint paused" application=100 host=127.0.0.1:`, "pause=1s", "pause=1m0s", `msg="deliveries to endpoint resumed" application=100`} {
		if !strings.Contains(d.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, d.log)
		}
	}
	for outcome, want := range map[string]string{"status": "19", "circuit open": "9", "answered": "2"} {
		if got := d.number(`bellhop_webhook_deliveries_total{outcome="` + outcome + `"}`); got != want {
			t.Errorf("deliveries %s = %s, want %s", outcome, got, want)
		}
	}
	if got := d.number("bellhop_webhook_delivery_seconds_count"); got != "21" {
		t.Errorf("%s deliveries were timed, want the 21 that were sent", got)
	}
}

func TestCircuitCounts(t *testing.T) {
	t.Parallel()
	for status, opens := range map[int]bool{
		200: false, 400: false, 401: false, 404: false, 204: false, 302: false, 429: true, 500: true, 502: true, 504: true,
	} {
		d, _ := newMovableFixture(t, nil)
		app := newStatusApp(t, status)
		for range 5 {
			_, _ = d.deliver(app.url) // the error depends on the status
		}
		_, err := d.deliver(app.url)
		e, _ := errors.AsType[*webhook.Error](err)
		if got := e != nil && e.Kind == webhook.CircuitOpen; got != opens {
			t.Errorf("status %d five times: then %v, want open %v", status, err, opens)
		}
	}
}

func TestCircuitNeedsFailuresInARow(t *testing.T) {
	t.Parallel()
	d, _ := newMovableFixture(t, nil)
	app := newStatusApp(t, 500)
	for range 10 {
		for range 4 {
			d.fail(app.url, webhook.Status)
		}
		app.status.Store(200)
		if _, err := d.deliver(app.url); err != nil {
			t.Fatal(err)
		}
		app.status.Store(500)
	}
}

func TestCircuitsAreApart(t *testing.T) {
	t.Parallel()
	d, _ := newMovableFixture(t, nil)
	s := newStatusApp(t, 500)
	for range 5 {
		d.fail(s.url, webhook.Status)
	}
	d.fail(s.url, webhook.CircuitOpen)
	d.fail(s.url+"/other", webhook.Status)
	v := d.to(s.url)
	v.Application = 101
	_, err := d.Deliver(t.Context(), v)
	wantKind(t, err, webhook.Status)
}

func TestCircuitOff(t *testing.T) {
	t.Parallel()
	d, _ := newMovableFixture(t, func(c *webhook.Config) { c.Policy.Circuit = webhook.CircuitRule{} })
	s := newStatusApp(t, 500)
	for range 20 {
		d.fail(s.url, webhook.Status)
	}
	if n := d.Remembered(); n != 0 {
		t.Errorf("%d endpoints are tracked", n)
	}
}

func TestCircuitsAreBounded(t *testing.T) {
	t.Parallel()
	d, _ := newMovableFixture(t, func(c *webhook.Config) { c.Policy.Circuit.Most = 3 })
	s := newStatusApp(t, 500)
	for i := range 10 {
		for range 5 {
			d.fail(fmt.Sprintf("%s/%d", s.url, i), webhook.Status)
		}
	}
	if n := d.Remembered(); n != 3 {
		t.Errorf("%d endpoints are tracked, want 3", n)
	}
	for i := 7; i < 10; i++ { // the endpoints that failed last
		d.fail(fmt.Sprintf("%s/%d", s.url, i), webhook.CircuitOpen)
	}
	d.fail(s.url+"/6", webhook.Status)
}

// deliverAll delivers n times at once to an app that holds every request until release, and returns the errors.
func deliverAll(t *testing.T, d *fixture, url string, n int) <-chan error {
	t.Helper()
	results := make(chan error, n)
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	v := d.to(url)
	for range n {
		wg.Go(func() {
			_, err := d.Deliver(t.Context(), v)
			results <- err
		})
	}
	return results
}

func TestCircuitHalfOpen(t *testing.T) {
	t.Parallel()
	d, m := newMovableFixture(t, nil)
	arrived, release := make(chan struct{}, 100), make(chan int)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		w.WriteHeader(<-release)
	})
	hold := func(n, status int) {
		results := deliverAll(t, d, s.URL, n)
		for range n {
			<-arrived
		}
		for range n {
			release <- status
		}
		for range n {
			<-results
		}
	}
	hold(12, 503) // all began before the circuit opened, so it opens once
	m.Advance(time.Second - time.Nanosecond)
	d.fail(s.URL, webhook.CircuitOpen)
	m.Advance(time.Nanosecond)

	results := deliverAll(t, d, s.URL, 50)
	<-arrived
	for range 49 {
		wantKind(t, <-results, webhook.CircuitOpen)
	}
	release <- http.StatusAccepted
	if err := <-results; err != nil {
		t.Errorf("the trial failed: %v", err)
	}
	hold(20, http.StatusAccepted)
}

func TestTrialThatIsCalledOff(t *testing.T) {
	t.Parallel()
	d, m := newMovableFixture(t, func(c *webhook.Config) { c.Policy.Circuit.Failures = 1 })
	app := newStatusApp(t, 500)
	d.fail(app.url, webhook.Status)
	m.Advance(time.Second)
	v := d.to(app.url)
	ctx, cancel := contextThatIsOver(t)
	defer cancel()
	if _, err := d.Deliver(ctx, v); err == nil {
		t.Fatal("the delivery succeeded")
	}
	d.fail(app.url, webhook.Status) // the next delivery decides
	d.fail(app.url, webhook.CircuitOpen)
	m.Advance(2 * time.Second)
	d.fail(app.url, webhook.Status)
}

func TestSilenceNeedsTime(t *testing.T) {
	t.Parallel()
	d, m := newMovableFixture(t, func(c *webhook.Config) { c.Policy.Circuit.Failures = 1 })
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	defer close(release)
	for _, tt := range []struct {
		left  time.Duration
		blame int
	}{{time.Second - 1, 0}, {time.Second, 1}} {
		v := d.to(s.URL)
		v.Deadline = m.Now().Add(tt.left)
		var wg sync.WaitGroup
		wg.Go(func() {
			<-arrived
			m.Advance(tt.left)
		})
		_, err := d.Deliver(t.Context(), v)
		wg.Wait()
		wantKind(t, err, webhook.Timeout)
		if n := d.Remembered(); n != tt.blame {
			t.Errorf("with %v left %d endpoints count as failing, want %d", tt.left, n, tt.blame)
		}
	}
}
