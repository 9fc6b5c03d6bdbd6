package convert_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, body string) (convert.ApplicationPatch, map[string][]jsonbody.Code) {
	t.Helper()
	v, err := jsonbody.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var tree jsonbody.Tree
	p, err := convert.ReadApplicationPatch(&tree, v)
	if err != nil {
		t.Errorf("ReadApplicationPatch() = %v", err)
	}
	return p, tree.Flat()
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
		{"what is not an app's to change", `{"name":5,"bot_public":"no"}`, findings{}},
		{"images that are removed", `{"icon":null,"cover_image":null}`, findings{}},
		{"images", `{"icon":"data:,","cover_image":[]}`, findings{"icon": {imagedata.InvalidURI}, "cover_image": {convert.Unsupported}}},
		{"event webhooks as they are", `{"event_webhooks_url":null,"event_webhooks_status":1,"event_webhooks_types":[]}`, findings{}},
		{"event webhooks", `{"event_webhooks_url":"https://example.com","event_webhooks_status":2,"event_webhooks_types":["ENTITLEMENT_CREATE","LOBBY_MESSAGE_CREATE"]}`, findings{}},
		{
			"wrong event webhooks", `{"event_webhooks_url":"example","event_webhooks_status":3,"event_webhooks_types":["ENTITLEMENT_CREATE","X","ENTITLEMENT_CREATE"]}`,
			findings{
				"event_webhooks_url": {convert.InvalidURL}, "event_webhooks_status": {jsonbody.Choices},
				"event_webhooks_types.1": {jsonbody.Choices}, "event_webhooks_types.2": {jsonbody.Choices},
			},
		},
		{"event webhooks of a wrong kind", `{"event_webhooks_status":"on","event_webhooks_types":5}`, findings{"event_webhooks_status": {jsonbody.NumberCoerce}, "event_webhooks_types": {jsonbody.ListConvert}}},
		{"other settings", `{"team_id":"1","type":1,"max_participants":2}`, findings{"team_id": {convert.Unsupported}, "type": {convert.Unsupported}, "max_participants": {convert.Unsupported}}},
		{"flags of the application", `{"flags":8519680}`, findings{}},
		{"flags that no app can set", `{"flags":1}`, findings{"flags": {convert.Unsupported}}},
		{"install links", `{"install_params":{"scopes":["bot"],"permissions":"8"},"custom_install_url":"https://example.com/"}`, findings{}},
		{
			"half an install link", `{"install_params":{"scopes":["bot"]},"custom_install_url":"example"}`,
			findings{"install_params.permissions": {jsonbody.Required}, "custom_install_url": {convert.InvalidURL}},
		},
		{"longest description", `{"description":"` + strings.Repeat("ä", 400) + `"}`, findings{}},
		{"description too long", `{"description":"` + strings.Repeat("ä", 401) + `"}`, findings{"description": {jsonbody.MaxLength}}},
		{"tag too long", `{"tags":["` + strings.Repeat("x", 21) + `"]}`, findings{"tags.0": {jsonbody.BadLength}}},
		{"tag without letters", `{"tags":[""]}`, findings{"tags.0": {jsonbody.BadLength}}},
		{"flags below zero", `{"flags":-1}`, findings{"flags": {jsonbody.NumberMin}}},
		{"http address", `{"interactions_endpoint_url":"http://127.0.0.1:9000/i?x=1"}`, findings{}},
		{"address with a user", `{"interactions_endpoint_url":"https://a:b@example.com/"}`, findings{"interactions_endpoint_url": {convert.InvalidURL}}},
		{"address with a fragment", `{"interactions_endpoint_url":"https://example.com/#a"}`, findings{"interactions_endpoint_url": {convert.InvalidURL}}},
		{"address without a host", `{"interactions_endpoint_url":"https://"}`, findings{"interactions_endpoint_url": {convert.InvalidURL}}},
		{"address of a file", `{"interactions_endpoint_url":"file://host/etc"}`, findings{"interactions_endpoint_url": {convert.InvalidScheme}}},
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

// FuzzReadApplicationPatch checks that what an app changes keeps the rules for URLs, event webhooks and flags.
func FuzzReadApplicationPatch(f *testing.F) {
	for _, s := range []string{
		`{"event_webhooks_url":"https://a.example/x","event_webhooks_status":2,"event_webhooks_types":["LOBBY_MESSAGE_CREATE","APPLICATION_AUTHORIZED"]}`,
		`{"custom_install_url":"javascript:alert(1)","role_connections_verification_url":"https://u:p@a.example","tags":["a"],"flags":8}`,
		`{"integration_types_config":{"0":{"oauth2_install_params":{"scopes":["bot"],"permissions":"8"}},"1":null},"icon":null,"event_webhooks_types":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		var tree jsonbody.Tree
		p, unusable := convert.ReadApplicationPatch(&tree, v)
		if tree.Failed() || unusable != nil {
			return
		}
		a := p.Apply(store.Application{})
		for _, text := range []string{a.InteractionsEndpointURL, a.CustomInstallURL, a.RoleConnectionsURL, a.EventURL} {
			u, err := url.Parse(text)
			if text != "" && (err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || len(text) > 2048) {
				t.Errorf("%q sets the URL %q", in, text)
			}
		}
		if a.EventStatus != 0 && a.EventStatus != wire.EventWebhooksEnabled {
			t.Errorf("%q sets the status %d", in, a.EventStatus)
		}
		if types := slices.Clone(a.EventTypes); !slices.IsSorted(types) || len(slices.Compact(types)) != len(a.EventTypes) ||
			slices.ContainsFunc(types, func(name string) bool { return !wire.KnowsEventWebhook(name) }) {
			t.Errorf("%q sets the types %v", in, a.EventTypes)
		}
		if a.Intents&^convert.LimitedIntents != 0 {
			t.Errorf("%q sets the flags %x", in, a.Intents)
		}
	})
}
