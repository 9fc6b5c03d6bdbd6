package main

import (
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/server"
)

// oidcOptions are the flags of the OpenID provider that authenticates users.
type oidcOptions struct {
	Issuer       string `placeholder:"URL" help:"Issuer URL of the OpenID provider that authenticates your users."`
	ClientID     string `name:"client-id" placeholder:"ID" help:"Client id of Bellhop at the provider."`
	ClientSecret string `placeholder:"SECRET" help:"Client secret of Bellhop at the provider. Prefer the environment variable: other processes can see flags."`

	SubjectIsUserID bool `name:"subject-is-user-id" help:"The provider's subjects are the user ids of your directory: each subject signs in as the user with that id. Set it only if the provider issues these ids."`
}

// upstream returns the provider. It is empty if --oidc-issuer is not set.
func (o oidcOptions) upstream() (server.Upstream, error) {
	if (o.Issuer == "") != (o.ClientID == "") {
		return server.Upstream{}, usageError{errors.New("--oidc-issuer and --oidc-client-id must be used together")}
	}
	return server.Upstream{Issuer: o.Issuer, Client: o.ClientID, Secret: auth.Secret(o.ClientSecret), SubjectIsUserID: o.SubjectIsUserID}, nil
}
