package dev

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, path, query, want string }{
		{"/interactions/{interaction_id}/{interaction_token}/callback", "/api/v10/interactions/1/abc/callback", "with_response=true", "/api/v10/interactions/1/***/callback?with_response=true"},
		{"/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}", "/api/webhooks/1/abc/messages/@original", "", "/api/webhooks/1/***/messages/@original"},
		{"/oauth2/token", "/api/v10/oauth2/token", "code=abc&x=1&client_secret=def", "/api/v10/oauth2/token?code=***&x=1&client_secret=***"},
	} {
		if got := maskPath(tt.pattern, tt.path, tt.query); got != tt.want {
			t.Errorf("maskPath() = %q, want %q", got, tt.want)
		}
	}
	json := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bot abc"}, "Cookie": {"s=1"}}
	c := newContent(&api.Content{Header: json, Start: []byte(`{"token":"a\"bc","name": "x","client_secret" : "d"}`), Size: 50})
	if c.Body != `{"token":"***","name": "x","client_secret" : "***"}` || c.Headers["Authorization"] != "Bot ***" || c.Headers["Cookie"] != "***" {
		t.Errorf("newContent() = %+v, want no secrets", c)
	}
	cut := newContent(&api.Content{Header: json, Start: []byte(`{"token":"` + strings.Repeat("a", api.MaxCaptured)), Size: 1 << 20})
	if cut.Body != `{"token":"***"` || !cut.Cut {
		t.Errorf("newContent() of a cut token = %+v", cut)
	}
	fields := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	c = newContent(&api.Content{Header: fields, Start: []byte("grant_type=x&refresh_token=abc"), Size: 30})
	if c.Body != "grant_type=x&refresh_token=***" {
		t.Errorf("newContent() = %+v, want no secrets", c)
	}
	binary := http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}
	c = newContent(&api.Content{Header: binary, Start: []byte("\xff"), Size: 1})
	if c.Body != "" || c.Size != 1 {
		t.Errorf("newContent() of a form = %+v, want no body", c)
	}
}
