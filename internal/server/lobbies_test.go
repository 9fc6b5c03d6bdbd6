package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/gobwas/ws"
)

// TestIdleLobbiesEnd moves the clock of a service, and restarts the service in between.
func TestIdleLobbiesEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := runServer(t, Config{Data: dir, World: testWorld(t), Dev: true})
	lobby := func(seconds int) string {
		t.Helper()
		_, made := ask(t, "POST", r.base+"/api/v10/lobbies", strings.NewReader(
			fmt.Sprintf(`{"idle_timeout_seconds":%d,"members":[{"id":"700000000000000001"}]}`, seconds)))
		return strings.Split(made, `"`)[3]
	}
	advance := func(seconds int) {
		t.Helper()
		if status, text := ask(t, "POST", r.base+"/_dev/clock", strings.NewReader(fmt.Sprintf(`{"advance":"%ds"}`, seconds))); status != 200 {
			t.Fatalf("advance: %d %s", status, text)
		}
	}
	want := func(id string, want int) {
		t.Helper()
		if status, text := ask(t, "GET", r.base+"/api/v10/lobbies/"+id, nil); status != want {
			t.Errorf("read: %d %s, want %d", status, text, want)
		}
	}
	short, long := lobby(60), lobby(600)
	advance(55)
	if status, text := ask(t, "PUT", r.base+"/api/v10/lobbies/"+short+"/members/700000000000000009", strings.NewReader(`{}`)); status != 200 {
		t.Fatalf("put a member: %d %s", status, text)
	}
	if status, text := ask(t, "GET", r.base+"/api/v10/users/700000000000000009", nil); status != 200 {
		t.Errorf("a user that was created for a lobby: %d %s", status, text)
	}
	advance(55)
	want(short, 200)
	advance(10)
	want(short, 404)
	want(long, 200)
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	r = runServer(t, Config{Data: dir, World: testWorld(t), Dev: true})
	want(long, 200)
	advance(590) // the restart has reset the idle time
	want(long, 200)
	advance(11)
	want(long, 404)
	last := lobby(60)
	want(last, 200)
	if status, text := ask(t, "POST", r.base+"/_dev/reset", nil); status >= 300 {
		t.Fatalf("reset: %d %s", status, text)
	}
	want(last, 404)
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
}

// TestLobbyEvents checks the events that a client gets when its lobby is linked to a channel, when an app posts in the
// channel, and when the operator deletes the channel.
func TestLobbyEvents(t *testing.T) {
	t.Parallel()
	r := runWithApp(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":4,"data":{"content":"Hello"}}`)
	})
	_, text := ask(t, "POST", r.base+"/_dev/token", strings.NewReader(
		`{"application":"`+echo+`","user":"700000000000000001","scopes":["identify","gateway.connect","lobbies.write"]}`))
	bearer := "Bearer " + strings.Split(text, `"`)[3]
	_, made := ask(t, "POST", r.base+"/api/v10/lobbies", strings.NewReader(
		`{"members":[{"id":"700000000000000001","flags":1},{"id":"700000000000000009"}]}`))
	id := strings.Split(made, `"`)[3]
	_, where := ask(t, "GET", r.base+"/api/v10/gateway", nil)
	_, say, hear := connect(t, ws.Dialer{}, strings.Split(where, `"`)[3]+"?v=10&encoding=json")
	say(`{"op":2,"d":{"token":"` + bearer + `","properties":{}}}`)
	want := func(name string, parts ...string) {
		t.Helper()
		event := hear()
		for _, part := range append(parts, `"t":"`+name+`"`) {
			if !strings.Contains(event, part) {
				t.Fatalf("the gateway sends %s, want %s", event, part)
			}
		}
	}
	want("READY")
	want("LOBBY_CREATE", id)
	want("LOBBY_MEMBER_CONNECT", `"connected":true`)
	want("LOBBY_MEMBER_UPDATE", `"connected":true`)
	link := strings.NewReader(`{"channel_id":"900000000000000010"}`)
	if status, text := askAs(t, bearer, "PATCH", r.base+"/api/v10/lobbies/"+id+"/channel-linking", link); status != 200 {
		t.Fatalf("link: %d %s", status, text)
	}
	want("LOBBY_UPDATE", `"linked_channel":{"id":"900000000000000010"`)
	if status, text := r.invoke(t, "answer"); status != 200 {
		t.Fatalf("invoke: %d %s", status, text)
	}
	want("LOBBY_MESSAGE_CREATE", `"content":"Hello"`, `"lobby_id":"`+id+`"`, `"channel_id":"900000000000000010"`, `"bot":true`)
	if err := r.server.directory.Users.Delete(t.Context(), 700000000000000009); err != nil {
		t.Fatal(err)
	}
	want("LOBBY_MEMBER_REMOVE", `"id":"700000000000000009"`)
	if err := r.server.directory.Guilds.DeleteChannel(t.Context(), 900000000000000001, 900000000000000010); err != nil {
		t.Fatal(err)
	}
	want("LOBBY_UPDATE", `"members":[{"id":"700000000000000001"`)
}

// TestIdleLobbyEndsAfterBrokenConnection breaks the connection of a lobby's only client without a close code and moves
// the clock past the time to resume and the idle timeout.
func TestIdleLobbyEndsAfterBrokenConnection(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t), Dev: true})
	_, text := ask(t, "POST", r.base+"/_dev/token", strings.NewReader(
		`{"application":"`+echo+`","user":"700000000000000001","scopes":["identify","gateway.connect","lobbies.write"]}`))
	bearer := "Bearer " + strings.Split(text, `"`)[3]
	_, made := ask(t, "POST", r.base+"/api/v10/lobbies", strings.NewReader(
		`{"idle_timeout_seconds":60,"members":[{"id":"700000000000000001"}]}`))
	id := strings.Split(made, `"`)[3]
	_, where := ask(t, "GET", r.base+"/api/v10/gateway", nil)
	_, say, hear := connect(t, ws.Dialer{}, strings.Split(where, `"`)[3]+"?v=10&encoding=json")
	say(`{"op":2,"d":{"token":"` + bearer + `","properties":{}}}`)
	if event := hear(); !strings.Contains(event, `"t":"READY"`) {
		t.Fatalf("the gateway sends %s, want READY", event)
	}
	advance := func(by string) {
		t.Helper()
		if status, text := ask(t, "POST", r.base+"/_dev/clock", strings.NewReader(`{"advance":"`+by+`"}`)); status != 200 {
			t.Fatalf("advance: %d %s", status, text)
		}
	}
	want := func(when string, want int) {
		t.Helper()
		if status, text := ask(t, "GET", r.base+"/api/v10/lobbies/"+id, nil); status != want {
			t.Errorf("%s: %d %s, want %d", when, status, text, want)
		}
	}
	advance("1h")
	want("with a connected client", 200)
	all := func(session.Owner) bool { return true }
	for r.server.gateway.Disconnect(all, 0) > 0 {
		clock.Pause(t.Context(), time.Millisecond)
	}
	advance("2m")
	want("while the client can resume", 200)
	advance("10m")
	want("after the time to resume and the idle timeout", 404)
}
