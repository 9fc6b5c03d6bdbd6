package main

import (
	"net/http"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestSay runs the script testdata/say.txtar against a service. MESSAGE is a message of ada.
func TestSay(t *testing.T) {
	t.Parallel()
	p := &engines.Node{Base: serveSlowly(t)}
	status, body, err := p.Send(t.Context(), http.MethodPost, "/_dev/say", "", `{"as":"ada","in":"Lab/general","content":"hi"}`)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, body, err)
	}
	said, err := jsonbody.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("scripts", func(t *testing.T) { // waits for the script before the service stops
		testscript.Run(t, testscript.Params{
			Files: []string{"testdata/say.txtar"},
			Setup: func(e *testscript.Env) error {
				e.Setenv("BELLHOP_BASE_URL", p.Base)
				e.Setenv("MESSAGE", said.Get("message").Get("id").Text())
				return nil
			},
		})
	})
}
