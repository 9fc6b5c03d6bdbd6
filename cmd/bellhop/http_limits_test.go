package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

const (
	demoApplication = "1100000000000000100"
	demoToken       = "Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only"
	demoCommands    = "/api/v10/applications/" + demoApplication + "/commands"
)

// connect opens a TCP connection to the process.
func connect(t *testing.T, p *process) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.Base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSlowClients checks that clients which do not finish their request header are disconnected, and that other clients are
// served meanwhile.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	p := start(t, "dev", "--listen", "127.0.0.1:0")
	slow := make([]net.Conn, 200)
	for i := range slow {
		slow[i] = connect(t, p)
		if _, err := io.WriteString(slow[i], "GET "+demoCommands+" HTTP/1.1\r\nHost: localhost\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		if status, text, err := p.Send(t.Context(), "GET", demoCommands, demoToken, ""); err != nil || status != 200 {
			t.Fatalf("a normal client beside %d slow ones: %d %s %v", len(slow), status, text, err)
		}
	}
	began := time.Now()
	for _, c := range slow {
		if _, err := io.Copy(io.Discard, c); err != nil {
			if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
				t.Fatalf("a slow client is still connected after %v", time.Since(began))
			}
		}
	}
	p.StopCleanly(t)
}

// TestEndlessBody checks that a client which sends an endless body gets 413 and is disconnected.
func TestEndlessBody(t *testing.T) {
	t.Parallel()
	p := start(t, "dev", "--listen", "127.0.0.1:0")
	c := connect(t, p)
	if _, err := io.WriteString(c, "POST "+demoCommands+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: "+
		demoToken+"\r\nTransfer-Encoding: chunked\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	sent := make(chan int, 1)
	go func() {
		chunk := fmt.Sprintf("%x\r\n%s\r\n", 64<<10, strings.Repeat("x", 64<<10))
		total := 0
		for total < 1<<30 {
			n, err := io.WriteString(c, chunk)
			total += n
			if err != nil {
				break
			}
		}
		sent <- total
	}()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(body), "40005") {
		t.Errorf("%d %s %v", resp.StatusCode, body, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	if total := <-sent; total > 64<<20 {
		t.Errorf("the service read %d bytes, want little more than the limit of 8 MiB", total)
	}
	p.StopCleanly(t)
}

// TestLargeHeader checks that a client which sends 1 MiB of headers gets 431.
func TestLargeHeader(t *testing.T) {
	t.Parallel()
	p := start(t, "dev", "--listen", "127.0.0.1:0")
	c := connect(t, p)
	go func() {
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Large: "+strings.Repeat("x", 1<<20)+"\r\n\r\n") // fails: the service closes the connection
	}()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d, want 431", resp.StatusCode)
	}
	p.StopCleanly(t)
}
