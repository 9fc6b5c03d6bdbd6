package botrun

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// NewBot returns the identity of the bot with a token, on the service at a URL.
func NewBot(ctx context.Context, service, token string) (Bot, error) {
	c := &client.Client{BaseURL: service + "/api/v10", Authorization: "Bot " + token}
	self, err := c.Application(ctx)
	if err != nil {
		return Bot{}, err
	}
	b := Bot{URL: service, Token: token, Application: self.ID.String(), PublicKey: self.VerifyKey}
	guilds, err := ask(ctx, c, http.MethodGet, "/users/@me/guilds?limit=1", nil)
	if err != nil {
		return Bot{}, err
	}
	for _, g := range guilds.Items() {
		b.Guild = g.Get("id").Text()
	}
	return b, nil
}

// FindBot returns the identity of a bot on a service that is running: with the token BELLHOP_BOT_TOKEN of the environment, or else that of
// the first application, with a token that is valid for an hour.
func FindBot(ctx context.Context, service string, getenv func(string) string) (Bot, error) {
	if token := getenv("BELLHOP_BOT_TOKEN"); token != "" {
		return NewBot(ctx, service, token)
	}
	c := &client.Client{BaseURL: service + "/api/v10"}
	apps, err := ask(ctx, c, http.MethodGet, service+"/_dev/applications", nil)
	if err != nil {
		return Bot{}, fmt.Errorf("ask the service at %s for its applications: %w", service, err)
	}
	id := getenv("BELLHOP_APPLICATION_ID")
	for _, app := range apps.Items() {
		if id == "" {
			id = app.Get("id").Text()
		}
	}
	if id == "" {
		return Bot{}, errors.New("the service has no application that the bot could run as")
	}
	operator, err := ask(ctx, c, http.MethodPost, service+"/_dev/console", nil)
	if err != nil {
		return Bot{}, err
	}
	c.Authorization = "Bearer " + operator.Get("token").Text()
	pass, err := ask(ctx, c, http.MethodPost, service+"/admin/v1/applications/"+id+"/passes", struct{}{})
	if err != nil {
		return Bot{}, err
	}
	return NewBot(ctx, service, pass.Get("token").Text())
}

// ask sends a request with a body that becomes JSON, nil: none, and returns the answer.
func ask(ctx context.Context, c *client.Client, method, path string, body any) (jsonbody.Value, error) {
	answer, err := c.Do(ctx, client.Request{Method: method, Path: path, Body: body})
	if err != nil {
		return jsonbody.Value{}, err
	}
	if answer.Status >= http.StatusMultipleChoices {
		return jsonbody.Value{}, fmt.Errorf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	return jsonbody.Parse(answer.Body)
}
