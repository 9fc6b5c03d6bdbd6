package server

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// TestClientsThatNeverRead checks that the service disconnects a client that sends requests and does not read the
// responses, for the API and for the console.
func TestClientsThatNeverRead(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{Data: t.TempDir(), WriteTimeout: 200 * time.Millisecond})
	for _, path := range []string{"/openapi.json", "/assets/main.js"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.base, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			request := []byte(strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n", 50))
			for end := time.Now().Add(30 * time.Second); ; {
				if time.Now().After(end) {
					t.Fatal("the client is still connected")
				}
				if err := conn.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
					t.Fatal(err)
				}
				_, err := conn.Write(request)
				if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
					return // the service has closed the connection
				}
			}
		})
	}
}
