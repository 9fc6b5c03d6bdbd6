package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/server"
)

// authority is a certificate authority that speaks ACME (RFC 8555), as far as a client with one order at a time needs it. It does
// not check the signatures of requests.
type authority struct {
	*httptest.Server

	kind    string // of its challenges
	service net.Addr
	key     *ecdsa.PrivateKey
	root    *x509.Certificate

	mu     sync.Mutex
	orders []string // the names of all orders
	valid  bool     // the challenge of the last order was answered
	chain  []byte
	faults []string // why challenges failed
}

func newAuthority(t *testing.T, kind string, service net.Addr) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	root, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{kind: kind, service: service, key: key, root: root}
	mux := http.NewServeMux()
	mux.HandleFunc("/directory", func(w http.ResponseWriter, _ *http.Request) {
		a.send(w, http.StatusOK, map[string]any{"newNonce": a.URL + "/nonce", "newAccount": a.URL + "/account", "newOrder": a.URL + "/order"})
	})
	mux.HandleFunc("/nonce", func(w http.ResponseWriter, _ *http.Request) { a.send(w, http.StatusOK, nil) })
	mux.HandleFunc("/account", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", a.URL+"/account/1")
		a.send(w, http.StatusCreated, map[string]any{"status": "valid"})
	})
	mux.HandleFunc("/order", a.order)
	mux.HandleFunc("/order/1", func(w http.ResponseWriter, _ *http.Request) { a.send(w, http.StatusOK, a.state()) })
	mux.HandleFunc("/authz/1", func(w http.ResponseWriter, _ *http.Request) { a.send(w, http.StatusOK, a.authorization()) })
	mux.HandleFunc("/challenge/1", a.challenge)
	mux.HandleFunc("/finalize/1", a.finalize)
	mux.HandleFunc("/certificate/1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pem-certificate-chain")
		_, _ = w.Write(a.chain) // the client reports a lost response
	})
	a.Server = httptest.NewTLSServer(mux)
	t.Cleanup(a.Close)
	return a
}

func (a *authority) send(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Replay-Nonce", "n")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if v != nil {
		_ = json.NewEncoder(w).Encode(v) // the client reports a lost response
	}
}

// payload reads the payload of a signed request into v.
func payload(r *http.Request, v any) {
	var signed struct{ Payload string }
	_ = json.NewDecoder(r.Body).Decode(&signed) // a wrong request leaves v empty, and the order fails
	text, _ := base64.RawURLEncoding.DecodeString(signed.Payload)
	_ = json.Unmarshal(text, v)
}

type identifier struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

func (a *authority) order(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Identifiers []identifier }
	payload(r, &asked)
	a.mu.Lock()
	a.orders, a.valid, a.chain = append(a.orders, asked.Identifiers[0].Value), false, nil
	a.mu.Unlock()
	w.Header().Set("Location", a.URL+"/order/1")
	a.send(w, http.StatusCreated, a.state())
}

// name returns the name of the last order.
func (a *authority) name() string { return a.orders[len(a.orders)-1] }

func (a *authority) state() map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	state := map[string]any{
		"status": "pending", "identifiers": []identifier{{"dns", a.name()}}, "authorizations": []string{a.URL + "/authz/1"}, "finalize": a.URL + "/finalize/1",
	}
	switch {
	case a.chain != nil:
		state["status"], state["certificate"] = "valid", a.URL+"/certificate/1"
	case a.valid:
		state["status"] = "ready"
	}
	return state
}

func (a *authority) authorization() map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	status := "pending"
	switch {
	case a.valid:
		status = "valid"
	case len(a.faults) > 0:
		status = "invalid"
	}
	return map[string]any{"status": status, "identifier": identifier{"dns", a.name()}, "challenges": []any{
		map[string]any{"type": a.kind, "url": a.URL + "/challenge/1", "token": "tok", "status": status},
	}}
}

// challenge checks the answer to the challenge, as the network of the authority sees it.
func (a *authority) challenge(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	name := a.name()
	a.mu.Unlock()
	var err error
	if a.kind == "tls-alpn-01" {
		err = a.checkTLS(r.Context(), name)
	} else { // some authorities send the port
		err = errors.Join(a.checkHTTP(r.Context(), name), a.checkHTTP(r.Context(), name+":80"))
	}
	a.mu.Lock()
	if a.valid = err == nil; err != nil {
		a.faults = append(a.faults, err.Error())
	}
	a.mu.Unlock()
	a.send(w, http.StatusOK, map[string]any{"type": a.kind, "url": a.URL + "/challenge/1", "token": "tok", "status": "processing"})
}

func (a *authority) checkHTTP(ctx context.Context, host string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+a.service.String()+"/.well-known/acme-challenge/tok", nil)
	if err != nil {
		return err
	}
	r.Host = host
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.HasPrefix(string(text), "tok.") {
		return errors.Join(err, errors.New(answer.Status+" "+string(text)))
	}
	return nil
}

