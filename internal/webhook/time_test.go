package webhook_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/webhook"
)

// pipes is a server behind in-memory pipes, for tests with a fake clock.
func pipes(serve func(net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() { // ends when the Deliverer closes the pipe
			defer there.Close()
			r := bufio.NewReader(there)
			for {
				q, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, q.Body)
				serve(there)
			}
		}()
		return here, nil
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	const answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{\"type\":1}"
	after := func(d time.Duration) func(net.Conn) {
		return func(c net.Conn) {
			time.Sleep(d)
			_, _ = io.WriteString(c, answer)
		}
	}
	tests := []struct {
		name    string
		connect func(context.Context, string, string) (net.Conn, error)
		names   webhook.Resolver
		want    webhook.Kind
		takes   time.Duration
	}{
		{name: "at once", connect: pipes(after(0))},
		{name: "just in time", connect: pipes(after(3*time.Second - 1)), takes: 3*time.Second - 1},
		{name: "just too late", connect: pipes(after(3*time.Second + 1)), want: webhook.Timeout, takes: 3 * time.Second},
		{name: "much too late", connect: pipes(after(time.Hour)), want: webhook.Timeout, takes: 3 * time.Second},
		{name: "a byte now and then", want: webhook.Timeout, takes: 3 * time.Second, connect: pipes(func(c net.Conn) {
			for i := range answer {
				time.Sleep(100 * time.Millisecond)
				if _, err := io.WriteString(c, answer[i:i+1]); err != nil {
					return
				}
			}
		})},
		{name: "headers at once, body late", want: webhook.Timeout, takes: 3 * time.Second, connect: pipes(func(c net.Conn) {
			_, _ = io.WriteString(c, answer[:len(answer)-1])
			time.Sleep(4 * time.Second)
		})},
		{name: "no connection", want: webhook.Timeout, takes: 3 * time.Second, connect: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
		{name: "no name", want: webhook.Timeout, takes: 3 * time.Second, names: silent{}},
		{
			name: "the first of two addresses is silent", takes: 1500 * time.Millisecond,
			names: &fakeResolver{answers: [][]netip.Addr{addrs("10.0.0.1", "10.0.0.2")}},
			connect: func(ctx context.Context, network, address string) (net.Conn, error) {
				if address == "10.0.0.1:80" {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return pipes(after(0))(ctx, network, address)
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				t.Cleanup(func() { time.Sleep(2 * time.Hour) }) // the app notices the closed connection when it writes
				d := newFixture(t, func(c *webhook.Config) {
					c.Connect, c.Resolver = tt.connect, tt.names
					if c.Resolver == nil {
						c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs("10.0.0.1")}}
					}
				})
				d.within = appTime
				began := time.Now()
				_, err := d.deliver("http://app.example/")
				if got := time.Since(began); got != tt.takes {
					t.Errorf("Deliver() returned after %v, want %v", got, tt.takes)
				}
				if tt.want != 0 {
					wantKind(t, err, tt.want)
				} else if err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// silent is a resolver that never answers.
type silent struct{}

func (silent) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFixture(t, func(c *webhook.Config) {
			c.Connect = pipes(func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n") })
			c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs("10.0.0.1")}}
		})
		for _, tt := range []struct {
			idle time.Duration
			want string
		}{{0, "1"}, {4*time.Second - 1, "1"}, {4*time.Second + 1, "0"}} {
			if _, err := d.deliver("http://app.example/"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(tt.idle)
			synctest.Wait()
			if got := d.number("bellhop_webhook_connections"); got != tt.want {
				t.Errorf("%s connections after %v, want %s", got, tt.idle, tt.want)
			}
		}
	})
}
