package control

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rest"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// operateRoutes are what an operator does beside keeping records: act as somebody for a while, replace a secret, ask why.
func (a *API) operateRoutes() []rest.Route {
	const app = "/applications/{application_id}"
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*rest.Call) error) rest.Route {
		return rest.Route{
			Method: method, Path: adminBase + path, Root: true, Name: "admin." + name, Doc: doc, Allow: rest.Operators,
			Body: body, Answer: answer, Handle: handle,
		}
	}
	inGuild := []rest.Parameter{{Name: "guild_id", Kind: "string", Doc: "The guild whose commands are meant; without it the global ones."}}
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
	lobby.Query = []rest.Parameter{
		{Name: "before", Kind: "string", Doc: "Only those with smaller ids."},
		{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 1000; 100 when it is left out."},
	}
	return []rest.Route{
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

func (a *API) applicationPass(c *rest.Call) error {
	app, err := rest.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t problem.Tree
	body, _ = form.AsObject(&t, body)
	_, user, scopes := readTokenRequest(&t, body.With(form.ObjectOf(form.Member{Name: "application", Value: form.StringOf(app.String())})))
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
	return c.Pass(secret, "Bearer", oauth.AccessTokenLife)
}

func (a *API) userPass(c *rest.Call) error {
	user, err := rest.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.UserPass(c.Context(), user)
	if err != nil {
		return err
	}
	return c.Pass(secret, "", directory.PassLife)
}

func (a *API) newBotToken(c *rest.Call) error {
	app, err := rest.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.MintBotToken(c.Context(), app)
	if err != nil {
		return err
	}
	return showSecret(c, secret)
}

func (a *API) newClientSecret(c *rest.Call) error {
	app, err := rest.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.MintClientSecret(c.Context(), app)
	if err != nil {
		return err
	}
	return showSecret(c, secret)
}

func showSecret(c *rest.Call, made oauth.Secret) error {
	return c.Value(http.StatusOK, struct {
		Secret string `json:"secret"`
	}{made.Reveal()})
}

// commandScope returns the commands that an operator means by a path and a query.
func (a *API) commandScope(c *rest.Call) (command.Scope, command.Env, error) {
	id, err := rest.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return command.Scope{}, command.Env{}, err
	}
	q := c.Query()
	scope := command.Scope{Application: id, Guild: rest.QueryID[snowflake.Guild](q, "guild_id")}
	if err := q.Err(); err != nil {
		return scope, command.Env{}, err
	}
	app, err := a.Directory.Application(c.Context(), id)
	if err != nil {
		return scope, command.Env{}, err
	}
	return scope, registry.Env(scope, app), nil
}

func (a *API) checkCommands(c *rest.Call) error {
	_, env, err := a.commandScope(c)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == form.List {
		_, err = command.ParseList(body, env)
	} else {
		_, err = command.Parse(body, env)
	}
	if err != nil {
		return err
	}
	return c.Empty()
}

func (a *API) quota(c *rest.Call) error {
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

func (a *API) listLobbies(c *rest.Call) error {
	app, err := rest.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	q := c.Query()
	before, limit := rest.QueryID[snowflake.Lobby](q, "before"), q.Limit(100, 1000)
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

func (a *API) explain(c *rest.Call) error {
	return explain(c, &devtools.Desk{Directory: a.Directory, Picker: a.Picker})
}
