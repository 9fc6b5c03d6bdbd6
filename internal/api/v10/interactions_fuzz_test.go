package v10_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzInvoke sends any body to the routes that invoke commands. Each response must be JSON and not an internal error.
func FuzzInvoke(f *testing.F) {
	d := open(f)
	d.addRelay(f)
	made := d.ask(f, "relay", http.MethodPost, "/api/v10/applications/1300000000000000004/commands",
		`{"name":"say","description":"Say something","options":[{"type":3,"name":"answer","description":"What","autocomplete":true},
		{"type":4,"name":"times","description":"How often","max_value":3},{"type":6,"name":"whom","description":"Whom"}]}`)
	d.variables.capture(made.body)
	for _, seed := range []string{
		`{"type":2,"application_id":"1300000000000000004","guild_id":"900000000000000003","channel_id":"900000000000000030","data":{"id":"$COMMAND","version":"$VERSION","name":"say","type":1,"options":[{"type":3,"name":"answer","value":"x"},{"type":4,"name":"times","value":2},{"type":6,"name":"whom","value":"700000000000000002"}]}}`,
		`{"type":4,"application_id":"1300000000000000004","guild_id":"900000000000000003","channel_id":"900000000000000030","data":{"id":"$COMMAND","version":"$VERSION","name":"say","type":1,"options":[{"type":3,"name":"answer","value":"x","focused":true}]}}`,
		`{"type":3,"application_id":"1300000000000000004","channel_id":"900000000000000030","message_id":"5","data":{"component_type":2,"custom_id":"x"}}`,
		`{"type":5,"application_id":"1300000000000000004","channel_id":"900000000000000030","data":{"id":"5","custom_id":"x","components":[{"type":1,"components":[{"type":4,"custom_id":"t","value":"v"}]}]}}`,
		`{"as":"ada","in":"Hall/stage","command":"/say answer:x times:2 whom:<@700000000000000002>","wait":"none"}`,
		`{"as":"ada","in":"Hall/stage","command":{"name":"say","options":[{"name":"times","value":1e400}]},"wait":"none"}`,
		`{"as":"ada","in":"Hall/stage","command":"/say","autocomplete":"answer","wait":"none"}`,
		`[]`,
	} {
		f.Add(d.variables.expand(seed))
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/api/v10/interactions", "/_dev/invoke"} {
			once := strings.Count(body, `"wait"`) == 1 && strings.Contains(body, `"wait":"none"`) && !strings.Contains(body, `\`)
			if path == "/_dev/invoke" && !once {
				continue // it would wait for an app that never answers
			}
			got := d.ask(t, "person", http.MethodPost, path, body)
			if got.status >= http.StatusInternalServerError && got.status != http.StatusServiceUnavailable {
				t.Errorf("%s answers %d %s to %q", path, got.status, got.body, body)
			}
			if got.body != "" && !jsontext.Value(got.body).IsValid() {
				t.Errorf("%s answers %q to %q", path, got.body, body)
			}
		}
	})
}
