package server

import (
	"fmt"
	"strings"
	"testing"
)

// TestLobbiesShutDown moves the clock of a running service, which stops in between.
func TestLobbiesShutDown(t *testing.T) {
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
		t.Errorf("a user that a lobby made known: %d %s", status, text)
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
	advance(590) // the idle time began anew with the service
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
