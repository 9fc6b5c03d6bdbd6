package oauth

import (
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// Paths below the issuer's URL.
const (
	AuthorizePage = "/oauth2/authorize"
	DevicePage    = "/oauth2/device"
	LogoutPage    = "/oauth2/logout"
	apiBase       = "/api"
	tokenPath     = apiBase + "/oauth2/token"
)

// Discovery is the metadata of the server, as in OpenID Connect Discovery and RFC 8414.
type Discovery struct {
	oidc.DiscoveryConfiguration

	// IssParameter says that authorization responses name the issuer (RFC 9207).
	IssParameter bool `json:"authorization_response_iss_parameter_supported"`
}

// Discovery returns the metadata of the server.
func (s *Server) Discovery() Discovery {
	methods := []oidc.AuthMethod{oidc.AuthMethodBasic, oidc.AuthMethodPost, oidc.AuthMethodPrivateKeyJWT, oidc.AuthMethodNone}
	var algorithms []string
	for _, a := range assertionAlgorithms {
		algorithms = append(algorithms, string(a))
	}
	return Discovery{
		DiscoveryConfiguration: oidc.DiscoveryConfiguration{
			Issuer:                                 s.Issuer,
			AuthorizationEndpoint:                  s.Issuer + AuthorizePage,
			TokenEndpoint:                          s.Issuer + tokenPath,
			IntrospectionEndpoint:                  s.Issuer + tokenPath + "/introspect",
			EndSessionEndpoint:                     s.Issuer + LogoutPage,
			UserinfoEndpoint:                       s.Issuer + apiBase + "/oauth2/userinfo",
			RevocationEndpoint:                     s.Issuer + apiBase + "/oauth2/token/revoke",
			DeviceAuthorizationEndpoint:            s.Issuer + apiBase + "/oauth2/device/authorize",
			JwksURI:                                s.Issuer + apiBase + "/oauth2/keys",
			ScopesSupported:                        auth.Obtainable(),
			ResponseTypesSupported:                 []string{string(CodeResponse), string(TokenResponse)},
			ResponseModesSupported:                 []string{"query", "fragment"},
			GrantTypesSupported:                    []oidc.GrantType{AuthorizationCode, RefreshToken, ClientCredentials, DeviceCode, "implicit"},
			SubjectTypesSupported:                  []string{"public"},
			IDTokenSigningAlgValuesSupported:       []string{"RS256"},
			TokenEndpointAuthMethodsSupported:      methods,
			RevocationEndpointAuthMethodsSupported: methods,

			TokenEndpointAuthSigningAlgValuesSupported:         algorithms,
			RevocationEndpointAuthSigningAlgValuesSupported:    algorithms,
			IntrospectionEndpointAuthMethodsSupported:          methods[:3], // introspection needs authentication
			IntrospectionEndpointAuthSigningAlgValuesSupported: algorithms,
			CodeChallengeMethodsSupported:                      []oidc.CodeChallengeMethod{oidc.CodeChallengeMethodS256},
			ClaimsSupported:                                    []string{"iss", "sub", "aud", "iat", "exp", "auth_time", "nonce", "at_hash"},
		},
		IssParameter: true,
	}
}

// scopeText returns scopes separated by spaces.
func scopeText(scopes []string) string { return strings.Join(scopes, " ") }
