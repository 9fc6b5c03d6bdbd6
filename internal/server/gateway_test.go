package server

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// connect opens a gateway connection and returns the first payload.
func connect(t *testing.T, d ws.Dialer, url string) (hello string, send func(string), receive func() string) {
	t.Helper()
	conn, early, _, err := d.Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	var from io.ReadWriter = conn
	if early != nil {
		from = struct {
			io.Reader
			io.Writer
		}{early, conn}
	}
	receive = func() string {
		text, err := wsutil.ReadServerText(from)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	send = func(text string) {
		if err := wsutil.WriteClientText(conn, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return receive(), send, receive
}

// TestGatewayEvents checks the events that a connected bot gets when it is installed, when the service is reset, and
// when it stops.
func TestGatewayEvents(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t), Dev: true})
	_, where := ask(t, "GET", r.base+"/api/v10/gateway", nil)
	url := strings.Split(where, `"`)[3]
	hello, send, receive := connect(t, ws.Dialer{}, url+"?v=10&encoding=json")
	if !strings.Contains(hello, `"op":10`) {
		t.Fatalf("the gateway sends %s first", hello)
	}
	send(`{"op":2,"d":{"token":"` + token + `","intents":1,"properties":{}}}`)
	if ready := receive(); !strings.Contains(ready, `"t":"READY"`) || !strings.Contains(ready, `"resume_gateway_url":"`+url+`"`) {
		t.Fatalf("the gateway sends %s, want READY", ready)
	}
	status, text := ask(t, "POST", r.base+"/_dev/world", strings.NewReader(
		`{"guilds":[{"id":"900000000000000001","name":"Lab","owner":"700000000000000001","installs":[{"application":"`+echo+`","scopes":["bot"]}]}]}`))
	if status != 200 {
		t.Fatalf("apply: %d %s", status, text)
	}
	if event := receive(); !strings.Contains(event, `"t":"GUILD_CREATE"`) {
		t.Errorf("the gateway sends %s, want GUILD_CREATE", event)
	}
	if status, text := ask(t, "POST", r.base+"/_dev/reset", nil); status >= 300 {
		t.Fatalf("reset: %d %s", status, text)
	}
	if event := receive(); !strings.Contains(event, `"t":"GUILD_DELETE"`) {
		t.Errorf("the gateway sends %s, want GUILD_DELETE", event)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	if event := receive(); !strings.Contains(event, `"op":7`) {
		t.Errorf("the gateway sends %s, want op 7", event)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestTLS sends all requests over TLS.
func TestTLS(t *testing.T) {
	t.Parallel()
	certificate, text, err := SelfSigned("127.0.0.1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t)}, certificate)
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(text) {
		t.Fatal("the certificate cannot be read")
	}
	trust := &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	web := &http.Client{Transport: &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true}}
	defer web.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.secured+"/api/v10/gateway", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := web.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	want := "wss" + strings.TrimPrefix(r.secured, "https") + "/gateway/"
	if string(body) != `{"url":"`+want+`"}` {
		t.Errorf("the gateway is at %s, want %s", body, want)
	}
	hello, _, _ := connect(t, ws.Dialer{TLSConfig: trust}, want+"?v=10")
	if !strings.Contains(hello, `"op":10`) {
		t.Errorf("the gateway sends %s first", hello)
	}
}
