package server

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/parity"
)

var pathName = regexp.MustCompile(`\{[^}]*\}`)

// The list of Discord's operations says of each whether the service has a route for it. A route that is new, or gone, must be
// classified there.
func TestDocsReferenceParity(t *testing.T) {
	t.Parallel()
	routes := map[string]bool{}
	for _, o := range describe(t).operations(t) {
		routes[o.method+" "+pathName.ReplaceAllString(strings.TrimPrefix(o.path, "/api/v10"), "{}")] = true
	}
	l := parity.All()
	for _, o := range l.Operations {
		path := strings.Replace(o.Path, "/@original", "/{message_id}", 1) // one route serves both
		if has := routes[o.Method+" "+pathName.ReplaceAllString(path, "{}")]; has != (o.State != parity.Absent) {
			t.Errorf("%s %s: state %s, has a route: %t; correct internal/rules/parity/operations.txt", o.Method, o.Path, o.State, has)
		}
	}
	for _, e := range l.Events {
		if _, sent := gatewayEvents[e.Name]; sent != (e.State != parity.Absent) {
			t.Errorf("%s: state %s, is sent: %t; correct internal/rules/parity/events.txt", e.Name, e.State, sent)
		}
	}
	comparePage(t, "parity.md", "Parity with Discord", parityText(l))
}

// stateText has the names of the states on the page.
var stateText = map[parity.State]string{parity.Served: "served", parity.Part: "served in part", parity.Absent: "not served"}

func parityText(l parity.List) string {
	var b strings.Builder
	n := l.Count()
	fmt.Fprintf(&b, "Of the %d operations of Discord's HTTP API v10, Bellhop serves **%d**, and **%d** in part. It does not serve **%d**.\n\n",
		len(l.Operations), n[parity.Served], n[parity.Part], n[parity.Absent])
	b.WriteString("A request for an operation that is not served gets 404 with the header `X-Bellhop-Gap`, which names the operation. With\n" +
		"dev controls the message of the error says so too, and [Traffic](console.md) marks the request. The same list is printed by\n" +
		"`bellhop parity`.\n\n")
	group := ""
	for _, o := range l.Operations {
		if first := strings.Split(o.Path, "/")[1]; first != group {
			group = first
			fmt.Fprintf(&b, "\n## /%s\n\n| operation | state | |\n|---|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| `%s %s` | %s | %s |\n", o.Method, o.Path, stateText[o.State], o.Note)
	}
	for _, kind := range []struct {
		name    string
		entries []parity.Entry
	}{{"Events of the gateway", l.Events}, {"Intents", l.Intents}} {
		fmt.Fprintf(&b, "\n## %s\n\n| name | state | |\n|---|---|---|\n", kind.name)
		for _, e := range kind.entries {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Name, stateText[e.State], e.Note)
		}
	}
	return b.String()
}
