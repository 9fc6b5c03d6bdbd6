package v10_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// fill installs fifty applications with fifty commands each in the guild.
func (d *service) fill(b *testing.B) {
	b.Helper()
	const first = 1400000000000000000
	var apps, installs []string
	for n := range 50 {
		apps = append(apps, fmt.Sprintf(`{"id":"%d","name":"App %d","owner":"700000000000000001","bot_token":"bot-%d"}`, first+n, n, n))
		installs = append(installs, fmt.Sprintf(`{"application":"%d"}`, first+n))
	}
	world := `{"applications":[` + strings.Join(apps, ",") + `],"guilds":[{"id":"900000000000000001","name":"Lab",` +
		`"owner":"700000000000000001","installs":[` + strings.Join(installs, ",") + `]}]}`
	if got := d.ask(b, "anonymous", http.MethodPost, "/_dev/world", world); got.status != http.StatusOK {
		b.Fatalf("%d %s", got.status, got.body)
	}
	for n := range 50 {
		var list []string
		for i := range 50 {
			list = append(list, fmt.Sprintf(`{"name":"command-%d-%d","description":"What this command does, in a few words",`+
				`"options":[{"type":3,"name":"target","description":"What it does it to","required":true}]}`, n, i))
		}
		got := d.ask(b, "anonymous", http.MethodPut, fmt.Sprintf("/api/v10/applications/%d/commands", first+n),
			"["+strings.Join(list, ",")+"]", "Authorization", fmt.Sprintf("Bot bot-%d", n))
		if got.status != http.StatusOK {
			b.Fatalf("%d %s", got.status, got.body)
		}
	}
}

// BenchmarkIndex measures the command index of a guild with 2,500 commands over the network, and a server that only
// writes the same bytes.
func BenchmarkIndex(b *testing.B) {
	d := open(b)
	d.fill(b)
	const path = "/api/v10/guilds/900000000000000001/application-command-index"
	body := []byte(d.ask(b, "bob", http.MethodGet, path, "").body)
	bare := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
		_, _ = w.Write(body)
	})
	for _, side := range []struct {
		name    string
		handler http.Handler
	}{{"bellhop", d}, {"bare", bare}} {
		b.Run(side.name, func(b *testing.B) {
			server := httptest.NewServer(side.handler)
			defer server.Close()
			b.SetBytes(int64(len(body)))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL+path, nil)
					if err != nil {
						b.Error(err)
						return
					}
					r.Header.Set("Authorization", tokens["bob"])
					resp, err := server.Client().Do(r)
					if err != nil {
						b.Error(err)
						return
					}
					n, err := io.Copy(io.Discard, resp.Body)
					if err := resp.Body.Close(); err != nil || int(n) != len(body) {
						b.Errorf("%d bytes of %d: %v", n, len(body), err)
					}
					if err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
