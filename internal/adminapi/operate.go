package adminapi

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/snowflake"
)

// operateRoutes are what an operator does beside keeping records: act as somebody for a while, replace a secret, ask why.
func (a *API) operateRoutes() []httpapi.Route {
	const app = "/applications/{application_id}"
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*httpapi.Call) error) httpapi.Route {
		return httpapi.Route{
			Method: method, Path: adminBase + path, Root: true, Name: "admin." + name, Doc: doc, Allow: httpapi.Operators,
			Body: body, Answer: answer, Handle: handle,
		}
	}
	inGuild := []httpapi.Parameter{{Name: "guild_id", Kind: "string", Doc: "The guild whose commands are meant; without it the global ones."}}
	check := at(http.MethodPost, app+"/commands/check", "commands.check", "Judge a definition, or a list of them, and keep nothing.",
		"CommandCheck", map[int]string{204: ""}, a.checkCommands)
	check.Query = inGuild
	quota := at(http.MethodGet, app+"/quota", "quota", "Tell how many commands may still be created today.", "", map[int]string{200: "Quota"}, a.quota)
	quota.Query = inGuild
	explain := at(http.MethodGet, "/explain", "explain", "Tell whether somebody can use a command somewhere, and why.", "",
		map[int]string{200: "DevExplanation"}, a.explain)
	explain.Query = question
	lobby := at(http.MethodGet, app+"/lobbies", "lobbies.list", "List the lobbies of an application, the newest first.", "",
		map[int]string{200: "ListedLobbies"}, a.listLobbies)
	lobby.Query = []httpapi.Parameter{
		{Name: "before", Kind: "string", Doc: "Only those with smaller ids."},
		{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 1000; 100 when it is left out."},
	}
	return []httpapi.Route{
		at(http.MethodPost, app+"/passes", "applications.pass", "Take a token that is valid for an hour: the bot's, or with scopes an access token.",
			"PassRequest", map[int]string{200: "Pass"}, a.applicationPass),
		at(http.MethodPost, app+"/bot-token", "applications.bot-token", "Make a new bot token; the old one stops working.",
			"", map[int]string{200: "NewSecret"}, a.newBotToken),
		at(http.MethodPost, app+"/client-secret", "applications.client-secret", "Make a new client secret; the old one stops working.",
			"", map[int]string{200: "NewSecret"}, a.newClientSecret),
		at(http.MethodPost, "/users/{user_id}/passes", "users.pass", "Take a person's token that is valid for an hour.",
			"", map[int]string{200: "Pass"}, a.userPass),
		check, quota, explain, lobby,
	}
}

func (a *API) applicationPass(c *httpapi.Call) error {
	app, err := httpapi.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	body, _ = jsonbody.AsObject(&t, body)
	_, user, scopes := readTokenRequest(&t, body.With(jsonbody.ObjectOf(jsonbody.Member{Name: "application", Value: jsonbody.StringOf(app.String())})))
	if t.Failed() {
		return t.Err()
	}
	if len(scopes) == 0 {
		secret, err := a.Directory.BotPass(c.Context(), app)
		if err != nil {
			return err
		}
		return c.Pass(secret, "Bot", directory.PassLife)
	}
	secret, err := a.Directory.MintAccessToken(c.Context(), app, user, scopes)
	if err != nil {
		return err
	}
	return c.Pass(secret, "Bearer", auth.AccessTokenLife)
}

func (a *API) userPass(c *httpapi.Call) error {
	user, err := httpapi.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.UserPass(c.Context(), user)
	if err != nil {
		return err
	}
	return c.Pass(secret, "", directory.PassLife)
}

func (a *API) newBotToken(c *httpapi.Call) error {
	app, err := httpapi.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.MintBotToken(c.Context(), app)
	if err != nil {
		return err
	}
	return showSecret(c, secret)
}

func (a *API) newClientSecret(c *httpapi.Call) error {
	app, err := httpapi.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.MintClientSecret(c.Context(), app)
	if err != nil {
		return err
	}
	return showSecret(c, secret)
}

func showSecret(c *httpapi.Call, made auth.Secret) error {
	return c.Value(http.StatusOK, struct {
		Secret string `json:"secret"`
	}{made.Reveal()})
}

// commandScope returns the commands that an operator means by a path and a query.
func (a *API) commandScope(c *httpapi.Call) (command.Scope, command.Env, error) {
	id, err := httpapi.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return command.Scope{}, command.Env{}, err
	}
	q := c.Query()
	scope := command.Scope{Application: id, Guild: httpapi.QueryID[snowflake.Guild](q, "guild_id")}
	if err := q.Err(); err != nil {
		return scope, command.Env{}, err
	}
	app, err := a.Directory.Application(c.Context(), id)
	if err != nil {
		return scope, command.Env{}, err
	}
	return scope, registry.Env(scope, app), nil
}

func (a *API) checkCommands(c *httpapi.Call) error {
	_, env, err := a.commandScope(c)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == jsonbody.List {
		_, err = command.ParseList(body, env)
	} else {
		_, err = command.Parse(body, env)
	}
	if err != nil {
		return err
	}
	return c.Empty()
}

func (a *API) quota(c *httpapi.Call) error {
	scope, _, err := a.commandScope(c)
	if err != nil {
		return err
	}
	quota, err := a.Commands.Quota(c.Context(), scope)
	if err != nil {
		return err
	}
	answer := struct {
		Used   int        `json:"used"`
		Max    int        `json:"max"`
		Resets *time.Time `json:"resets_at"`
	}{Max: command.MaxCreates}
	if ends := quota.Since.Add(command.CreateWindow); quota.Used > 0 && a.Clock.Now().Before(ends) {
		ends = ends.UTC()
		answer.Used, answer.Resets = quota.Used, &ends
	}
	return c.Value(http.StatusOK, answer)
}

func (a *API) listLobbies(c *httpapi.Call) error {
	app, err := httpapi.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	q := c.Query()
	before, limit := httpapi.QueryID[snowflake.Lobby](q, "before"), q.Limit(100, 1000)
	if err := q.Err(); err != nil {
		return err
	}
	if _, err := a.Directory.Application(c.Context(), app); err != nil {
		return err
	}
	list, err := a.Lobbies.List(c.Context(), app, before, limit)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		Now     time.Time        `json:"now"`
		Lobbies []lobbies.Listed `json:"lobbies"`
	}{a.Clock.Now().UTC(), list})
}

func (a *API) explain(c *httpapi.Call) error {
	return explain(c, &devtools.Desk{Directory: a.Directory, Picker: a.Picker})
}
