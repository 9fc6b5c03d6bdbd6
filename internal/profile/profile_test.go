package profile_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/profile"
	"github.com/bellhop/bellhop/problem"
	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, body string) (profile.Patch, map[string][]problem.Code) {
	t.Helper()
	v, err := form.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var tree problem.Tree
	return profile.Read(&tree, v), tree.Flat()
}

func TestRead(t *testing.T) {
	t.Parallel()
	type findings = map[string][]problem.Code
	for _, tt := range []struct {
		name string
		body string
		want findings
	}{
		{"nothing", `{}`, findings{}},
		{"what is not an app's to change", `{"name":5,"icon":[],"bot_public":"no"}`, findings{}},
		{"longest description", `{"description":"` + strings.Repeat("ä", 400) + `"}`, findings{}},
		{"description too long", `{"description":"` + strings.Repeat("ä", 401) + `"}`, findings{"description": {problem.MaxLength}}},
		{"tag too long", `{"tags":["` + strings.Repeat("x", 21) + `"]}`, findings{"tags.0": {problem.BadLength}}},
		{"tag without letters", `{"tags":[""]}`, findings{"tags.0": {problem.BadLength}}},
		{"flags below zero", `{"flags":-1}`, findings{"flags": {problem.NumberMin}}},
		{"http address", `{"interactions_endpoint_url":"http://127.0.0.1:9000/i?x=1"}`, findings{}},
		{"address with a user", `{"interactions_endpoint_url":"https://a:b@example.com/"}`, findings{"interactions_endpoint_url": {profile.InvalidURL}}},
		{"address with a fragment", `{"interactions_endpoint_url":"https://example.com/#a"}`, findings{"interactions_endpoint_url": {profile.InvalidURL}}},
		{"address without a host", `{"interactions_endpoint_url":"https://"}`, findings{"interactions_endpoint_url": {profile.InvalidURL}}},
		{"address of a file", `{"interactions_endpoint_url":"file://host/etc"}`, findings{"interactions_endpoint_url": {profile.InvalidScheme}}},
		{"address too long", `{"interactions_endpoint_url":"https://example.com/` + strings.Repeat("x", 2048) + `"}`, findings{"interactions_endpoint_url": {problem.MaxLength}}},
		{"no way to install", `{"integration_types_config":{}}`, findings{"integration_types_config": {problem.MinLength}}},
		{"unknown way to install", `{"integration_types_config":{"2":{}}}`, findings{"integration_types_config.2": {problem.Choices}}},
		{
			"unknown permissions", `{"integration_types_config":{"0":{"oauth2_install_params":{"scopes":[],"permissions":"18014398509481984"}}}}`,
			findings{"integration_types_config.0.oauth2_install_params.permissions": {problem.NumberCoerce}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got := read(t, tt.body); cmp.Diff(tt.want, got) != "" {
				t.Errorf("Read() (-want +got):\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
}
