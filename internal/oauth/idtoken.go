package oauth

import (
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// idTokenLife is the time for which an ID token is valid.
const idTokenLife = time.Hour

// claims are the claims of an ID token. The userinfo endpoint returns more about the user. The audience is a string and
// not a list, because some client libraries expect a string.
type claims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	IssuedAt int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	AuthTime int64  `json:"auth_time,omitzero"`
	Nonce    string `json:"nonce,omitzero"`
	AtHash   string `json:"at_hash"`
}

// idToken returns an ID token for the user who granted a code.
func (s *Server) idToken(signer jose.Signer, code store.Code, access auth.Secret) (auth.Secret, error) {
	hash, err := oidc.ClaimHash(access.Reveal(), jose.RS256)
	if err != nil {
		return "", fmt.Errorf("hash an access token: %w", err)
	}
	now := s.now()
	c := claims{
		Issuer: s.Issuer, Subject: code.User.String(), Audience: code.Application.String(),
		IssuedAt: now.Unix(), Expires: now.Add(idTokenLife).Unix(), Nonce: code.Nonce, AtHash: hash,
	}
	if !code.SignedIn.IsZero() {
		c.AuthTime = code.SignedIn.Unix()
	}
	payload, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign an ID token: %w", err)
	}
	text, err := signed.CompactSerialize()
	return auth.Secret(text), err
}
