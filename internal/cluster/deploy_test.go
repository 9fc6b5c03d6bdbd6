package cluster

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
)

// TestDeployedMetricsExist checks that a node has every metric that the dashboard and the alert rules name.
func TestDeployedMetricsExist(t *testing.T) {
	t.Parallel()
	cl := &cluster{dir: t.TempDir()}
	cl.startEngines(t)
	cl.world = writeAppsWorld(t, cl.dir)
	address := freeAddress(t)
	cl.args = []string{"--metrics-listen", address}
	node := cl.start(t, 0)
	if _, _, err := node.Send(t.Context(), "GET", "/api/v10/applications/1/commands", "Bot bot-V7mQ2xK9tR4zL8pW3n-0", ""); err != nil {
		t.Fatal(err)
	}
	_, text, err := (&process{&engines.Node{Base: "http://" + address}}).Send(t.Context(), "GET", "/metrics", "", "")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`\b(bellhop|process|go)_[a-z_]+`)
	for _, file := range []string{"grafana/bellhop.json", "prometheus/alerts.yaml"} {
		data, err := os.ReadFile(filepath.Join("../../deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		var content any
		if strings.HasSuffix(file, ".json") {
			err = json.Unmarshal(data, &content)
		} else {
			err = yaml.Unmarshal(data, &content)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		found := name.FindAllString(string(data), -1)
		if len(found) == 0 {
			t.Errorf("%s names no metric", file)
		}
		for _, metric := range found {
			if !strings.Contains(text, "\n"+metric+" ") && !strings.Contains(text, "\n"+metric+"{") {
				t.Errorf("%s names %s, which the service does not have", file, metric)
			}
		}
	}
}

// freeAddress returns an address that was free a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().String()
}
