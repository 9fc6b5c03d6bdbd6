package adminapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) devRoutes() []httpapi.Route {
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*httpapi.Call) error) httpapi.Route {
		return httpapi.Route{Method: method, Path: "/_dev" + path, Root: true, Name: "dev." + name, Doc: doc, Body: body, Answer: answer, Handle: handle}
	}
	return []httpapi.Route{
		at(http.MethodGet, "/clock", "clock", "Read the service's clock.", "", map[int]string{200: "DevClock"}, a.devClock),
		at(http.MethodPost, "/clock", "advance", "Move the service's clock forward; what falls due has happened when the answer comes.",
			"DevAdvance", map[int]string{200: "DevClock"}, a.devAdvance),
		at(http.MethodPost, "/token", "token", "Mint an access token without a browser.",
			"DevTokenRequest", map[int]string{200: "DevToken"}, a.devToken),
		at(http.MethodGet, "/world", "world.export", "Read the world as a world file, without secrets.", "", map[int]string{200: "yaml"}, a.devExport),
		at(http.MethodPost, "/world", "world.apply", "Apply a world file.", "World", map[int]string{200: "DevApplied"}, a.devWorld),
		at(http.MethodPost, "/console", "console", "Take the operator's token for an hour.", "", map[int]string{200: "Pass"}, a.devConsole),
		at(http.MethodPost, "/reset", "reset", "Go back to the world the service started with.", "", map[int]string{204: ""}, a.devReset),
	}
}

func (a *API) devClock(c *httpapi.Call) error { return showClock(c, a.Dev.Now()) }

func showClock(c *httpapi.Call, now time.Time) error {
	return c.Value(http.StatusOK, struct {
		Now time.Time `json:"now"`
	}{now.UTC()})
}

func (a *API) devAdvance(c *httpapi.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	if !body.Get("advance").IsSet() {
		t.At("advance").Required()
		return t.Err()
	}
	text, _ := jsonbody.AsString(t.At("advance"), body.Get("advance"))
	by, err := time.ParseDuration(text)
	if err != nil && !t.Failed() {
		t.At("advance").Add("DURATION_TYPE_COERCE", `Expected a duration such as "90s", "15m" or "24h".`)
	}
	if t.Failed() {
		return t.Err()
	}
	now, err := a.Dev.Advance(c.Context(), by)
	if errors.Is(err, devtools.ErrRange) {
		t.At("advance").Add("DURATION_TYPE_COERCE", "The clock moves forward, by ten years at the most.")
		return t.Err()
	}
	if err != nil {
		return err
	}
	return showClock(c, now)
}

func (a *API) devToken(c *httpapi.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	app, user, scopes := readTokenRequest(&t, body)
	if t.Failed() {
		return t.Err()
	}
	if scopes == nil {
		scopes = defaultScopes(user)
	}
	secret, err := a.Directory.MintAccessToken(c.Context(), app, user, scopes)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresIn   int    `json:"expires_in"`
	}{secret.Reveal(), "Bearer", int(auth.AccessTokenLife.Seconds())})
}

// defaultScopes returns what a token allows when nothing is said: an application's own to change its commands, one that
// acts for a person to know who that is.
func defaultScopes(user snowflake.User) []string {
	if user == 0 {
		return []string{auth.ScopeCommandsUpdate}
	}
	return []string{auth.ScopeIdentify}
}

func readTokenRequest(t *jsonbody.Tree, body jsonbody.Value) (app snowflake.Application, user snowflake.User, scopes []string) {
	if v := body.Get("application"); v.IsSet() {
		app, _ = jsonbody.AsID[snowflake.Application](t.At("application"), v)
	} else {
		t.At("application").Required()
	}
	if v := body.Get("user"); v.IsSet() {
		user, _ = jsonbody.AsID[snowflake.User](t.At("user"), v)
	}
	if v := body.Get("scopes"); v.IsSet() {
		items, _ := jsonbody.AsList(t.At("scopes"), v)
		for i, item := range items {
			scope, _ := jsonbody.AsString(t.At("scopes").Index(i), item)
			scopes = append(scopes, scope)
		}
	}
	return app, user, scopes
}

// maxWorld is how large a world file may be.
const maxWorld = 64 << 20

func (a *API) devWorld(c *httpapi.Call) error {
	data, err := c.ReadBody(maxWorld)
	if err != nil {
		return err
	}
	applied, err := a.Dev.Apply(c.Context(), "body", data)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, mintedOf(applied))
}

// minted is what a developer needs of an applied world and can be shown only once.
type minted struct {
	BotTokens     map[snowflake.Application]string `json:"bot_tokens"`
	ClientSecrets map[snowflake.Application]string `json:"client_secrets"`
	UserTokens    map[snowflake.User]string        `json:"user_tokens"`
}

func mintedOf(applied directory.Applied) minted {
	m := minted{
		map[snowflake.Application]string{}, map[snowflake.Application]string{}, map[snowflake.User]string{},
	}
	for id, s := range applied.BotTokens {
		m.BotTokens[id] = s.Reveal()
	}
	for id, s := range applied.ClientSecrets {
		m.ClientSecrets[id] = s.Reveal()
	}
	for id, s := range applied.UserTokens {
		m.UserTokens[id] = s.Reveal()
	}
	return m
}

func (a *API) devExport(c *httpapi.Call) error {
	w, err := a.Directory.Export(c.Context())
	if err != nil {
		return err
	}
	text, err := w.YAML()
	if err != nil {
		return err
	}
	return c.YAML(text)
}

// devConsole lets whoever reaches the dev controls be the operator for an hour.
func (a *API) devConsole(c *httpapi.Call) error {
	secret, err := a.Directory.OperatorPass(c.Context())
	if err != nil {
		return err
	}
	return c.Pass(secret, "Bearer", directory.PassLife)
}

func (a *API) devReset(c *httpapi.Call) error {
	if err := a.Dev.Reset(c.Context()); err != nil {
		return err
	}
	return c.Empty()
}
