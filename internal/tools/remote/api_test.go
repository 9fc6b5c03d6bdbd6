package remote_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/remote"
)

// TestCheckEncrypted checks that a token is sent only by https or to this machine.
func TestCheckEncrypted(t *testing.T) {
	t.Parallel()
	for base, ok := range map[string]bool{
		"https://discord.com/api/v10": true, "http://127.0.0.1:8080/api/v10": true, "http://localhost:8080/api/v10": true, "http://[::1]:8080/api": true,
		"http://discord.com/api/v10": false, "http://192.0.2.1/api/v10": false, "http://localhost.example/api/v10": false, "ftp://127.0.0.1/": false,
	} {
		if err := remote.CheckEncrypted(base); (err == nil) != ok {
			t.Errorf("CheckEncrypted(%s) = %v", base, err)
		}
	}
}

// TestClientNamesProgram checks the User-Agent header of the client.
func TestClientNamesProgram(t *testing.T) {
	t.Parallel()
	var agent string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { agent = r.UserAgent() }))
	t.Cleanup(srv.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := remote.NewClient("1.2 dev").Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "DiscordBot (https://github.com/bellhop/bellhop, 1.2-dev)"; agent != want {
		t.Errorf("User-Agent %q, want %q", agent, want)
	}
}
