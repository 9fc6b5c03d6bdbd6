package v10_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/go-json-experiment/json"
)

func TestTrafficEntries(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ask(t, "bot", http.MethodPost, commandsPath, `{"name":"roll","description":"Roll dice","token":"hush"}`)
	d.ask(t, "anonymous", http.MethodGet, "/api/v10/nowhere?code=hush", "")
	d.ask(t, "anonymous", http.MethodGet, "/healthz", "")
	got := d.ask(t, "anonymous", http.MethodGet, "/_dev/requests", "")
	var list []dev.Entry
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || len(list) != 2 {
		t.Fatalf("%s, %v, want two entries", got.body, err)
	}
	if unknown := list[0]; unknown.Status != 404 || unknown.Path != "/api/v10/nowhere?code=***" || unknown.Application != 0 {
		t.Errorf("the request without a route is recorded as %+v", unknown)
	}
	made := list[1]
	if made.Application != 1300000000000000001 || made.Route != "/applications/{application_id}/commands" || made.Status != 201 ||
		made.Sent.Body != `{"name":"roll","description":"Roll dice","token":"***"}` || made.Sent.Headers["Authorization"] != "Bot ***" ||
		!strings.Contains(made.Received.Body, `"name":"roll"`) || made.Received.Size != int64(len(made.Received.Body)) {
		t.Errorf("the request is recorded as %s", got.body)
	}
	if strings.Contains(got.body, "hush") || strings.Contains(got.body, "bot-echo") {
		t.Errorf("secrets are shown: %s", got.body)
	}
	for query, want := range map[string]int{
		"?status=4xx": 1, "?status=201": 1, "?application=1300000000000000001": 1, "?route=commands": 1, "?kind=delivery": 0, "?limit=1": 1, "?since=1s": 2,
		"?since=2030-01-01T00:00:00Z": 0,
	} {
		got := d.ask(t, "anonymous", http.MethodGet, "/_dev/requests"+query, "")
		if err := json.Unmarshal([]byte(got.body), &list); err != nil || len(list) != want {
			t.Errorf("%s: %s, %v, want %d", query, got.body, err, want)
		}
	}
	for _, query := range []string{"?status=x", "?since=x", "?limit=0", "?application=x"} {
		if got := d.ask(t, "anonymous", http.MethodGet, "/_dev/requests"+query, ""); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d", query, got.status)
		}
	}
}

// entries returns the entries of a query, newest first.
func (s *service) entries(t *testing.T, query string) (list []dev.Entry) {
	t.Helper()
	got := s.ask(t, "anonymous", http.MethodGet, "/_dev/requests"+query, "")
	if err := json.Unmarshal([]byte(got.body), &list); err != nil {
		t.Fatalf("%s: %v", got.body, err)
	}
	return list
}

