package compat_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRestart stops and restarts the service while bots of every library are connected: first with SIGTERM, then with
// SIGKILL. The service loses their sessions. Each bot must reconnect without help and answer a command.
func TestRestart(t *testing.T) {
	t.Parallel()
	binaries := build(t, ".", "compat/bots", "./bots/discordgo", "./bots/disgo", "./bots/arikawa")
	installPackages(t)
	certificate, key := newCertificate(t) // the same certificate before and after the restart
	s := startService(t, "--tls-cert", certificate, "--tls-key", key)
	plain, secured := newProxy(t, s.origin), newProxy(t, s.secured)
	commands, runs := make([]map[string]registered, len(bots)), make([]*botRun, len(bots))
	for i, b := range bots {
		app := botApplication(i)
		commands[i] = s.register(t, app)
		runs[i] = b.start(t, binaries, app, plain.url("http"), secured.url("https"), certificate)
	}
	for _, run := range runs {
		run.wait("ready")
	}
	for _, end := range []struct {
		name string
		by   func(*testing.T)
	}{{"SIGTERM", s.stop}, {"SIGKILL", s.kill}} {
		end.by(t)
		s.run(t)
		plain.forwardTo(s.origin)
		secured.forwardTo(s.secured)
		for i, b := range bots { // all bots reconnect at once; the test checks one after the other
			t.Run(end.name+", "+b.name, func(t *testing.T) { s.connectUser(t, botApplication(i), commands[i]).pingUntilAnswered() })
		}
	}
}

// newCertificate writes a self-signed certificate for 127.0.0.1 and its key, and returns the files.
func newCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

// pingPause is the time between two invocations. Without a connected bot an invocation fails at once, so a shorter time
// reaches the rate limit.
const pingPause = time.Second

// pingUntilAnswered invokes the command ping until the bot answers it.
func (u *userClient) pingUntilAnswered() {
	u.t.Helper()
	timeout, last := time.After(30*time.Second), "none"
	for {
		u.invoke(2, u.data("ping", `{}`))
		for failed := false; !failed; {
			select {
			case e, ok := <-u.events:
				if !ok {
					u.t.Fatal("the gateway connection ended")
				}
				last = e.T
				var m message
				if e.T == "MESSAGE_CREATE" {
					u.read(e, &m)
				}
				if m.Application == u.app {
					return
				}
				failed = e.T == "INTERACTION_FAILURE"
			case <-timeout:
				u.t.Fatalf("no answer within 30 s; the last event was %s", last)
			}
		}
		time.Sleep(pingPause)
	}
}

// TestSessionsEnd checks the frames that a gateway client receives when the service stops and restarts. The libraries
// depend on these frames to reconnect.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	s := startService(t)
	identify := `{"op":2,"d":{"token":"` + botToken(botApplication(0)) + `","intents":1,"properties":{}}}`
	identifyClient := func(c *rawClient) (session string, seq int) {
		c.next() // hello
		c.send(identify)
		ready := c.next()
		if !strings.Contains(ready, `"t":"READY"`) {
			t.Fatalf("received %.100s, want READY", ready)
		}
		_, rest, _ := strings.Cut(ready, `"session_id":"`)
		c.next() // the guild
		return rest[:32], 2
	}
	for _, end := range []struct {
		name string
		by   func(*testing.T)
	}{{"SIGTERM", s.stop}, {"SIGKILL", s.kill}} {
		c := s.dialGateway(t, "")
		session, seq := identifyClient(c)
		done := make(chan struct{})
		go func() {
			defer close(done)
			end.by(t)
		}()
		if end.name == "SIGTERM" {
			if got := c.next(); got != `{"op":7,"d":null,"s":null,"t":null}` {
				t.Errorf("%s: received %s, want op 7", end.name, got)
			}
			if code := c.closed(); code != 4000 {
				t.Errorf("%s: closed with %d, want 4000", end.name, code)
			}
		}
		<-done
		s.run(t)
		again := s.dialGateway(t, "")
		again.next() // hello
		again.send(fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":%q,"seq":%d}}`, botToken(botApplication(0)), session, seq))
		if got := again.next(); got != `{"op":9,"d":false,"s":null,"t":null}` {
			t.Errorf("%s: received %.200s, want op 9", end.name, got)
		}
		again.send(identify) // on the same socket
		if got := again.next(); !strings.Contains(got, `"t":"READY"`) {
			t.Errorf("%s: received %.200s, want READY", end.name, got)
		}
		s.call(t, http.MethodPost, "/_dev/clock", "", `{"advance":"5s"}`, nil)
	}
}
