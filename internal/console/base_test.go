package console

import (
	"regexp"
	"strings"
	"testing"
)

// TestConsoleBelowPath checks that the application works below a path: its URLs are relative, or serviceURL makes them.
func TestConsoleBelowPath(t *testing.T) {
	t.Parallel()
	fixed := regexp.MustCompile("(href|src|action)=[\"`{$]*/|from '/|location\\.origin(\\.replace\\([^)]*\\))?(}| \\+)")
	asked := regexp.MustCompile(`[^.\w](fetch|new EventSource|new WebSocket|location\.assign)\((.{0,11})`)
	calls := 0
	for path, text := range consoleSources(t) {
		if strings.Contains(path, "vendor") {
			continue
		}
		if found := fixed.FindString(text); found != "" {
			t.Errorf("%s contains %s, which is at the root of the host", path, found)
		}
		for _, call := range asked.FindAllStringSubmatch(text, -1) {
			calls++
			if call[2] != "serviceURL(" {
				t.Errorf("%s: %s gets a URL that is not of serviceURL", path, call[0])
			}
		}
	}
	if calls < 6 {
		t.Errorf("%d requests of the application, want those of http.js, gateway.js and of the pages for traffic", calls)
	}
}
