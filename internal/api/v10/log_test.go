package v10_test

import (
	"strings"
	"testing"
)

// TestRequestLog checks that the line of a request names the address and the caller, and no secret.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	d := open(t)
	const app, ada = `"application":"1300000000000000001"`, `"user":"700000000000000001"`
	for _, tt := range []struct {
		as, method, path string
		want             []string
		secret           string
	}{
		{"bot", "GET", commandsPath, []string{`"caller":"bot"`, app, `"path":"` + commandsPath + `"`}, "bot-echo"},
		{"person", "GET", "/api/v10/users/@me", []string{`"caller":"user"`, ada}, "user-ada"},
		{"signed", "GET", "/api/v10/users/@me?token=hush&limit=1", []string{`"caller":"bearer"`, app, ada, `@me?token=***&limit=1"`}, "hush"},
		{"admin", "GET", "/admin/v1/users", []string{`"caller":"operator"`}, `Bearer`},
		{"wrong", "GET", commandsPath, []string{`"caller":"none"`, `"status":401`}, "Bot nobody"},
		{"anonymous", "POST", "/api/v10/webhooks/1300000000000000001/hush-token", []string{`"caller":"none"`, `/webhooks/1300000000000000001/***"`}, "hush-token"},
		{"anonymous", "POST", "/api/v10/interactions/1/hush-token/callback", []string{`"caller":"none"`, `/interactions/1/***/callback"`}, "hush-token"},
		{"anonymous", "GET", "/api/v10/webhooks/1/hush-hush-hush-hush-hush/nothing", []string{`"route":"none"`, `/webhooks/1/***/nothing"`}, "hush-hush"},
	} {
		d.log.Reset()
		d.ask(t, tt.as, tt.method, tt.path, "")
		line := d.log.String()
		for _, want := range append(tt.want, `"address":"192.0.2.1"`, `"msg":"request"`) {
			if !strings.Contains(line, want) {
				t.Errorf("%s %s %s logs %s, want %s", tt.as, tt.method, tt.path, line, want)
			}
		}
		if strings.Contains(line, tt.secret) {
			t.Errorf("%s %s %s logs the secret %s: %s", tt.as, tt.method, tt.path, tt.secret, line)
		}
	}
}
