package directory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/problem"
	"github.com/google/go-cmp/cmp"
)

func readProfile(t *testing.T, body string) (directory.Profile, map[string][]problem.Code) {
	t.Helper()
	v, err := form.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var tree problem.Tree
	return directory.ReadProfile(&tree, v), tree.Flat()
}

func TestReadProfile(t *testing.T) {
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
		{"address with a user", `{"interactions_endpoint_url":"https://a:b@example.com/"}`, findings{"interactions_endpoint_url": {directory.InvalidURL}}},
		{"address with a fragment", `{"interactions_endpoint_url":"https://example.com/#a"}`, findings{"interactions_endpoint_url": {directory.InvalidURL}}},
		{"address without a host", `{"interactions_endpoint_url":"https://"}`, findings{"interactions_endpoint_url": {directory.InvalidURL}}},
		{"address of a file", `{"interactions_endpoint_url":"file://host/etc"}`, findings{"interactions_endpoint_url": {directory.InvalidScheme}}},
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
			if _, got := readProfile(t, tt.body); cmp.Diff(tt.want, got) != "" {
				t.Errorf("ReadProfile() (-want +got):\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
}

func TestEditApplication(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.apply(t, lab)
	edit := func(body string) *store.Application {
		p, wrong := readProfile(t, body)
		if len(wrong) > 0 {
			t.Fatalf("ReadProfile() = %v", wrong)
		}
		return get[*store.Application](t)(d.EditApplication(t.Context(), 100, p))
	}
	before := *edit(`{}`)
	want := before
	want.Description, want.Tags, want.Intents = "Says it back.", []string{"echo"}, 1<<15
	want.IntegrationTypes = []uint8{0}
	want.InstallParams = map[uint8]store.InstallParams{0: {Scopes: []string{"bot"}, Permissions: 8}}
	got := edit(`{"description":"Says it back.","tags":["echo"],"flags":16809984,
		"integration_types_config":{"0":{"oauth2_install_params":{"scopes":["bot"],"permissions":"8"}}}}`)
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("EditApplication() (-want +got):\n%s", diff)
	}
	if n := d.apply(t, lab).Changed; n != 1 {
		t.Errorf("applying the world changes %d records, want what it says about the application", n)
	}
	kept := get[*store.Application](t)(d.Application(t.Context(), 100))
	if len(kept.Tags) != 1 || kept.Intents != 1<<15 || kept.Description != "" {
		t.Errorf("after the world the application is %+v", kept)
	}
	back := *edit(`{"tags":null,"flags":0,"integration_types_config":{"0":{},"1":null}}`)
	if diff := cmp.Diff(before, back); diff != "" {
		t.Errorf("EditApplication() does not take back (-want +got):\n%s", diff)
	}
	if _, err := d.EditApplication(t.Context(), 5, directory.Profile{}); !errors.Is(err, directory.ErrUnknownApplication) {
		t.Errorf("EditApplication() = %v for no application", err)
	}
}
