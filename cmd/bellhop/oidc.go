package main

import (
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/server"
)

// oidcOptions name the OpenID provider that vouches for the people of a platform.
type oidcOptions struct {
	Issuer       string `placeholder:"URL" help:"OpenID provider that vouches for the people of your platform."`
	ClientID     string `name:"client-id" placeholder:"ID" help:"What Bellhop is called there."`
	ClientSecret string `placeholder:"SECRET" help:"Its secret there; better given as BELLHOP_OIDC_CLIENT_SECRET."`
}

// upstream returns the provider; without an issuer there is none.
func (o oidcOptions) upstream() (server.Upstream, error) {
	if (o.Issuer == "") != (o.ClientID == "") {
		return server.Upstream{}, usageError{errors.New("--oidc-issuer and --oidc-client-id go together")}
	}
	return server.Upstream{Issuer: o.Issuer, Client: o.ClientID, Secret: auth.Secret(o.ClientSecret)}, nil
}
