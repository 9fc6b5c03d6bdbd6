package oauthserver

import (
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// Paths below the issuer's address at which others find what the server offers.
const (
	AuthorizePage = "/oauth2/authorize"
	DevicePage    = "/oauth2/device"
	apiBase       = "/api"
)

// Discovery is what the server says of itself, after OpenID Connect Discovery and RFC 8414.
type Discovery struct {
	oidc.DiscoveryConfiguration

	// IssParameter says that answers name the issuer, after RFC 9207.
	IssParameter bool `json:"authorization_response_iss_parameter_supported"`
}

// Discovery returns what the server says of itself.
func (g *Grants) Discovery() Discovery {
	methods := []oidc.AuthMethod{oidc.AuthMethodBasic, oidc.AuthMethodPost, oidc.AuthMethodNone}
	return Discovery{
		DiscoveryConfiguration: oidc.DiscoveryConfiguration{
			Issuer:                                 g.Issuer,
			AuthorizationEndpoint:                  g.Issuer + AuthorizePage,
			TokenEndpoint:                          g.Issuer + apiBase + "/oauth2/token",
			UserinfoEndpoint:                       g.Issuer + apiBase + "/oauth2/userinfo",
			RevocationEndpoint:                     g.Issuer + apiBase + "/oauth2/token/revoke",
			DeviceAuthorizationEndpoint:            g.Issuer + apiBase + "/oauth2/device/authorize",
			JwksURI:                                g.Issuer + apiBase + "/oauth2/keys",
			ScopesSupported:                        auth.Obtainable(),
			ResponseTypesSupported:                 []string{string(CodeResponse), string(TokenResponse)},
			ResponseModesSupported:                 []string{"query", "fragment"},
			GrantTypesSupported:                    []oidc.GrantType{AuthorizationCode, RefreshToken, ClientCredentials, DeviceCode, "implicit"},
			SubjectTypesSupported:                  []string{"public"},
			IDTokenSigningAlgValuesSupported:       []string{"RS256"},
			TokenEndpointAuthMethodsSupported:      methods,
			RevocationEndpointAuthMethodsSupported: methods,
			CodeChallengeMethodsSupported:          []oidc.CodeChallengeMethod{oidc.CodeChallengeMethodS256},
			ClaimsSupported:                        []string{"iss", "sub", "aud", "iat", "exp", "auth_time", "nonce", "at_hash"},
		},
		IssParameter: true,
	}
}

// scopeText writes scopes as they go on the wire.
func scopeText(scopes []string) string { return strings.Join(scopes, " ") }
