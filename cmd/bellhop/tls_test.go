package main

import (
	"bytes"
	"strings"
	"testing"
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
