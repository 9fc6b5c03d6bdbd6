package dev

import (
	"context"
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) tokenRoutes() []api.Route {
	return []api.Route{
		route(http.MethodPost, "/token", "token", "Issue an access token without a browser.",
			"DevTokenRequest", map[int]string{200: "DevToken"}, a.accessToken),
		route(http.MethodPost, "/console", "console", "Issue an operator's token that is valid for an hour.",
			"", map[int]string{200: "Pass"}, a.operatorToken),
		route(http.MethodGet, "/applications/{application_id}/bot-token", "bot-token", "Read the bot token that an application has since the start.",
			"", map[int]string{200: "DevBotToken"}, a.getBotToken),
	}
}

func (a *API) accessToken(c *api.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	var app snowflake.Application
	if v := body.Get("application"); v.IsSet() {
		app, _ = jsonbody.AsID[snowflake.Application](t.At("application"), v)
	} else {
		t.At("application").Required()
	}
	user, scopes := manage.ReadTokenRequest(&t, body)
	if t.Failed() {
		return t.Err()
	}
	if scopes == nil {
		scopes = defaultScopes(user)
	}
	secret, err := credentials.Tokens{Directory: a.Directory, Clock: a.Clock}.CreateAccessToken(c.Context(), app, user, scopes)
	if err != nil {
		return err
	}
	return api.AnswerSecret(c, http.StatusOK, struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresIn   int    `json:"expires_in"`
	}{secret.Reveal(), "Bearer", int(auth.AccessTokenLife.Seconds())})
}

// defaultScopes returns the scopes of a token if the request names none. user is 0 for a client-credentials token.
func defaultScopes(user snowflake.User) []string {
	if user == 0 {
		return []string{auth.ScopeCommandsUpdate}
	}
	return []string{auth.ScopeIdentify}
}

// operatorToken lets anyone who can reach the dev controls act as the operator for an hour.
func (a *API) operatorToken(c *api.Call) error {
	secret, err := credentials.Operators{Directory: a.Directory, Clock: a.Clock}.CreateTemporary(c.Context())
	if err != nil {
		return err
	}
	return c.Token(secret, "Bearer", credentials.TemporaryTokenLife)
}

// getBotToken answers with the bot token of the world that the service started with, or with null: the application came
// later, or its token was replaced.
func (a *API) getBotToken(c *api.Call) error {
	app, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	if _, err := a.Directory.Applications.Application(c.Context(), app); err != nil {
		return err
	}
	token, err := a.botToken(c.Context(), app)
	if err != nil {
		return err
	}
	var answer struct {
		Token *string `json:"token"`
	}
	if token != "" {
		revealed := token.Reveal()
		answer.Token = &revealed
	}
	return api.AnswerSecret(c, http.StatusOK, answer)
}

// botToken returns the bot token that an application has since the start. It is empty if the token is not valid.
func (a *API) botToken(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	token := a.Made[app]
	for i := range a.Start.Applications {
		if w := &a.Start.Applications[i]; w.ID == app && w.BotToken != "" {
			token = auth.Secret(w.BotToken)
		}
	}
	if token == "" {
		return "", nil
	}
	found, err := a.Directory.Credentials.Credential(ctx, auth.Hash(token.Reveal()))
	if errors.Is(err, store.ErrNotFound) || err == nil && (found.Kind != store.BotToken || found.Application != app) {
		return "", nil
	}
	return token, err
}
