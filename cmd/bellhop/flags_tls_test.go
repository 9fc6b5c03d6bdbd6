package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestTLSFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"certificate without an address", []string{"--tls-cert", "c.pem", "--tls-key", "k.pem"}, "--tls-cert and --tls-key require --tls-listen"},
		{"certificate without a key", []string{"--tls-listen", "127.0.0.1:0", "--tls-cert", "c.pem"}, "--tls-cert and --tls-key must be used together"},
		{
			"address that is no URL",
			[]string{"--tls-listen", "0.0.0.0:0", "--tls-cert", "c.pem", "--tls-key", "k.pem"},
			"--tls-listen 0.0.0.0:0 requires --public-url",
		},
		{"automatic certificates without an address", []string{"--tls-acme", "bellhop.example"}, "--tls-acme requires --tls-listen"},
		{"automatic certificates for an address", []string{"--tls-acme", "192.0.2.1", "--tls-listen", "127.0.0.1:0"}, `--tls-acme: "192.0.2.1" is not a host name`},
		{"a wildcard", []string{"--tls-acme", "*.bellhop.example", "--tls-listen", "127.0.0.1:0"}, "is not a host name"},
		{
			"automatic and own certificates",
			[]string{"--tls-acme", "bellhop.example", "--tls-listen", "127.0.0.1:0", "--tls-cert", "c.pem", "--tls-key", "k.pem"},
			"--tls-acme and --tls-cert cannot be used together",
		},
		{"automatic certificates with dev controls", []string{"--tls-acme", "bellhop.example", "--tls-listen", "127.0.0.1:0", "--dev"}, "cannot be used with dev controls"},
		{
			"automatic certificates of many nodes",
			[]string{"--tls-acme", "bellhop.example", "--tls-listen", "127.0.0.1:0", "--postgres", "postgres://127.0.0.1/x", "--redis", "redis://127.0.0.1:1"},
			"--tls-acme is for a single node",
		},
		{
			"a certificate authority over plain http",
			[]string{"--tls-acme", "bellhop.example", "--tls-listen", "127.0.0.1:0", "--tls-acme-directory", "http://ca.example/"},
			"want an https URL",
		},
		{"a certificate authority without a name", []string{"--tls-acme-email", "a@example.com"}, "require --tls-acme"},
		{"address without a certificate", []string{"--tls-listen", "127.0.0.1:0"}, "--tls-listen requires --tls-cert and --tls-key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			args := append([]string{"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0"}, tt.args...)
			if code := run(t.Context(), args, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), tt.want) {
				t.Errorf("exit code %d, %s, want %d and %q", code, errs.String(), exitUsage, tt.want)
			}
		})
	}
}

// TestTLSIssuer checks that the URL of a service with --tls-listen is https, also without --public-url, and that the cookie of
// an operator is sent over TLS only.
func TestTLSIssuer(t *testing.T) {
	t.Parallel()
	p := start(t, "serve", "--dev", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0")
	_, text, err := p.Send(t.Context(), http.MethodGet, "/.well-known/openid-configuration", "", "")
	if err != nil || !strings.Contains(text, `"issuer":"https://127.0.0.1:`) {
		t.Errorf("the issuer is not https: %s %v", text, err)
	}
	_, text, err = p.Send(t.Context(), http.MethodPost, "/_dev/console", "", "")
	if err != nil {
		t.Fatal(err)
	}
	var pass struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(text), &pass); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Base+"/admin/v1/session", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+pass.Token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if cookies := resp.Cookies(); len(cookies) != 1 || !cookies[0].Secure {
		t.Errorf("%s with the cookies %v, want one with Secure", resp.Status, cookies)
	}
	p.StopCleanly(t)
}

// TestMetricsListen checks that --metrics-listen prints its address.
func TestMetricsListen(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	args := []string{"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:x"}
	if code := run(t.Context(), args, &out, &errs); code == exitOK || !strings.Contains(errs.String(), "--metrics-listen") {
		t.Errorf("exit code %d, %s, want an error that names the flag", code, errs.String())
	}
}
