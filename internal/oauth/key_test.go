package oauth_test

import (
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/go-jose/go-jose/v4"
)

func (d *fixture) keyIDs(t *testing.T) []string {
	t.Helper()
	set, err := d.KeySet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, k := range set.Keys {
		if !k.IsPublic() || !k.Valid() {
			t.Errorf("key %s is not a public key", k.KeyID)
		}
		ids = append(ids, k.KeyID)
	}
	return ids
}

// signedBy returns the id of the current key.
func (d *fixture) signedBy(t *testing.T) string {
	t.Helper()
	code := d.accept(t, 201, gameParams()).Get("code")
	token, err := d.Token(t.Context(), oauth.TokenRequest{
		Client: game, GrantType: "authorization_code", Code: code, RedirectURI: "http://127.0.0.1:51234/callback", Verifier: verifier,
	})
	if err != nil {
		t.Fatal(err)
	}
	return headerOf(t, token.IDToken)
}

func headerOf(t *testing.T, token auth.Secret) string {
	t.Helper()
	signed, err := jose.ParseSigned(token.Reveal(), []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	h := signed.Signatures[0].Header
	if h.ExtraHeaders[jose.HeaderType] != "JWT" {
		t.Errorf("header %v", h)
	}
	return h.KeyID
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := d.keyIDs(t)
	if len(first) != 1 || d.signedBy(t) != first[0] {
		t.Fatalf("keys %v", first)
	}
	d.clock.Advance(30*24*time.Hour - time.Second)
	if got := d.keyIDs(t); !slices.Equal(got, first) {
		t.Errorf("before 30 days: %v", got)
	}
	d.clock.Advance(time.Second)
	both := d.keyIDs(t)
	if len(both) != 2 || both[0] != first[0] || d.signedBy(t) != first[0] {
		t.Fatalf("after 30 days: %v, want the next one published, and the first still signing", both)
	}
	d.clock.Advance(24 * time.Hour)
	if got := d.signedBy(t); got != both[1] {
		t.Errorf("a day later %s signs, want the next one", got)
	}
	if got := d.keyIDs(t); !slices.Equal(got, both) {
		t.Errorf("%v: tokens of the first key must still verify", got)
	}
	d.clock.Advance(2 * time.Hour)
	if got := d.keyIDs(t); !slices.Equal(got, both[1:]) {
		t.Errorf("%v: the first key must be removed", got)
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	found := open(t).Discovery()
	if found.Issuer != issuer || found.AuthorizationEndpoint != issuer+"/oauth2/authorize" || found.JwksURI != issuer+"/api/oauth2/keys" ||
		!found.IssParameter || !slices.Equal(found.IDTokenSigningAlgValuesSupported, []string{"RS256"}) ||
		!slices.Equal(found.ResponseTypesSupported, []string{"code", "token"}) || !slices.Contains(found.ScopesSupported, "sdk.social_layer") {
		t.Errorf("Discovery() = %+v", found)
	}
}
