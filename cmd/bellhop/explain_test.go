package main

import (
	"net/http"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestExplain runs the script testdata/explain.txtar against a service with the demo world.
func TestExplain(t *testing.T) {
	t.Parallel()
	p := start(t, "dev", "--listen", "127.0.0.1:0")
	const token = "Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only"
	status, body, err := p.Send(t.Context(), http.MethodPost, "/api/v10/applications/1100000000000000100/commands", token,
		`{"name":"ban","description":"Ban a member","default_member_permissions":"4","name_localizations":{"de":"bannen"}}`)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s %v", status, body, err)
	}
	t.Run("scripts", func(t *testing.T) { // waits for the scripts before the service stops
		testscript.Run(t, testscript.Params{
			Files: []string{"testdata/explain.txtar"},
			Setup: func(e *testscript.Env) error {
				e.Setenv("ADDRESS", p.Base)
				return nil
			},
		})
	})
	p.StopCleanly(t)
}
