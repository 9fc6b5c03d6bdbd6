package guide_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProxies starts Bellhop behind nginx and HAProxy with the files of docs/proxies.md, without TLS and on free ports. A
// WebSocket must get through, and the log must have the address of the client.
func TestProxies(t *testing.T) {
	t.Parallel()
	bin := buildBellhop(t)
	files := pageFiles(t, "docs/proxies.md")
	service := freeAddress(t)
	for _, tt := range []struct{ name, start string }{
		{"nginx.conf", `nginx -p "$PWD" -g 'daemon off; pid nginx.pid; error_log stderr;' -c "$PWD/nginx.conf"`},
		{"haproxy.cfg", `haproxy -f haproxy.cfg`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			front := freeAddress(t)
			config := strings.NewReplacer(
				"listen 443 ssl;", "listen "+front+"; access_log off;", "bind :443 ssl crt /etc/ssl/bellhop-with-key.pem", "bind "+front,
				"127.0.0.1:8080", service,
			).Replace(withoutLines(files[tt.name], "ssl_certificate"))
			script := fmt.Sprintf(proxyScript, files["limits.yaml"], tt.name, config, service, tt.start, front)
			run(t, nil, script, t.TempDir(), bin+":/usr/sbin")
		})
	}
	t.Run("Caddyfile", func(t *testing.T) {
		folder := t.TempDir()
		file := filepath.Join(folder, "Caddyfile")
		if err := os.WriteFile(file, []byte(files["Caddyfile"]), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, nil, "HOME="+folder+" caddy validate --adapter caddyfile --config "+file, folder, bin)
	})
}

// proxyScript starts the service and a proxy. curl sends an upgrade to a WebSocket with an address of a client that an
// earlier proxy has not added, so that only the address that the proxy adds may be in the log.
const proxyScript = `cat > limits.yaml <<'END OF FILE'
%sEND OF FILE
cat > %s <<'END OF FILE'
%sEND OF FILE
bellhop serve --data data --listen %s --limits limits.yaml --public-url https://bellhop.example >serve.log 2>&1 &
until grep -q '^listening on ' serve.log; do sleep 0.1; done
%s >proxy.log 2>&1 &
FRONT=http://%s
for i in $(seq 100); do curl -sf $FRONT/healthz && break; sleep 0.1; done
curl -sf $FRONT/api/v10/gateway | grep 'wss://bellhop.example/gateway/'
status=$(curl -s -o frames -w '%%{http_code}' --max-time 2 --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
  -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' "$FRONT/gateway/?v=10&encoding=json" || true)
echo "status $status"
test "$status" = 101
grep -a '"heartbeat_interval"' frames
curl -s -o out --interface 127.0.0.2 -H 'X-Forwarded-For: 203.0.113.9' $FRONT/api/v10/users/@me
for i in $(seq 50); do grep -q '"address":"127.0.0.2"' serve.log && break; sleep 0.1; done
grep '"address":"127.0.0.2"' serve.log
! grep '"address":"203.0.113.9"' serve.log
`

// pageFiles returns the blocks of a page that are files, by name.
func pageFiles(t *testing.T, page string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, b := range blocks(t, page) {
		if b.file != "" {
			files[b.file] = b.text
		}
	}
	return files
}

// withoutLines returns a text without the lines that contain a word.
func withoutLines(text, word string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, word) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
