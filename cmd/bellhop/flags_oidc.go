package main

import (
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/idp"
)

// oidcOptions are the flags of the OpenID providers that authenticate users.
type oidcOptions struct {
	Issuer       string `placeholder:"URL" help:"Issuer URL of the OpenID provider that authenticates your users."`
	ClientID     string `name:"client-id" placeholder:"ID" help:"Client id of Bellhop at the provider."`
	ClientSecret string `placeholder:"SECRET" help:"Client secret of Bellhop at the provider. Prefer the environment variable: other processes can see flags."`

	SubjectIsUserID bool `name:"subject-is-user-id" help:"The provider's subjects are the user ids of your directory: each subject signs in as the user with that id. Set it only if the provider issues these ids."`

	Providers string `type:"path" placeholder:"FILE" help:"YAML file with several OpenID providers, and with the claims that make their users operators: see docs/signin.md. Can be used together with --oidc-issuer."`
}

// providers returns the providers of the flags and of the file.
func (o oidcOptions) providers() ([]idp.Provider, error) {
	if (o.Issuer == "") != (o.ClientID == "") {
		return nil, usageError{errors.New("--oidc-issuer and --oidc-client-id must be used together")}
	}
	var list []idp.Provider
	if o.Issuer != "" {
		list = append(list, idp.Provider{
			ID: idp.DefaultID, Issuer: o.Issuer, ClientID: o.ClientID, Secret: auth.Secret(o.ClientSecret), SubjectIsUserID: o.SubjectIsUserID,
		})
	}
	if o.Providers != "" {
		more, err := idp.Load(o.Providers)
		if err != nil {
			return nil, fmt.Errorf("--oidc-providers: %w", err)
		}
		list = append(list, more...)
	}
	if err := idp.Check(list); err != nil {
		return nil, usageError{fmt.Errorf("--oidc-issuer, --oidc-providers: %w", err)}
	}
	return list, nil
}
