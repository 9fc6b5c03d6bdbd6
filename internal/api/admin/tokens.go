package admin

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// tokenRoutes issue temporary tokens and replace secrets.
func (a *API) tokenRoutes() []api.Route {
	const app = "/applications/{application_id}"
	return []api.Route{
		route(auth.OperatorSecrets, http.MethodPost, app+"/passes", "applications.pass",
			"Issue a token that is valid for an hour: a bot token, or with scopes an access token.",
			"PassRequest", map[int]string{200: "Pass"}, a.applicationToken),
		route(auth.OperatorSecrets, http.MethodPost, app+"/bot-token", "applications.bot-token", "Replace the bot token. The old one stops working.",
			"", map[int]string{200: "NewSecret"}, a.newBotToken),
		route(auth.OperatorSecrets, http.MethodPost, app+"/client-secret", "applications.client-secret", "Replace the client secret. The old one stops working.",
			"", map[int]string{200: "NewSecret"}, a.newClientSecret),
		route(auth.OperatorSecrets, http.MethodPost, "/users/{user_id}/passes", "users.pass", "Issue a user token that is valid for an hour.",
			"", map[int]string{200: "Pass"}, a.userToken),
	}
}

func (a *API) applicationToken(c *api.Call) error {
	app, body, err := api.PathBody[snowflake.Application](c, "application_id", c.ReadJSON)
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	body, _ = jsonbody.AsObject(&t, body)
	user, scopes := manage.ReadTokenRequest(&t, body)
	if t.Failed() {
		return t.Err()
	}
	if len(scopes) == 0 {
		secret, err := a.tokens().CreateTemporaryBotToken(c.Context(), app)
		if err != nil {
			return err
		}
		return c.Token(secret, "Bot", credentials.TemporaryTokenLife)
	}
	secret, err := a.tokens().CreateAccessToken(c.Context(), app, user, scopes)
	if err != nil {
		return err
	}
	return c.Token(secret, "Bearer", auth.AccessTokenLife)
}

func (a *API) userToken(c *api.Call) error {
	user, err := api.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	secret, err := a.tokens().CreateTemporaryUserToken(c.Context(), user)
	if err != nil {
		return err
	}
	return c.Token(secret, "", credentials.TemporaryTokenLife)
}

func (a *API) newBotToken(c *api.Call) error {
	app, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	secret, err := a.tokens().ReplaceBotToken(c.Context(), app)
	return answerSecret(c, secret, err)
}

func (a *API) newClientSecret(c *api.Call) error {
	app, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	secret, err := a.tokens().ReplaceClientSecret(c.Context(), app)
	return answerSecret(c, secret, err)
}

// answerSecret answers with a new secret, or returns err.
func answerSecret(c *api.Call, secret auth.Secret, err error) error {
	if err != nil {
		return err
	}
	return api.AnswerSecret(c, http.StatusOK, struct {
		Secret string `json:"secret"`
	}{secret.Reveal()})
}

func (a *API) tokens() credentials.Tokens {
	return credentials.Tokens{Directory: a.Directory, Clock: a.Clock}
}
