package webhook_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/webhook"
)

func TestBrokenServers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer func(*net.TCPConn)
		want   webhook.Kind
	}{
		{"closes at once", func(*net.TCPConn) {}, webhook.Connection},
		{"closes without a word", func(c *net.TCPConn) { readRequest(c) }, webhook.Connection},
		{"resets", func(c *net.TCPConn) {
			readRequest(c)
			_ = c.SetLinger(0)
		}, webhook.Connection},
		{"answers no HTTP", func(c *net.TCPConn) {
			readRequest(c)
			_, _ = io.WriteString(c, "SECRET-ANSWER 1 2 3\r\n\r\n")
		}, webhook.Connection},
		{"answers a strange status", func(c *net.TCPConn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 SECRET-ANSWER\r\n\r\n")
		}, webhook.Connection},
		{"answers bytes", func(c *net.TCPConn) {
			readRequest(c)
			_, _ = c.Write(make([]byte, 1<<10))
		}, webhook.Connection},
		{"breaks a header", func(c *net.TCPConn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nSECRET-ANSWER\r\n\r\n")
		}, webhook.Connection},
		{"ends in the middle of the body", func(c *net.TCPConn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"type\":1}")
		}, webhook.Connection},
		{"breaks a chunk", func(c *net.TCPConn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nSECRET-ANSWER\r\n")
		}, webhook.Connection},
		{"switches protocols", func(c *net.TCPConn) {
			readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		}, webhook.Status},
		{"has endless headers", func(c *net.TCPConn) {
			readRequest(c)
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for i := 0; err == nil; i++ {
				_, err = fmt.Fprintf(c, "X-%d: SECRET-ANSWER\r\n", i)
			}
		}, webhook.TooLarge},
		{"has endless hints", func(c *net.TCPConn) {
			readRequest(c)
			for err := error(nil); err == nil; {
				_, err = io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: SECRET-ANSWER\r\n\r\n")
			}
		}, webhook.TooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			url := serveRaw(t, func(c *net.TCPConn) {
				requests.Add(1)
				tt.answer(c)
			})
			e := newFixture(t, nil).fail(url, tt.want)
			if strings.Contains(e.Error(), "SECRET") {
				t.Errorf("%q repeats the answer", e.Error())
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d attempts, want 1", n)
			}
		})
	}
}

// A request that was written to a connection is not sent again, because the app may have received it.
func TestNoRetryOnAUsedConnection(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	url := serveRaw(t, func(c *net.TCPConn) {
		readRequest(c)
		requests.Add(1)
		_, _ = io.WriteString(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
		readRequest(c)
		requests.Add(1)
	})
	d := newFixture(t, nil)
	if _, err := d.deliver(url); err != nil {
		t.Fatal(err)
	}
	d.fail(url, webhook.Connection)
	if n := requests.Load(); n != 2 {
		t.Errorf("the app saw %d requests, want 2", n)
	}
}

func TestNoRetryOverHTTP2(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := serveTLS(t, true, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) > 1 {
			panic(http.ErrAbortHandler) // resets the stream
		}
		pong(w, r)
	})
	d := newFixture(t, func(c *webhook.Config) { c.Roots = roots(s) })
	if _, err := d.deliver(s.URL); err != nil {
		t.Fatal(err)
	}
	d.fail(s.URL, webhook.Connection)
	if n := requests.Load(); n != 2 {
		t.Errorf("the app saw %d requests, want 2", n)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	if e := newFixture(t, nil).fail(url, webhook.Connection); e.Detail != "connection refused" {
		t.Errorf("Detail = %q, want connection refused", e.Detail)
	}
}

func TestHugeHeadersOverHTTP2(t *testing.T) {
	t.Parallel()
	for fields, want := range map[int]webhook.Kind{
		16:  webhook.TooLarge,   // a little over 64 KiB
		100: webhook.Connection, // so much more that net/http closes the connection
	} {
		s := serveTLS(t, true, func(w http.ResponseWriter, r *http.Request) {
			for i := range fields {
				w.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("x", 4<<10))
			}
			pong(w, r)
		})
		newFixture(t, func(c *webhook.Config) { c.Roots = roots(s) }).fail(s.URL, want)
	}
}

