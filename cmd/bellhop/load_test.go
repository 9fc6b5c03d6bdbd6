package main

import (
	"net/http"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestLoad runs the script testdata/load.txtar against a service with an app.
func TestLoad(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	p := start(t, "dev", "--listen", "127.0.0.1:0")
	const app, token = "1100000000000000100", "Bot MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only"
	for _, ask := range [][2]string{
		{"/_dev/world", `{"applications":[{"id":"` + app + `","name":"Dice","owner":"1100000000000000200","interactions_endpoint_url":"` + dice(t, nil) + `"}]}`},
		{"/api/v10/applications/" + app + "/commands", `{"name":"roll","description":"Roll dice","options":[
			{"type":4,"name":"sides","description":"How many sides"},{"type":3,"name":"how","description":"In which way"}]}`},
	} {
		if status, body, err := p.Send(t.Context(), http.MethodPost, ask[0], token, ask[1]); err != nil || status >= http.StatusMultipleChoices {
			t.Fatalf("%s: %d %s %v", ask[0], status, body, err)
		}
	}
	t.Run("scripts", func(t *testing.T) { // waits for the scripts before the service stops
		testscript.Run(t, testscript.Params{
			Files: []string{"testdata/load.txtar"},
			Setup: func(e *testscript.Env) error {
				e.Setenv("BELLHOP_BASE_URL", p.Base)
				return nil
			},
		})
	})
	p.StopCleanly(t)
}
