package idp_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/idp"
	"github.com/google/go-cmp/cmp"
)

const staff = `
providers:
  - id: staff
    name: Staff
    issuer: https://id.example/realms/staff
    client_id: bellhop
    client_secret_file: secret
    scopes: [groups]
    operators:
      claim: realm_access.roles
      scopes:
        admins: [read, directory, secrets]
        support: [read]
  - id: players
    issuer: https://players.example
    client_id: bellhop
    client_secret: hush
    subject_is_user_id: true
`

func parse(text string) ([]idp.Provider, error) {
	return idp.Parse("providers.yaml", []byte(text), func(file string) ([]byte, error) {
		if file == "secret" {
			return []byte("s3cret\n"), nil
		}
		return nil, os.ErrNotExist
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := parse(staff)
	want := []idp.Provider{
		{
			ID: "staff", Name: "Staff", Issuer: "https://id.example/realms/staff", ClientID: "bellhop", Secret: "s3cret", Scopes: []string{"groups"},
			Operators: idp.Operators{Claim: "realm_access.roles", Scopes: map[string][]string{"admins": {"read", "directory", "secrets"}, "support": {"read"}}},
		},
		{ID: "players", Issuer: "https://players.example", ClientID: "bellhop", Secret: "hush", SubjectIsUserID: true},
	}
	if err != nil || cmp.Diff(want, got) != "" {
		t.Fatalf("Parse(): %v\n%s", err, cmp.Diff(want, got))
	}
	if got[0].Secret.Reveal() != "s3cret" || got[0].Title() != "Staff" || got[1].Title() != "players.example" {
		t.Errorf("secret %q, titles %q and %q", got[0].Secret.Reveal(), got[0].Title(), got[1].Title())
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	one := "providers:\n  - {id: a, issuer: 'https://a.example', client_id: b%s}\n"
	with := func(more string) string { return strings.Replace(one, "%s", more, 1) }
	for _, tt := range []struct{ give, want string }{
		{"", "providers: is required"},
		{"providers: []", "providers: is required"},
		{"providers: !x 5", "YAML tags are not supported"},
		{"providers:\n  ! #", "YAML tags are not supported"},
		{"provider: []", `unknown field "provider"`},
		{with(", isuer: x"), `unknown field "isuer"`},
		{with(", client_secret: x, client_secret_file: secret"), "providers.0.client_secret_file: give client_secret or client_secret_file, not both"},
		{with(", client_secret_file: nowhere"), "providers.0.client_secret_file: file does not exist"},
		{with(", scopes: ['a b']"), `providers.0.scopes: "a b" is no scope`},
		{with(", operators: {claim: groups}"), "providers.0.operators.scopes: is required"},
		{with(", operators: {scopes: {a: [read]}}"), "providers.0.operators.claim: is required"},
		{with(", operators: {claim: groups, scopes: {a: [root]}}"), `providers.0.operators.scopes.a: "root" is not one of read, directory, secrets`},
		{"providers:\n  - {id: A, issuer: 'https://a.example', client_id: b}", "providers.0.id: want"},
		{"providers:\n  - {id: a, issuer: 'http://a.example', client_id: b}", "providers.0.issuer: want an https URL"},
		{"providers:\n  - {id: a, issuer: 'https://a.example?x', client_id: b}", "providers.0.issuer: want an https URL"},
		{"providers:\n  - {id: a, issuer: 'https://a.example'}", "providers.0.client_id: is required"},
		{with("") + "  - {id: a, issuer: 'https://b.example', client_id: b}", `providers.1.id: another provider has the id "a"`},
		{with("") + "  - {id: b, issuer: 'https://a.example', client_id: b}", `providers.1.issuer: another provider has the issuer "https://a.example"`},
		{strings.Repeat("#", 1<<20+1), "larger than"},
	} {
		if _, err := parse(tt.give); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "providers.yaml:") {
			t.Errorf("%q: %v, want %q", tt.give[:min(len(tt.give), 120)], err, tt.want)
		}
	}
	many := make([]idp.Provider, idp.MaxProviders+1)
	if err := idp.Check(many); err == nil || !strings.Contains(err.Error(), "there are 21, the most are 20") {
		t.Errorf("Check() of 21 = %v", err)
	}
}

func TestLoadReadsSecretsBesideTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "providers.yaml")
	if err := errors.Join(os.WriteFile(file, []byte(staff), 0o600), os.WriteFile(filepath.Join(dir, "secret"), []byte("beside"), 0o600)); err != nil {
		t.Fatal(err)
	}
	got, err := idp.Load(file)
	if err != nil || got[0].Secret.Reveal() != "beside" {
		t.Errorf("Load() = %v, %v", got, err)
	}
}

func TestOperatorScopes(t *testing.T) {
	t.Parallel()
	scopes := map[string][]string{"admins": {"secrets", "read"}, "support": {"read"}, "hosts": {"directory"}}
	for _, tt := range []struct {
		name   string
		claim  string
		claims map[string]any
		want   []string
	}{
		{"a text", "role", map[string]any{"role": "support"}, []string{"read"}},
		{"a list", "groups", map[string]any{"groups": []any{"support", "hosts", "x", 1}}, []string{"read", "directory"}},
		{"each scope once", "groups", map[string]any{"groups": []any{"support", "admins"}}, []string{"read", "secrets"}},
		{"a member of an object", "realm_access.roles", map[string]any{"realm_access": map[string]any{"roles": []any{"admins"}}}, []string{"read", "secrets"}},
		{"a name with dots", "https://x.example/roles", map[string]any{"https://x.example/roles": []any{"hosts"}}, []string{"directory"}},
		{"no claim", "groups", map[string]any{}, nil},
		{"another type", "groups", map[string]any{"groups": map[string]any{"admins": true}}, nil},
		{"unknown values", "groups", map[string]any{"groups": "Admins"}, nil},
		{"no operators", "", map[string]any{"": "admins"}, nil},
	} {
		got := idp.Operators{Claim: tt.claim, Scopes: scopes}.Of(tt.claims)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: Of() = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzProviders checks that a file is refused or gives providers that Check accepts.
func FuzzProviders(f *testing.F) {
	f.Add([]byte(staff))
	f.Add([]byte("providers:\n  - {id: a, issuer: 'https://a.example', client_id: b}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parse(string(data))
		if err != nil {
			return
		}
		if err := idp.Check(list); err != nil || len(list) == 0 {
			t.Errorf("Parse() accepts %d providers, Check() = %v", len(list), err)
		}
	})
}