func TestHugeBody(t *testing.T) {
	t.Parallel()
	const limit, huge = 1 << 20, 100 << 20
	for _, http2 := range []bool{false, true} {
		for _, announced := range []bool{false, true} {
			t.Run(fmt.Sprintf("HTTP/2 %v, announced %v", http2, announced), func(t *testing.T) {
				t.Parallel()
				sent := make(chan int, 1)
				s := serveTLS(t, http2, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					if announced {
						w.Header().Set("Content-Length", strconv.Itoa(huge))
					}
					n, chunk := 0, make([]byte, 64<<10)
					for n < huge {
						m, err := w.Write(chunk)
						n += m
						if err != nil {
							break
						}
					}
					sent <- n
				})
				d := newFixture(t, func(c *webhook.Config) { c.Roots, c.Policy.MaxAnswer = roots(s), limit })
				d.fail(s.URL, webhook.TooLarge)
				if n := <-sent; n > 20<<20 { // the limit plus the network buffers
					t.Errorf("the app could send %d bytes, want about %d", n, limit)
				}
				if got := d.number("bellhop_webhook_answer_bytes"); got != "0" {
					t.Errorf("%s bytes in use afterwards, want 0", got)
				}
			})
		}
	}
}

func TestBodyAtTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 300_000
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("chunked") != "" {
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, `"`+strings.Repeat("a", n-2)+`"`)
	})
	d := newFixture(t, func(c *webhook.Config) { c.Policy.MaxAnswer = limit })
	for _, chunked := range []string{"", "&chunked=1"} {
		for _, n := range []int{2, 4<<10 - 1, 4 << 10, 64<<10 - 1, 64 << 10, 64<<10 + 1, limit} {
			a, err := d.deliver(fmt.Sprintf("%s?n=%d%s", s.URL, n, chunked))
			if err != nil || len(a.Body) != n {
				t.Errorf("%d bytes%s: %d arrived, %v", n, chunked, len(a.Body), err)
			}
		}
		d.fail(fmt.Sprintf("%s?n=%d%s", s.URL, limit+1, chunked), webhook.TooLarge)
	}
}

// The deadline uses the clock of the service and applies in every state of the request.
func TestDeadline(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer func(net.Conn)
	}{
		{"silence", func(net.Conn) {}},
		{"slow headers", func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Ty") }},
		{"slow body", func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{\"ty")
		}},
		{"an unfinished 202", func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 10\r\n\r\n") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := clock.NewMovable(stillClock{})
			arrived := make(chan struct{})
			url := serveRaw(t, func(c *net.TCPConn) {
				readRequest(c)
				tt.answer(c)
				close(arrived)
				_, _ = io.Copy(io.Discard, c) // until the client closes the connection
			})
			d := newFixture(t, func(c *webhook.Config) { c.Clock = m })
			d.within = appTime
			result := make(chan error, 1)
			var wg sync.WaitGroup
			defer wg.Wait()
			v := d.to(url)
			wg.Go(func() {
				_, err := d.Deliver(t.Context(), v)
				result <- err
			})
			<-arrived
			m.Advance(appTime - time.Nanosecond)
			select {
			case err := <-result:
				t.Fatalf("Deliver() = %v before the deadline", err)
			default:
			}
			m.Advance(time.Nanosecond)
			wantKind(t, <-result, webhook.Timeout)
		})
	}
}

func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	const secret = "TOP-SECRET"
	echo := serveRaw(t, func(c *net.TCPConn) { // echoes the request as the first line of its answer
		b := make([]byte, 1<<16)
		n, _ := c.Read(b)
		_, _ = c.Write(b[:n])
	})
	status := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.Copy(w, r.Body)
	})
	tls := serveTLS(t, true, pong)
	d := newFixture(t, func(c *webhook.Config) { c.Policy.Circuit.Failures = 1 })
	for _, base := range []string{
		echo, status.URL, tls.URL, "http://127.0.0.1:1", "http://127.0.0.1:9999", "http://169.254.169.254", "http://no such host", "ftp://x", "http://u:" + secret + "@x",
	} {
		v := d.to(base + "/hook/" + secret + "?key=" + secret)
		v.Body = []byte(`{"token":"` + secret + `"}`)
		v.Key = []byte(secret + strings.Repeat("-", 32-len(secret)))
		_, err := d.Deliver(t.Context(), v)
		if _, ok := errors.AsType[*webhook.Error](err); !ok {
			t.Fatalf("%s: %v", base, err)
		}
		p := webhook.Probe{Application: 100, URL: v.URL, Key: v.Key, Token: secret}
		verr := d.Verify(t.Context(), p)
		for _, text := range []string{
			fmt.Sprintf("%v %+v %#v", err, err, err), fmt.Sprintf("%v %+v %#v %s %x", v, v, v, v, v), v.LogValue().String(),
			fmt.Sprintf("%v %+v", verr, verr), fmt.Sprintf("%v %+v %#v %x", p, p, p, p), d.log.String(),
		} {
			if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("%s: %s", base, text)
			}
		}
	}
	if !strings.Contains(d.log.String(), "deliveries to endpoint paused") {
		t.Errorf("nothing was logged, so nothing was tested: %s", d.log)
	}
}
