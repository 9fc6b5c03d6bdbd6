package botrun_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// proxied returns a client that uses the proxy and the certificates of the variables, as programs without a preload do.
func proxied(t testing.TB, env []string) *http.Client {
	t.Helper()
	value := func(name string) string {
		for _, e := range env {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v
			}
		}
		t.Fatalf("no %s in %q", name, env)
		return ""
	}
	certificates, err := os.ReadFile(value("SSL_CERT_FILE"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificates)
	proxy, err := url.Parse(value("HTTPS_PROXY"))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}
