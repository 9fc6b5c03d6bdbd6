package api_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
)

func TestMaskPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, path, want string }{
		{"/interactions/{interaction_id}/{interaction_token}/callback", "/api/v10/interactions/1/abc/callback", "/api/v10/interactions/1/***/callback"},
		{"/webhooks/{application_id}/{interaction_token}/messages/{message_id}", "/api/webhooks/1/abc/messages/@original", "/api/webhooks/1/***/messages/@original"},
		{"/webhooks/{application_id}/{interaction_token}", "/v9/webhooks/1/abc", "/v9/webhooks/1/***"},
		{"/users/{user_id}", "/api/users/1", "/api/users/1"},
		{"", "/api/v10/webhooks/1100000000000000100/aW50ZXJhY3Rpb246MTox/unknown", "/api/v10/webhooks/1100000000000000100/***/unknown"},
		{"", "/short", "/short"},
		{"", "", ""},
	} {
		if got := api.MaskPath(tt.pattern, tt.path); got != tt.want {
			t.Errorf("MaskPath(%q, %q) = %q, want %q", tt.pattern, tt.path, got, tt.want)
		}
	}
}

func TestMaskQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                                 "",
		"limit=5&after=1":                  "limit=5&after=1",
		"code=abc&x=1&client_secret=d":     "code=***&x=1&client_secret=***",
		"access_token=abc":                 "access_token=***",
		"x=1;token=abc;y=2":                "x=1;token=***;y=2",
		"id_token_hint=abc&user_code=AB-C": "id_token_hint=***&user_code=***",
		"client_assertion=a.b.c&hm=ff":     "client_assertion=***&hm=***",
	} {
		if got := api.MaskQuery(query); got != want {
			t.Errorf("MaskQuery(%q) = %q, want %q", query, got, want)
		}
	}
}

// FuzzMask checks that neither a token in a path nor one in a query is ever shown.
func FuzzMask(f *testing.F) {
	for _, seed := range []string{"abc", "%2F", "a=b", "***", "é\xff"} {
		f.Add(seed)
	}
	const route = "/interactions/{interaction_id}/{interaction_token}/callback"
	f.Fuzz(func(t *testing.T, token string) {
		if strings.ContainsAny(token, "/&;?") {
			return // not one segment, or not one value
		}
		if got := api.MaskPath(route, "/api/v10/interactions/1/"+token+"/callback"); got != "/api/v10/interactions/1/***/callback" {
			t.Errorf("the path is shown as %q", got)
		}
		if got := api.MaskQuery("a=1&access_token=" + token + "&b=2"); got != "a=1&access_token=***&b=2" {
			t.Errorf("the query is shown as %q", got)
		}
	})
}
