package mcp_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/mcp"
)

// FuzzGuard checks that a request reaches the tools only with the token or, without one, only under a name of this machine, and
// never from a page of another origin. No body breaks the protocol.
func FuzzGuard(f *testing.F) {
	const token = "guard-P4wZ9gT1uM7eY5hC8q"
	box := &mcp.Toolbox{Service: "http://127.0.0.1:1", Version: "test", Clock: clock.System{}, Docs: documentation}
	f.Cleanup(box.Close)
	open, err := box.Handler("")
	if err != nil {
		f.Fatal(err)
	}
	locked, err := box.Handler(token)
	if err != nil {
		f.Fatal(err)
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","arguments":{}}}`
	for _, s := range [][4]string{
		{"127.0.0.1:8090", "", "", call},
		{"evil.example", "", "Bearer " + token, call},
		{"[::1]:8090", "http://[::1]:8090", "Bearer x", `[{"jsonrpc":"2.0","method":"initialize"}]`},
		{"LOCALHOST", "null", "", `{"jsonrpc":"2.0","id":{},"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`},
		{"localhost.evil.example", "http://localhost", "Bearer", "\xff"},
	} {
		f.Add(s[0], s[1], s[2], s[3])
	}
	f.Fuzz(func(t *testing.T, host, origin, authorization, body string) {
		if strings.Contains(body, "start") || strings.Contains(body, `\u`) {
			return // it could start a program
		}
		name := host
		if h, _, err := net.SplitHostPort(host); err == nil {
			name = h
		}
		ip := net.ParseIP(strings.Trim(name, "[]"))
		local := strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
		_, after, _ := strings.Cut(origin, "//")
		same := origin == "" || strings.Contains(strings.ToLower(after), strings.ToLower(host))
		for _, tt := range []struct {
			handler  http.Handler
			admitted bool
		}{{open, local && same}, {locked, strings.HasSuffix(authorization, token) && same}} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, mcp.Path, strings.NewReader(body))
			r.Host = host
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {authorization}}
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			w := httptest.NewRecorder()
			tt.handler.ServeHTTP(w, r)
			if refused := w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized; !refused && !tt.admitted {
				t.Errorf("host %q, origin %q, authorization %q: %d %s", host, origin, authorization, w.Code, w.Body)
			}
			if w.Code >= http.StatusInternalServerError {
				t.Errorf("%q: %d %s", body, w.Code, w.Body)
			}
		}
	})
}
