package server

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate writes a new certificate for a host, and its key.
func writeCertificate(t *testing.T, cert, key, host string) {
	t.Helper()
	c, text, err := SelfSigned(host, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(c.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{cert: text, key: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})} {
		if err := os.WriteFile(name+".new", data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
	}
}

// hostOf returns the host that a certificate is for.
func hostOf(t *testing.T, c *x509.Certificate) string {
	t.Helper()
	return strings.Join(c.DNSNames, " ")
}

// TestCertificateFiles replaces the files of a certificate.
func TestCertificateFiles(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), &lines{}
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	now := &setClock{now: time.Now()}
	if _, err := LoadCertificate(cert, key, now, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("missing files are accepted")
	}
	writeCertificate(t, cert, key, "first.example")
	files, err := LoadCertificate(cert, key, now, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	is := func(host string) {
		t.Helper()
		c, err := x509.ParseCertificate(files.Certificate(t.Context()).Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := hostOf(t, c); !strings.Contains(got, host) {
			t.Errorf("the certificate is for %s, want %s", got, host)
		}
	}
	is("first.example")
	writeCertificate(t, cert, key, "second.example")
	is("first.example") // the files are looked at once per second
	now.set(now.Now().Add(time.Second))
	is("second.example")
	if err := os.WriteFile(cert, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		now.set(now.Now().Add(time.Second))
		is("second.example") // it stays while the files are wrong
	}
	if n := strings.Count(log.String(), "certificate not loaded"); n != 1 {
		t.Errorf("%d lines about the failure, want 1", n)
	}
	writeCertificate(t, cert, key, "third.example")
	now.set(now.Now().Add(time.Second))
	is("third.example")
}

// TestTLSListenerReloads checks that new connections of a TLS listener get the new certificate.
func TestTLSListenerReloads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, cert, key, "first.example")
	now := &setClock{now: time.Now()}
	files, err := LoadCertificate(cert, key, now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	secured := TLSListener{Listener: ln, Config: files.TLS()}.open()
	defer func() { _ = secured.Close() }() // the test is over
	host := func() string {
		accepted := make(chan error, 1)
		go func() {
			conn, err := secured.Accept()
			if err == nil {
				err = conn.(*tls.Conn).HandshakeContext(t.Context())
				_ = conn.Close() // only the handshake counts
			}
			accepted <- err
		}()
		d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
		conn, err := d.DialContext(t.Context(), "tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := <-accepted; err != nil {
			t.Fatal(err)
		}
		return hostOf(t, conn.(*tls.Conn).ConnectionState().PeerCertificates[0])
	}
	if got := host(); !strings.Contains(got, "first.example") {
		t.Errorf("the first connection gets the certificate of %s", got)
	}
	writeCertificate(t, cert, key, "second.example")
	now.set(now.Now().Add(time.Minute))
	if got := host(); !strings.Contains(got, "second.example") {
		t.Errorf("the second connection gets the certificate of %s", got)
	}
}
