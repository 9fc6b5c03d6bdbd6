package client

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Application is the application of the token.
type Application struct {
	ID        snowflake.Application `json:"id"`
	Name      string                `json:"name"`
	VerifyKey string                `json:"verify_key"`
	// InteractionsEndpointURL receives the interactions. If it is empty, the gateway delivers them.
	InteractionsEndpointURL string `json:"interactions_endpoint_url"`
	// IntegrationTypes holds the ways to install the app.
	IntegrationTypes map[string]jsontext.Value `json:"integration_types_config"`
	Flags            int64                     `json:"flags"`
	Rest             jsontext.Value            `json:",embed"`
}

// flagEmbedded is set for an application with Activities.
const flagEmbedded = 1 << 17

// Env returns the environment in which the app's command definitions are validated.
func (a Application) Env(guild bool) command.Env {
	env := command.Env{Guild: guild, Embedded: a.Flags&flagEmbedded != 0}
	for _, t := range []command.IntegrationType{command.GuildInstall, command.UserInstall} {
		if _, ok := a.IntegrationTypes[strconv.Itoa(int(t))]; ok {
			env.Supported = append(env.Supported, t)
		}
	}
	return env
}

// Application returns the application of the token.
func (c *Client) Application(ctx context.Context) (Application, error) {
	var a Application
	err := c.get(ctx, "/applications/@me", &a)
	return a, err
}

// SetInteractionsEndpoint sets the URL to which the service posts interactions. The service sends a PING first. An empty
// URL means delivery by the gateway.
func (c *Client) SetInteractionsEndpoint(ctx context.Context, address string) (Application, error) {
	var body struct {
		URL *string `json:"interactions_endpoint_url"`
	}
	if address != "" {
		body.URL = &address
	}
	var a Application
	err := c.write(ctx, http.MethodPatch, "/applications/@me", body, &a)
	return a, err
}

// Guild is a partial guild.
type Guild struct {
	ID   snowflake.Guild `json:"id"`
	Name string          `json:"name"`
}

// Guilds returns up to limit guilds of the caller with an id greater than after, in ascending order.
func (c *Client) Guilds(ctx context.Context, after snowflake.Guild, limit int) ([]Guild, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if after != 0 {
		query.Set("after", after.String())
	}
	var list []Guild
	_, err := c.call(ctx, Request{Method: http.MethodGet, Path: "/users/@me/guilds", Query: query}, &list)
	return list, err
}

// Token is an access token.
type Token struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
	Scope       string `json:"scope"`
}

// Life returns how long the token is valid.
func (t Token) Life() time.Duration { return time.Duration(t.ExpiresIn) * time.Second }

// ClientCredentials returns an access token of the application itself.
func (c *Client) ClientCredentials(ctx context.Context, app snowflake.Application, secret string, scopes ...string) (Token, error) {
	basic := base64.StdEncoding.EncodeToString([]byte(app.String() + ":" + secret))
	var t Token
	_, err := c.call(ctx, Request{
		Method: http.MethodPost, Path: "/oauth2/token", Header: http.Header{"Authorization": {"Basic " + basic}},
		Body: url.Values{"grant_type": {"client_credentials"}, "scope": {strings.Join(scopes, " ")}},
	}, &t)
	return t, err
}

// RevokeToken revokes an access token.
func (c *Client) RevokeToken(ctx context.Context, app snowflake.Application, secret, token string) error {
	basic := base64.StdEncoding.EncodeToString([]byte(app.String() + ":" + secret))
	_, err := c.call(ctx, Request{
		Method: http.MethodPost, Path: "/oauth2/token/revoke", Header: http.Header{"Authorization": {"Basic " + basic}},
		Body: url.Values{"token": {token}},
	}, nil)
	return err
}
