package server

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

func TestBoundedListener(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		total, perAddress int
	}{{"in total", 3, 100}, {"per address", 100, 3}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var lc net.ListenConfig
			inner, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ln := bounded(inner, tt.total, tt.perAddress)
			accepted := make(chan net.Conn, 10)
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					c, err := ln.Accept()
					if err != nil {
						return
					}
					accepted <- c
				}
			}()
			t.Cleanup(func() {
				_ = ln.Close()
				<-done
			})
			var open []net.Conn
			for range 3 {
				open = append(open, dial(t, inner))
				<-accepted
			}
			refused := dial(t, inner)
			if _, err := refused.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !isReset(err) {
				t.Errorf("the fourth connection reads %v, want it closed", err)
			}
			_ = open
			if n := len(ln.from); ln.open != 3 || n != 1 {
				t.Errorf("%d open from %d addresses, want 3 from 1", ln.open, n)
			}
		})
	}
}

func TestBoundedListenerRemoves(t *testing.T) {
	t.Parallel()
	server, client := net.Pipe()
	defer client.Close()
	l := bounded(nil, 1, 1)
	from := source(server)
	if !l.add(from) || l.add(from) {
		t.Fatal("add() twice = true, want one connection")
	}
	l.remove(from)
	if !l.add(from) {
		t.Error("add() after remove() = false")
	}
}

func dial(t *testing.T, ln net.Listener) net.Conn {
	t.Helper()
	return dialTo(t, ln.Addr().String())
}

func dialTo(t *testing.T, address string) net.Conn {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

func isReset(err error) bool {
	_, ok := errors.AsType[*net.OpError](err)
	return ok && !errors.Is(err, os.ErrDeadlineExceeded)
}
