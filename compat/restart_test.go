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

// TestRestart ends the service under bots of every library and starts it again: first as an operator does, then as a power
// cut does. Their sessions are gone with it. Each of them finds back by itself and answers.
func TestRestart(t *testing.T) {
	t.Parallel()
	binaries := build(t, ".", "compat/bots", "./bots/discordgo", "./bots/disgo", "./bots/arikawa")
	installPackages(t)
	certificate, key := newCertificate(t) // one that outlives the service
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
	}{{"asked to end", s.stop}, {"killed", s.kill}} {
		end.by(t)
		s.run(t)
		plain.lead(s.origin)
		secured.lead(s.secured)
		for i, b := range bots { // they come back all at once, and are asked one after the other
			t.Run(end.name+", "+b.name, func(t *testing.T) { s.meet(t, botApplication(i), commands[i]).finds() })
		}
	}
}

// newCertificate returns the files of a certificate for this machine and of its key.
func newCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &about, &about, &private.PublicKey, private)
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

// finds uses a command until the bot answers it.
func (p *person) finds() {
	p.t.Helper()
	late := time.After(time.Minute)
	for {
		p.invoke(2, p.data("ping", `{}`))
		for failed := false; !failed; {
			select {
			case e, ok := <-p.heard:
				if !ok {
					p.t.Fatal("the connection ended")
				}
				var m message
				if e.T == "MESSAGE_CREATE" {
					p.read(e, &m)
				}
				if m.Application == p.app {
					return
				}
				failed = e.T == "INTERACTION_FAILURE"
			case <-late:
				p.t.Fatal("no answer within a minute")
			}
		}
	}
}

// TestSessionsEnd has a bare client whose service ends and starts again: what it is told is what lets every library go on.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	s := startService(t)
	identify := `{"op":2,"d":{"token":"` + botToken(botApplication(0)) + `","intents":1,"properties":{}}}`
	begin := func(l *listener) (session string, seq int) {
		l.next() // hello
		l.send(identify)
		ready := l.next()
		if !strings.Contains(ready, `"t":"READY"`) {
			t.Fatalf("heard %.100s, want READY", ready)
		}
		_, rest, _ := strings.Cut(ready, `"session_id":"`)
		l.next() // the guild
		return rest[:32], 2
	}
	for _, end := range []struct {
		name string
		by   func(*testing.T)
	}{{"asked to end", s.stop}, {"killed", s.kill}} {
		l := s.listen(t, "")
		session, seq := begin(l)
		done := make(chan struct{})
		go func() {
			defer close(done)
			end.by(t)
		}()
		if end.name == "asked to end" {
			if got := l.next(); got != `{"op":7,"d":null,"s":null,"t":null}` {
				t.Errorf("%s: heard %s, want op 7", end.name, got)
			}
			if code := l.closed(); code != 4000 {
				t.Errorf("%s: closed with %d, want 4000", end.name, code)
			}
		}
		<-done
		s.run(t)
		again := s.listen(t, "")
		again.next() // hello
		again.send(fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":%q,"seq":%d}}`, botToken(botApplication(0)), session, seq))
		if got := again.next(); got != `{"op":9,"d":false,"s":null,"t":null}` {
			t.Errorf("%s: heard %.200s, want op 9", end.name, got)
		}
		again.send(identify) // on the same socket
		if got := again.next(); !strings.Contains(got, `"t":"READY"`) {
			t.Errorf("%s: heard %.200s, want READY", end.name, got)
		}
		s.call(t, http.MethodPost, "/_dev/clock", "", `{"advance":"5s"}`, nil)
	}
}