func (a *authority) checkTLS(ctx context.Context, name string) error {
	d := tls.Dialer{NetDialer: &net.Dialer{Timeout: 20 * time.Second}, Config: &tls.Config{
		ServerName: name, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12, // RFC 8737: the certificate of a challenge is self-signed
	}}
	conn, err := d.DialContext(ctx, "tcp", a.service.String())
	if err != nil {
		return err
	}
	defer conn.Close()
	state := conn.(*tls.Conn).ConnectionState()
	leaf := state.PeerCertificates[0]
	has := slices.ContainsFunc(leaf.Extensions, func(e pkix.Extension) bool { return e.Id.String() == "1.3.6.1.5.5.7.1.31" })
	if state.NegotiatedProtocol != "acme-tls/1" || !has || !slices.Equal(leaf.DNSNames, []string{name}) {
		return errors.New("no certificate for the challenge")
	}
	return nil
}

// finalize issues the certificate.
func (a *authority) finalize(w http.ResponseWriter, r *http.Request) {
	var asked struct{ CSR string }
	payload(r, &asked)
	der, _ := base64.RawURLEncoding.DecodeString(asked.CSR) // a wrong request is refused by the next call
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	issued, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: request.DNSNames[0]}, DNSNames: request.DNSNames,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(60 * 24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.root, request.PublicKey, a.key)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	a.mu.Lock()
	a.chain = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issued})
	a.mu.Unlock()
	a.send(w, http.StatusOK, a.state())
}

// serveACME serves with certificates of an authority, and returns the addresses of the plain and of the TLS listener.
func serveACME(t *testing.T, kind, folder string, plain, secure net.Listener) *authority {
	t.Helper()
	addr := plain.Addr()
	if kind == "tls-alpn-01" {
		addr = secure.Addr()
	}
	ca := newAuthority(t, kind, addr)
	log := slog.New(slog.DiscardHandler)
	client := ca.Client()
	client.Timeout = 20 * time.Second
	t.Cleanup(client.CloseIdleConnections)
	certificates, err := server.NewACME(server.ACMEConfig{
		Names: []string{"bellhop.example"}, Directory: ca.URL + "/directory", Email: "ops@bellhop.example", Folder: folder, Log: log, HTTP: client,
	})
	if err != nil {
		t.Fatal(err)
	}
	web := server.Listen(server.Config{Log: log}, plain, server.TLSListener{Listener: secure, Config: certificates.TLS(), Handler: certificates.Handler})
	t.Cleanup(func() {
		if err := web.Close(); err != nil {
			t.Error(err)
		}
	})
	return ca
}

func listenLoopback(t *testing.T) net.Listener {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// health asks the TLS listener for its health under a host name.
func health(t *testing.T, ca *authority, at net.Addr, name string) error {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(ca.root)
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, at.String())
		},
	}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+name+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	return nil
}

// TestACME gets a certificate with each challenge, keeps it in a private folder, and uses it after a restart.
func TestACME(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"tls-alpn-01", "http-01"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "data", server.ACMEFolder)
			plain, secure := listenLoopback(t), listenLoopback(t)
			ca := serveACME(t, kind, folder, plain, secure)
			if err := health(t, ca, secure.Addr(), "other.example"); err == nil || len(ca.orders) != 0 {
				t.Errorf("a name that is not configured: %v, orders %v", err, ca.orders)
			}
			for range 2 {
				if err := health(t, ca, secure.Addr(), "bellhop.example"); err != nil {
					t.Fatalf("%v; challenges: %v", err, ca.faults)
				}
			}
			if !slices.Equal(ca.orders, []string{"bellhop.example"}) {
				t.Errorf("orders %v, want one", ca.orders)
			}
			checkPrivate(t, folder)

			plain, secure = listenLoopback(t), listenLoopback(t)
			again := serveACME(t, kind, folder, plain, secure)
			again.root = ca.root
			if err := health(t, again, secure.Addr(), "bellhop.example"); err != nil || len(again.orders) != 0 {
				t.Errorf("after a restart: %v, orders %v, want none", err, again.orders)
			}
		})
	}
}

// checkPrivate checks that only the owner can read a folder and its files.
func checkPrivate(t *testing.T, folder string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %o, want %o", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil || files < 2 {
		t.Errorf("%d files, %v: want the account key and the certificate", files, err)
	}
}

func TestACMENames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "localhost", "192.0.2.1", "::1", "*.bellhop.example", "Bellhop.example", "bellhop.example:443", "https://bellhop.example", "a_b.example", "-a.example"} {
		if err := server.CheckACMENames([]string{name}); err == nil {
			t.Errorf("CheckACMENames(%q) accepts the name", name)
		}
	}
	if err := server.CheckACMENames([]string{"bellhop.example", "a.b-c.example.org", "xn--bcher-kva.example"}); err != nil {
		t.Error(err)
	}
	if err := server.CheckACMENames(slices.Repeat([]string{"bellhop.example"}, 21)); err == nil {
		t.Error("CheckACMENames() accepts 21 names")
	}
}