// TestTrafficOfAnInteraction checks that the request, the delivery, the callback and the follow-up of an interaction
// have its id.
func TestTrafficOfAnInteraction(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.addRelay(t)
	made := d.ask(t, "relay", http.MethodPost, "/api/v10/applications/1300000000000000004/commands", `{"name":"later","description":"Answer later"}`)
	var command struct {
		ID      string `json:"id"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal([]byte(made.body), &command); err != nil {
		t.Fatal(err)
	}
	invoked := d.ask(t, "person", http.MethodPost, "/api/v10/interactions", `{"type":2,"application_id":"1300000000000000004","guild_id":"900000000000000003",`+
		`"channel_id":"900000000000000030","session_id":"s","nonce":"1","data":{"id":"`+command.ID+`","version":"`+command.Version+`","name":"later","type":1}}`)
	if invoked.status != http.StatusNoContent {
		t.Fatalf("the invocation is answered %d %s", invoked.status, invoked.body)
	}
	var sent []dev.Entry
	for end := time.Now().Add(30 * time.Second); len(sent) == 0 && time.Now().Before(end); {
		sent = d.entries(t, "?kind=delivery")
	}
	if len(sent) == 0 {
		t.Fatal("there is no delivery")
	}
	id, token := sent[0].Interaction.String(), *d.relayed.Load()
	d.ask(t, "anonymous", http.MethodPost, "/api/v10/interactions/"+id+"/"+token+"/callback", `{"type":4,"data":{"content":"Hello"}}`)
	d.ask(t, "anonymous", http.MethodPost, "/api/v10/webhooks/1300000000000000004/"+token, `{"content":"More"}`)
	steps := map[string]bool{}
	for _, e := range d.entries(t, "") {
		if e.Interaction.String() == id {
			steps[string(e.Kind)+" "+e.Route] = true
		}
	}
	for _, step := range []string{
		"request /interactions", "delivery ", "request /interactions/{interaction_id}/{interaction_token}/callback",
		"request /webhooks/{webhook_id}/{webhook_token}",
	} {
		if !steps[step] {
			t.Errorf("the steps %v of the interaction do not contain %q", steps, step)
		}
	}
}

// deliver invokes a command of the app Relay, which answers "Hello", and returns the delivery.
func (s *service) deliver(t *testing.T) dev.Entry {
	t.Helper()
	s.addRelay(t)
	s.ask(t, "relay", http.MethodPost, "/api/v10/applications/1300000000000000004/commands",
		`{"name":"say","description":"Say","options":[{"type":3,"name":"answer","description":"What"}]}`)
	s.ask(t, "anonymous", http.MethodPost, "/_dev/invoke", `{"as":"ada","in":"Hall/stage","command":"/say answer:{\"type\":4,\"data\":{\"content\":\"Hello\"}}"}`)
	return s.entries(t, "?kind=delivery")[0]
}

// TestResend delivers an interaction again, unchanged and changed.
func TestResend(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := d.deliver(t)
	resend := func(id, body string) (answer, dev.Entry) {
		got := d.ask(t, "anonymous", http.MethodPost, "/_dev/requests/"+id+"/resend", body)
		var e dev.Entry
		if err := json.Unmarshal([]byte(got.body), &e); err != nil {
			t.Fatal(err)
		}
		return got, e
	}
	id := strconv.FormatUint(first.ID, 10)
	if got, e := resend(id, `{}`); got.status != 200 || e.ID == first.ID || e.Sent.Body != first.Sent.Body ||
		e.Sent.Headers["X-Signature-Ed25519"] == "" || !strings.Contains(e.Received.Body, "Hello") {
		t.Errorf("the delivery is sent again as %s", got.body)
	}
	refused := strings.Replace(first.Sent.Body, `"{\"type\":4,\"data\":{\"content\":\"Hello\"}}"`, `"refuse"`, 1)
	body, err := json.Marshal(map[string]string{"body": refused})
	if err != nil {
		t.Fatal(err)
	}
	if got, e := resend(id, string(body)); got.status != 200 || e.Status != 500 {
		t.Errorf("the changed delivery is sent as %s", got.body)
	} else if token := int64(40); e.Sent.Size < int64(len(refused))+token || e.SignatureValid == nil || !*e.SignatureValid {
		t.Errorf("%d bytes were sent, want the token in place of its mask in %d bytes, with a signature", e.Sent.Size, len(refused))
	}
	if got, _ := resend("99999", `{}`); got.status != 404 {
		t.Errorf("an unknown entry is answered %d, want 404", got.status)
	}
	request := d.entries(t, "?kind=request")[0]
	if got, _ := resend(strconv.FormatUint(request.ID, 10), `{}`); got.status != 400 {
		t.Errorf("a request is answered %d, want 400", got.status)
	}
}

// TestTrafficStream opens a stream, and continues it with another one.
func TestTrafficStream(t *testing.T) {
	t.Parallel()
	d := open(t)
	srv := httptest.NewServer(d)
	t.Cleanup(srv.Close)
	next := follow(t, srv.URL+"/_dev/requests?status=4xx", "")
	d.ask(t, "bot", http.MethodGet, commandsPath, "") // the filter leaves it out
	d.ask(t, "anonymous", http.MethodGet, commandsPath, "")
	id, data := next()
	if id != "2" || !strings.Contains(data, `"status":401`) {
		t.Errorf("event %q: %s", id, data)
	}
	d.ask(t, "wrong", http.MethodGet, commandsPath, "")
	again := follow(t, srv.URL+"/_dev/requests", "2")
	if id, data := again(); id != "3" || !strings.Contains(data, `"kind":"request"`) {
		t.Errorf("the event after 2 is %q: %s", id, data)
	}
	d.dev.Traffic.Close()
	if got := d.ask(t, "anonymous", http.MethodGet, "/_dev/requests", "", "Accept", "text/event-stream"); got.status != http.StatusServiceUnavailable {
		t.Errorf("a stream after Close is answered %d, want 503", got.status)
	}
}

// follow opens a stream. next returns the next event.
func follow(t *testing.T, url, after string) (next func() (id, data string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	if after != "" {
		r.Header.Set("Last-Event-Id", after)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func() (id, data string) {
		t.Helper()
		for lines.Scan() {
			if v, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = v
			}
			if v, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return id, v
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return "", ""
	}
}

// TestLobbyStream watches a page of lobbies: it is sent at once, and again when a lobby of the page changes. The number of streams of
// an application is bounded, and its setting switches them off.
func TestLobbyStream(t *testing.T) {
	t.Parallel()
	d := open(t)
	srv := httptest.NewServer(d)
	t.Cleanup(srv.Close)
	setting := func(on bool) {
		t.Helper()
		got := d.ask(t, "admin", http.MethodPut, "/admin/v1/applications/1300000000000000003", `{"name":"Game","owner":"700000000000000002","lobby_search":`+strconv.FormatBool(on)+`}`)
		if got.status != http.StatusOK {
			t.Fatal(got.body)
		}
	}
	connect := func() *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/api/v10/lobbies?metadata%5Bmap%5D=dust", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Authorization", tokens["game"])
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp
	}
	if got := connect().StatusCode; got != http.StatusForbidden { //nolint:bodyclose // the cleanup of connect closes it
		t.Errorf("a stream while the search is off is answered %d, want 403", got)
	}
	setting(true)
	lines := bufio.NewScanner(connect().Body) //nolint:bodyclose // the cleanup of connect closes it
	next := func(want string) {
		t.Helper()
		for lines.Scan() {
			if page, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if !strings.Contains(page, want) {
					t.Errorf("the page is %s, want %s", page, want)
				}
				return
			}
		}
		t.Fatalf("the stream ended: %v; want %s", lines.Err(), want)
	}
	next(`{"lobbies":[],"after":null}`)
	d.ask(t, "game", http.MethodPost, "/api/v10/lobbies", `{"metadata":{"map":"mirage"}}`) // another page
	made := d.ask(t, "game", http.MethodPost, "/api/v10/lobbies", `{"metadata":{"map":"dust","max_members":"2"}}`)
	lobby := "/api/v10/lobbies/" + strings.Split(made.body, `"`)[3]
	next(`"member_count":0,"free_places":2}],"after":null}`)
	d.ask(t, "game", http.MethodPut, lobby+"/members/700000000000000001", `{}`)
	next(`"member_count":1,"free_places":1}],"after":null}`)
	d.ask(t, "game", http.MethodDelete, lobby, "")
	next(`{"lobbies":[],"after":null}`)
	for range 9 {
		if got := connect().StatusCode; got != http.StatusOK { //nolint:bodyclose // the cleanup of connect closes it
			t.Fatalf("a further stream is answered %d", got)
		}
	}
	if got := connect().StatusCode; got != http.StatusServiceUnavailable { //nolint:bodyclose // the cleanup of connect closes it
		t.Errorf("the eleventh stream is answered %d, want 503", got)
	}
	setting(false)
	for lines.Scan() { // until the service ends the stream
		if strings.HasPrefix(lines.Text(), "data: ") {
			t.Errorf("after the search was switched off the stream has %s", lines.Text())
		}
	}
}

// TestStreamsEndWithTheirToken checks that a stream sends nothing after the token was revoked with which it began.
func TestStreamsEndWithTheirToken(t *testing.T) {
	t.Parallel()
	d := open(t)
	srv := httptest.NewServer(d)
	t.Cleanup(srv.Close)
	ask := func(method, path, body string) string {
		t.Helper()
		got := d.ask(t, "admin", method, path, body)
		if got.status/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
		}
		return got.body
	}
	const game, operator = "/admin/v1/applications/1300000000000000003", "/admin/v1/operators/follower"
	ask(http.MethodPut, game, `{"name":"Game","owner":"700000000000000002","lobby_search":true}`)
	_, rest, _ := strings.Cut(ask(http.MethodPut, operator, `{"scopes":["read"]}`), `"token":"`)
	token, _, _ := strings.Cut(rest, `"`)
	for _, tt := range []struct {
		name, path, authorization string
		happen, revoke            func()
	}{
		{
			"the audit log", "/admin/v1/audit", "Bearer " + token,
			func() { ask(http.MethodPut, "/admin/v1/operators/other", `{"scopes":["read"]}`) },
			func() { ask(http.MethodDelete, operator, "") },
		},
		{
			"lobbies", "/api/v10/lobbies", tokens["game"],
			func() { d.ask(t, "game", http.MethodPost, "/api/v10/lobbies", `{}`) },
			func() { ask(http.MethodPost, game+"/bot-token", "") },
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		t.Cleanup(cancel)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Authorization", tt.authorization)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		lines := bufio.NewScanner(resp.Body)
		next := func() bool {
			for lines.Scan() {
				if strings.HasPrefix(lines.Text(), "data: ") {
					return true
				}
			}
			return false
		}
		if tt.happen(); !next() {
			t.Fatalf("%s: the stream ended before the token: %v", tt.name, lines.Err())
		}
		tt.revoke()
		ask(http.MethodPut, "/admin/v1/operators/another", `{"scopes":["read"]}`)
		for next() {
			if strings.Contains(lines.Text(), "operator/another") {
				t.Errorf("%s: after the token was revoked the stream sends %s", tt.name, lines.Text())
			}
		}
		if ctx.Err() != nil {
			t.Errorf("%s: the stream does not end with the token", tt.name)
		}
	}
}
