package guide_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// TestProxies starts Bellhop behind each proxy of docs/operations.md, with the files and the command of the page. The folders of the
// certificate and of temporary files differ, and Caddy signs its certificate itself. A WebSocket must get through, and the log must
// have the address of the client.
func TestProxies(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	bin := buildBellhop(t)
	for _, tt := range []struct {
		file   string
		change *strings.Replacer
		start  string
	}{
		{"nginx.conf", strings.NewReplacer("/etc/ssl/", "", "http {", nginxFolders), `nginx -p "$PWD" -g 'daemon off; user root; pid nginx.pid; error_log stderr;' -c "$PWD/nginx.conf"`},
		{"haproxy.cfg", strings.NewReplacer("/etc/ssl/", ""), `cat bellhop.pem bellhop.key >bellhop-with-key.pem; haproxy -f haproxy.cfg`},
		{"Caddyfile", strings.NewReplacer("bellhop.example {", "{\nlocal_certs\nskip_install_trust\n}\nbellhop.example {"), `HOME=$PWD caddy run --adapter caddyfile --config Caddyfile`},
	} {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			var list []block
			for _, b := range blocks(t, "docs/operations.md") {
				if b.file == tt.file {
					b.text = tt.change.Replace(b.text)
				}
				if b.file != "" || b.kind == "service" && b.heading == "Behind a proxy" {
					list = append(list, b)
				}
			}
			script, _ := pageScript(t, list)
			out := runInOwnNetwork(t, certificateSetup+script+"{ "+tt.start+"; } >proxy.log 2>&1 &\n"+proxyScript, t.TempDir(), bin+":/usr/sbin")
			if !strings.HasSuffix(out, "\nthrough the proxy\n") {
				t.Error(out)
			}
		})
	}
}

// nginxFolders makes nginx put temporary files in its own folder: those of the system belong to another user.
const nginxFolders = `http {
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
`

// proxyScript waits for a proxy. curl sends an upgrade to a WebSocket, and a request with an address of a client that no proxy has
// added: only the address that the proxy adds may be in the log.
const proxyScript = `url=https://bellhop.example
trap 'cat proxy.log service-*.log' ERR
for i in $(seq 100); do curl -skf $url/healthz && break; sleep 0.1; done
curl -skf $url/api/v10/gateway | grep 'wss://bellhop.example/gateway/'
status=$(curl -sk -o frames -w '%{http_code}' --max-time 2 --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
  -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' "$url/gateway/?v=10&encoding=json" || true)
echo "status $status"
test "$status" = 101
grep -a '"heartbeat_interval"' frames
curl -sk -o out --interface 127.0.0.2 -H 'X-Forwarded-For: 203.0.113.9' $url/api/v10/users/@me
for i in $(seq 50); do grep -q '"address":"127.0.0.2"' service-*.log && break; sleep 0.1; done
grep '"address":"127.0.0.2"' service-*.log
if grep '"address":"203.0.113.9"' service-*.log; then exit 1; fi
echo 'through the proxy'
`
