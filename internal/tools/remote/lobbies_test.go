package remote_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/remote"
)

// TestLobbyList reads lobbies from the dev controls, and from the admin API with a token.
func TestLobbyList(t *testing.T) {
	t.Parallel()
	const body = `{"lobbies":[{"lobby":{"id":"7","members":[{"connected":true},{}]},"idle_timeout_seconds":90,"ends_in_seconds":null},
		{"lobby":{"id":"8","members":[]},"idle_timeout_seconds":5,"ends_in_seconds":3}]}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		root := "/_dev"
		if r.Header.Get("Authorization") != "" {
			root = "/admin/v1"
		}
		if r.URL.Path != root+"/applications/100/lobbies" || r.URL.Query().Get("limit") != "5" {
			t.Errorf("request of %s", r.URL)
		}
		_, _ = io.WriteString(w, body) // a broken connection fails the test
	}))
	t.Cleanup(srv.Close)
	for _, token := range []string{"", "secret"} {
		list, _, err := remote.LobbyList{BaseURL: srv.URL + "/api/v10", Token: token, App: "100", Limit: 5}.Read(t.Context())
		if err != nil || len(list) != 2 {
			t.Fatalf("Read() = %+v, %v", list, err)
		}
		if l := list[0]; l.ID != "7" || l.Members != 2 || l.Connected != 1 || l.IdleTimeout != 90*time.Second || l.EndsIn != nil {
			t.Errorf("the first lobby is %+v", l)
		}
		if l := list[1]; l.EndsIn == nil || *l.EndsIn != 3*time.Second {
			t.Errorf("the second lobby is %+v", l)
		}
	}
}
