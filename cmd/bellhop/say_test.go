package main

import (
	"net/http"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestSay runs the script testdata/say.txtar against a service. MESSAGE is a message of ada, POLL one with a poll.
func TestSay(t *testing.T) {
	t.Parallel()
	p := &engines.Node{Base: serveSlowly(t)}
	message := sayAs(t, p, `{"as":"ada","in":"Lab/general","content":"hi"}`)
	poll := sayAs(t, p, `{"as":"ada","in":"Lab/general","poll":{"question":{"text":"Tea?"},"answers":[{"poll_media":{"text":"Yes"}},{"poll_media":{"text":"No"}}]}}`)
	t.Run("scripts", func(t *testing.T) { // waits for the script before the service stops
		testscript.Run(t, testscript.Params{
			Files: []string{"testdata/say.txtar"},
			Setup: func(e *testscript.Env) error {
				e.Setenv("BELLHOP_BASE_URL", p.Base)
				e.Setenv("MESSAGE", message)
				e.Setenv("POLL", poll)
				return nil
			},
		})
	})
}

// sayAs writes a message and returns its id.
func sayAs(t *testing.T, p *engines.Node, body string) string {
	t.Helper()
	status, text, err := p.Send(t.Context(), http.MethodPost, "/_dev/say", "", body)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, text, err)
	}
	said, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return said.Get("message").Get("id").Text()
}
