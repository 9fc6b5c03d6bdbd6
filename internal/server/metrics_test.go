package server

import (
	"net"
	"strings"
	"testing"
)

// TestMetrics checks who can read the metrics: operators, everyone with dev controls, and everyone on a listener of their
// own, which replaces the route.
func TestMetrics(t *testing.T) {
	t.Parallel()
	plain := runServer(t, Config{Data: t.TempDir()})
	secret, err := plain.server.Operators().CreateFirst(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := ask(t, "GET", plain.base+"/metrics", nil); status != 401 {
		t.Errorf("the metrics in production with a bot token: %d, want 401", status)
	}
	if status, text := askAs(t, "Bearer "+secret.Reveal(), "GET", plain.base+"/metrics", nil); status != 200 || !strings.Contains(text, "bellhop_build_info") {
		t.Errorf("the metrics for an operator: %d, want 200", status)
	}
	dev := runServer(t, Config{Data: t.TempDir(), Dev: true})
	if status, _ := ask(t, "GET", dev.base+"/metrics", nil); status != 200 {
		t.Errorf("the metrics with dev controls: %d, want 200", status)
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	apart := runServer(t, Config{Data: t.TempDir(), MetricsListener: ln})
	if status, text := ask(t, "GET", "http://"+ln.Addr().String()+"/metrics", nil); status != 200 || !strings.Contains(text, "bellhop_build_info") {
		t.Errorf("the metrics on their own listener: %d, want 200", status)
	}
	for _, url := range []string{"http://" + ln.Addr().String() + "/admin/v1/users", apart.base + "/metrics"} {
		if status, _ := ask(t, "GET", url, nil); status != 404 {
			t.Errorf("%s: %d, want 404", url, status)
		}
	}
}
