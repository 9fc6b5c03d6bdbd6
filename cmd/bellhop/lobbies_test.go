package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLobbies runs the script testdata/lobbies.txtar against a service with the demo world and a lobby.
func TestLobbies(t *testing.T) {
	t.Parallel()
	p := start(t, "dev", "--listen", "127.0.0.1:0")
	const token = "Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only"
	status, body, err := p.Send(t.Context(), http.MethodPost, "/api/v10/lobbies", token,
		`{"idle_timeout_seconds":604800,"members":[{"id":"1100000000000000200"},{"id":"1100000000000000201"}]}`)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s %v", status, body, err)
	}
	t.Run("scripts", func(t *testing.T) { // waits for the scripts before the service stops
		testscript.Run(t, testscript.Params{
			Files: []string{"testdata/lobbies.txtar"},
			Setup: func(e *testscript.Env) error {
				e.Setenv("ADDRESS", p.Base)
				e.Setenv("LOBBY", strings.Split(body, `"`)[3])
				return nil
			},
		})
	})
	p.StopCleanly(t)
}
