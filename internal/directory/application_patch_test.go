package directory_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, body string) (directory.ApplicationPatch, map[string][]jsonbody.Code) {
	t.Helper()
	v, err := jsonbody.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var tree jsonbody.Tree
	return directory.ReadApplicationPatch(&tree, v), tree.Flat()
}

func TestReadApplicationPatch(t *testing.T) {
	t.Parallel()
	type findings = map[string][]jsonbody.Code
	for _, tt := range []struct {
		name string
		body string
		want findings
	}{
		{"nothing", `{}`, findings{}},
		{"what is not an app's to change", `{"name":5,"icon":[],"bot_public":"no"}`, findings{}},
		{"longest description", `{"description":"` + strings.Repeat("ä", 400) + `"}`, findings{}},
		{"description too long", `{"description":"` + strings.Repeat("ä", 401) + `"}`, findings{"description": {jsonbody.MaxLength}}},
		{"tag too long", `{"tags":["` + strings.Repeat("x", 21) + `"]}`, findings{"tags.0": {jsonbody.BadLength}}},
		{"tag without letters", `{"tags":[""]}`, findings{"tags.0": {jsonbody.BadLength}}},
		{"flags below zero", `{"flags":-1}`, findings{"flags": {jsonbody.NumberMin}}},
		{"http address", `{"interactions_endpoint_url":"http://127.0.0.1:9000/i?x=1"}`, findings{}},
		{"address with a user", `{"interactions_endpoint_url":"https://a:b@example.com/"}`, findings{"interactions_endpoint_url": {directory.InvalidURL}}},
		{"address with a fragment", `{"interactions_endpoint_url":"https://example.com/#a"}`, findings{"interactions_endpoint_url": {directory.InvalidURL}}},
		{"address without a host", `{"interactions_endpoint_url":"https://"}`, findings{"interactions_endpoint_url": {directory.InvalidURL}}},
		{"address of a file", `{"interactions_endpoint_url":"file://host/etc"}`, findings{"interactions_endpoint_url": {directory.InvalidScheme}}},
		{"address too long", `{"interactions_endpoint_url":"https://example.com/` + strings.Repeat("x", 2048) + `"}`, findings{"interactions_endpoint_url": {jsonbody.MaxLength}}},
		{"no way to install", `{"integration_types_config":{}}`, findings{"integration_types_config": {jsonbody.MinLength}}},
		{"unknown way to install", `{"integration_types_config":{"2":{}}}`, findings{"integration_types_config.2": {jsonbody.Choices}}},
		{
			"unknown permissions", `{"integration_types_config":{"0":{"oauth2_install_params":{"scopes":[],"permissions":"18014398509481984"}}}}`,
			findings{"integration_types_config.0.oauth2_install_params.permissions": {jsonbody.NumberCoerce}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got := read(t, tt.body); cmp.Diff(tt.want, got) != "" {
				t.Errorf("ReadApplicationPatch() (-want +got):\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
}
