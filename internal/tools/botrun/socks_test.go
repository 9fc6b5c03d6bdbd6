package botrun_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSOCKS checks that a JVM program that opens a connection without the HTTP proxy reaches the service over the SOCKS proxy, and no
// other host.
func TestSOCKS(t *testing.T) {
	t.Parallel()
	env, refused := open(t)
	value := func(name string) string {
		i := slices.IndexFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		return strings.TrimPrefix(env[i], name+"=")
	}
	option := func(name string) string {
		match := regexp.MustCompile(`-D` + regexp.QuoteMeta(name) + `=(\S+)`).FindStringSubmatch(value("JAVA_TOOL_OPTIONS"))
		if match == nil {
			t.Fatalf("no %s in %s", name, value("JAVA_TOOL_OPTIONS"))
		}
		return match[1]
	}
	hosts, err := os.ReadFile(option("jdk.net.hosts.file"))
	if err != nil || !regexp.MustCompile(`(?m)^192\.0\.2\.1 .*\bgateway\.discord\.gg\b`).Match(hosts) {
		t.Fatalf("the hosts file has no gateway: %s %v", hosts, err)
	}
	certificates, err := os.ReadFile(value("SSL_CERT_FILE"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificates)
	proxy := &url.URL{Scheme: "socks5", Host: net.JoinHostPort(option("socksProxyHost"), option("socksProxyPort"))}
	transport := &http.Transport{
		Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "gateway.discord.gg", MinVersion: tls.VersionTLS12},
	}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second}
	for _, address := range []string{"https://192.0.2.1/?v=10", "https://gateway.discord.gg/?v=10"} {
		resp, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || strings.TrimSpace(string(body)) != "GET /gateway/?v=10" {
			t.Errorf("%s answered %q, %v", address, body, err)
		}
	}
	database := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(database.Close)
	if resp, err := client.Get(database.URL); err != nil {
		t.Errorf("a host with another port is not reached: %v", err)
	} else {
		_ = resp.Body.Close()
	}
	for _, host := range []string{"example.com", "192.0.2.7"} {
		if resp, err := client.Get("https://" + host + "/"); err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s was not refused", host)
		}
		refused.mu.Lock()
		if !slices.Contains(refused.hosts, host) {
			t.Errorf("refused %q, want %s too", refused.hosts, host)
		}
		refused.mu.Unlock()
	}
}
