package api_test

import (
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
)

func TestMaskPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, path, want string }{
		{"/interactions/{interaction_id}/{interaction_token}/callback", "/api/v10/interactions/1/abc/callback", "/api/v10/interactions/1/***/callback"},
		{"/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}", "/api/webhooks/1/abc/messages/@original", "/api/webhooks/1/***/messages/@original"},
		{"/webhooks/{webhook_id}/{webhook_token}", "/v9/webhooks/1/abc", "/v9/webhooks/1/***"},
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
		"":                                               "",
		"limit=5&after=1":                                "limit=5&after=1",
		"code=abc&x=1&client_secret=d":                   "code=***&x=1&client_secret=***",
		"access_token=abc":                               "access_token=***",
		"x=1;token=abc;y=2":                              "x=1;token=***;y=2",
		"id_token_hint=abc&user_code=AB-C":               "id_token_hint=***&user_code=***",
		"client_assertion=a.b.c&hm=ff":                   "client_assertion=***&hm=***",
		"Token=abc&TOKEN=abc":                            "Token=***&TOKEN=***",
		"%74oken=abc&tok%65n=abc":                        "%74oken=***&tok%65n=***",
		"refresh-token=abc&refreshToken=a":               "refresh-token=***&refreshToken=***",
		"Client.Secret=abc&token[]=abc":                  "Client.Secret=***&token[]=***",
		"%zz=abc&token_type=Bot":                         "%zz=***&token_type=Bot",
		"next=/device?user_code=AB-C&x=1":                "next=%2Fdevice%3Fuser_code%3D%2A%2A%2A&x=1",
		"next=%2Fdevice%3FUser-Code%3DABC":               "next=%2Fdevice%3FUser-Code%3D%2A%2A%2A",
		"next=%2Fa%3Fb%3D1":                              "next=%2Fa%3Fb%3D1",
		"%74oken%3Dabc":                                  "token%3D%2A%2A%2A",
		"next=%252Fdevice%253Fuser_code%253DABC":         "next=%252Fdevice%253Fuser_code%253D%252A%252A%252A",
		"next=%2F%3Fnext%3D%252Fdevice%253Fcode%253DABC": "next=%2F%3Fnext%3D%252Fdevice%253Fcode%253D%252A%252A%252A",
		"u=https%3A%2F%2Fa%2F%23access_token%3Dabc":      "u=https%3A%2F%2Fa%2F%23access_token%3D%2A%2A%2A",
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

// FuzzMaskQuery checks that a secret is not shown, whatever surrounds it, in which case its name is written, and how deep it is
// inside of other values.
func FuzzMaskQuery(f *testing.F) {
	f.Add("next", "/device", uint(5), uint8(0))
	f.Add("a=b&c", "x?y=z", uint(0), uint8(1))
	f.Add("%zz", "%", uint(1<<20), uint8(4))
	f.Add("redirect_uri", "https://a.example/#b;c", uint(77), uint8(2))
	const secret = "s3cr3tV4lue"
	f.Fuzz(func(t *testing.T, name, before string, spelling uint, depth uint8) {
		if strings.Contains(name+before, secret) {
			return
		}
		field := secretFieldNames[spelling%uint(len(secretFieldNames))]
		written := []byte(field)
		for i := range written { // some letters in capitals
			if c := written[i]; spelling>>(i%32)&1 == 1 && c >= 'a' && c <= 'z' {
				written[i] = c - 'a' + 'A'
			}
		}
		text := string(written)
		if spelling&64 != 0 { // one letter encoded
			i := int(spelling>>7) % len(text)
			text = text[:i] + "%" + strings.ToUpper(hex.EncodeToString([]byte(text[i:i+1]))) + text[i+1:]
		}
		query := text + "=" + secret
		for range depth % 6 {
			query = url.QueryEscape(name) + "=" + url.QueryEscape(before+"?"+query)
		}
		if got := api.MaskQuery("a=1&" + query + "&b=2"); strings.Contains(got, secret) || !strings.HasPrefix(got, "a=1&") || !strings.HasSuffix(got, "&b=2") {
			t.Errorf("MaskQuery(%q) = %q", query, got)
		}
		_ = api.MaskQuery(name + before) // does not panic
	})
}

var secretFieldNames = []string{
	"token", "access_token", "refresh-token", "id_token_hint", "client_secret", "code", "user_code", "device_code", "code_verifier", "client_assertion", "password", "hm", "signature",
}
