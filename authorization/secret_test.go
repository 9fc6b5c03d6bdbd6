package authorization_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/authorization"
)

// valuesWithSecrets returns values that contain the secret "hush".
func valuesWithSecrets(t *testing.T) map[string]any {
	t.Helper()
	verifier, err := authorization.ParseCodeVerifier(strings.Repeat("hush", 11))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{
		"secret":   authorization.Secret("hush"),
		"verifier": verifier,
		"grant":    authorization.Grant{ClientID: 1, Code: "hush", RedirectURI: "http://127.0.0.1:1/callback"},
		"token":    authorization.Token{AccessToken: "hush", RefreshToken: "hush", IDToken: "hush", Scopes: "openid"},
		"device":   authorization.Device{DeviceCode: "hush", VerificationURI: "https://bellhop.example/activate"},
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	for name, v := range valuesWithSecrets(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%c", "%U", "%t", "%e"} {
				for how, give := range map[string]any{"value": v, "pointer": &v, "slice": []any{v}, "member": struct{ V any }{v}} {
					if got := fmt.Sprintf(verb, give); shows(got) {
						t.Errorf("%s of a %s shows the secret: %s", verb, how, got)
					}
				}
			}
			var out bytes.Buffer
			for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
				slog.New(handler).InfoContext(t.Context(), "signed in", "value", v)
			}
			if shows(out.String()) {
				t.Errorf("the log shows the secret: %s", out.String())
			}
		})
	}
}

// shows reports whether s contains the secret, as plain text or in hexadecimal.
func shows(s string) bool {
	return strings.Contains(s, "hush") || strings.Contains(strings.ToLower(s), fmt.Sprintf("%x", "hush"))
}

func TestSecretPrints(t *testing.T) {
	t.Parallel()
	secret := authorization.Secret("hush")
	for _, got := range []string{
		secret.String(), secret.GoString(), secret.LogValue().String(), fmt.Sprint(secret), fmt.Sprintf("%#v", secret),
		authorization.NewCodeVerifier().String(),
	} {
		if got != "[secret]" {
			t.Errorf("print = %q, want [secret]", got)
		}
	}
}

func TestTokenCanBeStored(t *testing.T) {
	t.Parallel()
	give := authorization.Token{ClientID: appID, AccessToken: "a", RefreshToken: "r", Type: "Bearer", ExpiresIn: 7, Scopes: "openid"}
	stored, err := json.Marshal(give)
	if err != nil {
		t.Fatal(err)
	}
	var got authorization.Token
	if err := json.Unmarshal(stored, &got); err != nil || got != give {
		t.Errorf("stored token = %+v, %v, want the same back", got, err)
	}
}
