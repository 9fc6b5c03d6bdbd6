package auth_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/snowflake"
	jsonv2 "github.com/go-json-experiment/json"
)

// TestSecretIsNeverPrinted prints a secret in every possible way.
func TestSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const plain = "hunter2-in-the-clear"
	secret := auth.Secret(plain)
	if secret.Reveal() != plain {
		t.Fatalf("Reveal() = %q", secret.Reveal())
	}
	record := struct {
		S auth.Secret
		P *auth.Secret
		L []auth.Secret
		M map[string]auth.Secret
	}{secret, &secret, []auth.Secret{secret}, map[string]auth.Secret{"a": secret}}

	printed := map[string]string{"String": secret.String(), "GoString": secret.GoString()}
	for _, verb := range []string{
		"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%f", "%U", "%c", "%20v", "%-20s", "%.3s", "%T and %[1]v", "%!",
	} {
		printed["Sprintf "+verb] = fmt.Sprintf(verb, secret)
		printed["Sprintf record "+verb] = fmt.Sprintf(verb, record)
	}
	printed["Sprint"] = fmt.Sprint(secret, record, []any{secret})
	printed["Errorf"] = fmt.Errorf("token %s of %v: %w", secret, record, fmt.Errorf("%q", secret)).Error()
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"slog text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"slog JSON": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		var b bytes.Buffer
		slog.New(handler(&b)).Info("created", "secret", secret, "record", record, "list", record.L, "pointer", &secret)
		printed[name] = b.String()
	}
	if text, err := json.Marshal(record); err != nil {
		t.Error(err)
	} else {
		printed["encoding/json"] = string(text)
	}
	if text, err := jsonv2.Marshal(record); err != nil {
		t.Error(err)
	} else {
		printed["json"] = string(text)
	}
	for way, text := range printed {
		if strings.Contains(text, "hunter2") || strings.Contains(text, fmt.Sprintf("%x", "hunter2")) {
			t.Errorf("%s prints %s", way, text)
		}
		if !strings.Contains(text, "[secret]") && way != "Sprintf %!" && way != "Sprintf record %!" {
			t.Errorf("%s prints %q, want [secret]", way, text)
		}
	}
}

func newAccess() auth.Secret {
	token, _ := auth.NewAccess(100, 0, nil, start)
	return token
}

func TestNewTokens(t *testing.T) {
	t.Parallel()
	const app, user = snowflake.Application(1100000000000000100), snowflake.User(1100000000000000200)
	for name, create := range map[string]func() auth.Secret{
		"bot": func() auth.Secret { return auth.NewBotToken(app, start) }, "bearer": newAccess,
		"user": func() auth.Secret { return auth.NewUserToken(user, start) }, "secret": auth.NewClientSecret,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[auth.Secret]bool{}
			for range 1000 {
				s := create()
				if seen[s] {
					t.Fatal("the same secret was created twice")
				}
				seen[s] = true
				parts := strings.Split(s.Reveal(), ".")
				if random, err := base64.RawURLEncoding.DecodeString(parts[len(parts)-1]); err != nil || len(random)*8 < 256 {
					t.Fatalf("%d random bits, %v, want 256", len(random)*8, err)
				}
				if len(s) > auth.MaxTokenLen || strings.ContainsFunc(s.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
					t.Fatal("contains characters that a header cannot contain")
				}
			}
		})
	}

	parts := strings.Split(auth.NewBotToken(app, start).Reveal(), ".")
	if len(parts) != 3 {
		t.Fatalf("bot token of %d parts, want 3", len(parts))
	}
	if id, err := base64.RawStdEncoding.DecodeString(parts[0]); err != nil || string(id) != app.String() {
		t.Errorf("first part of a bot token = %q, %v, want the application's id", id, err)
	}
	if created, err := base64.RawURLEncoding.DecodeString(parts[1]); err != nil || int64(binary.BigEndian.Uint32(created)) != start.Unix() {
		t.Errorf("second part of a bot token = %x, %v, want the time", created, err)
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	if got, want := auth.Hash("token"), sha256.Sum256([]byte("token")); got != want {
		t.Errorf("Hash() = %x, want %x", got, want)
	}
	hash := auth.Hash("secret")
	if !auth.Matches(hash[:], "secret") {
		t.Error("Matches() refuses the secret")
	}
	if auth.Matches(hash[:], "Secret") || auth.Matches(nil, "") || auth.Matches(nil, "secret") || auth.Matches(hash[:31], "secret") {
		t.Error("Matches() accepts another secret")
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	presence := []string{
		"activities.invites.write", "activities.read", "activities.write", "application_identities.write",
		"gateway.connect", "identify", "relationships.read", "relationships.write",
	}
	beyond := []string{
		"dm_channels.read", "dm_channels.messages.read", "dm_channels.messages.write", "guilds", "guilds.channels.read", "lobbies.write",
	}
	for _, tt := range []struct {
		name    string
		granted []string
		has     []string
		hasNot  []string
	}{
		{"none", nil, nil, []string{"identify", ""}},
		{"plain", []string{"identify", "email"}, []string{"identify", "email"}, []string{"guilds", "ident"}},
		{"presence", []string{"openid", "sdk.social_layer_presence"}, append(presence, "openid", "sdk.social_layer_presence"), beyond},
		{"social layer", []string{"sdk.social_layer"}, slices.Concat(presence, beyond), []string{"openid", "email", "sdk.social_layer_presence"}},
		{"bot", []string{"bot"}, []string{"bot", "applications.commands"}, []string{"applications.commands.update"}},
		{"commands", []string{"applications.commands"}, []string{"applications.commands"}, []string{"bot", "applications.commands.update"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := auth.Principal{Scopes: tt.granted}
			for _, s := range tt.has {
				if !p.HasScope(s) {
					t.Errorf("HasScope(%q) = false", s)
				}
			}
			for _, s := range tt.hasNot {
				if p.HasScope(s) {
					t.Errorf("HasScope(%q) = true", s)
				}
			}
		})
	}
}
