package api

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
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// operateRoutes are what an operator does beside keeping records: act as somebody for a while, replace a secret, ask why.
func (a *API) operateRoutes() []route {
	const app = "/applications/{application_id}"
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*call) error) route {
		return route{
			method: method, path: adminBase + path, root: true, name: "admin." + name, doc: doc, allow: operators,
			body: body, answer: answer, handle: handle,
		}
	}
	inGuild := []parameter{{"guild_id", "string", "The guild whose commands are meant; without it the global ones."}}
	check := at(http.MethodPost, app+"/commands/check", "commands.check", "Judge a definition, or a list of them, and keep nothing.",
		"CommandCheck", map[int]string{204: ""}, a.checkCommands)
	check.query = inGuild
	quota := at(http.MethodGet, app+"/quota", "quota", "Tell how many commands may still be created today.", "", map[int]string{200: "Quota"}, a.quota)
	quota.query = inGuild
	explain := at(http.MethodGet, "/explain", "explain", "Tell whether somebody can use a command somewhere, and why.", "",
		map[int]string{200: "DevExplanation"}, a.explain)
	explain.query = question
	lobby := at(http.MethodGet, app+"/lobbies", "lobbies.list", "List the lobbies of an application, the newest first.", "",
		map[int]string{200: "ListedLobbies"}, a.listLobbies)
	lobby.query = []parameter{
		{"before", "string", "Only those with smaller ids."},
		{"limit", "integer", "How many at the most, 1 to 1000; 100 when it is left out."},
	}
	return []route{
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

// pass answers with a token that ends by itself.
func (c *call) pass(secret oauth.Secret, kind string, life time.Duration) error {
	return c.value(http.StatusOK, struct {
		Token     string `json:"token"`
		Kind      string `json:"token_type"`
		ExpiresIn int    `json:"expires_in"`
	}{secret.Reveal(), kind, int(life.Seconds())})
}

func (a *API) applicationPass(c *call) error {
	app, err := pathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	body, err := c.readJSON()
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
		secret, err := a.Directory.BotPass(c.r.Context(), app)
		if err != nil {
			return err
		}
		return c.pass(secret, "Bot", directory.PassLife)
	}
	secret, err := a.Directory.MintAccessToken(c.r.Context(), app, user, scopes)
	if err != nil {
		return err
	}
	return c.pass(secret, "Bearer", oauth.AccessTokenLife)
}

func (a *API) userPass(c *call) error {
	user, err := pathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.UserPass(c.r.Context(), user)
	if err != nil {
		return err
	}
	return c.pass(secret, "", directory.PassLife)
}

func (a *API) newBotToken(c *call) error {
	app, err := pathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.MintBotToken(c.r.Context(), app)
	if err != nil {
		return err
	}
	return c.secret(secret)
}

func (a *API) newClientSecret(c *call) error {
	app, err := pathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	secret, err := a.Directory.MintClientSecret(c.r.Context(), app)
	if err != nil {
		return err
	}
	return c.secret(secret)
}

func (c *call) secret(made oauth.Secret) error {
	return c.value(http.StatusOK, struct {
		Secret string `json:"secret"`
	}{made.Reveal()})
}

// commandScope returns the commands that an operator means by a path and a query.
func (a *API) commandScope(c *call) (command.Scope, command.Env, error) {
	id, err := pathID[snowflake.Application](c, "application_id")
	if err != nil {
		return command.Scope{}, command.Env{}, err
	}
	q := c.query()
	scope := command.Scope{Application: id, Guild: queryID[snowflake.Guild](q, "guild_id")}
	if err := q.Err(); err != nil {
		return scope, command.Env{}, err
	}
	app, err := a.Directory.Application(c.r.Context(), id)
	if err != nil {
		return scope, command.Env{}, err
	}
	return scope, registry.Env(scope, app), nil
}

func (a *API) checkCommands(c *call) error {
	_, env, err := a.commandScope(c)
	if err != nil {
		return err
	}
	body, err := c.readJSON()
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
	return c.empty()
}

func (a *API) quota(c *call) error {
	scope, _, err := a.commandScope(c)
	if err != nil {
		return err
	}
	quota, err := a.Commands.Quota(c.r.Context(), scope)
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
	return c.value(http.StatusOK, answer)
}

func (a *API) listLobbies(c *call) error {
	app, err := pathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	q := c.query()
	before, limit := queryID[snowflake.Lobby](q, "before"), q.limit(100, 1000)
	if err := q.Err(); err != nil {
		return err
	}
	if _, err := a.Directory.Application(c.r.Context(), app); err != nil {
		return err
	}
	list, err := a.Lobbies.List(c.r.Context(), app, before, limit)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, struct {
		Now     time.Time        `json:"now"`
		Lobbies []lobbies.Listed `json:"lobbies"`
	}{a.Clock.Now().UTC(), list})
}

func (a *API) explain(c *call) error {
	return c.explain(&devtools.Desk{Directory: a.Directory, Picker: a.Picker})
}

// devConsole lets whoever reaches the dev controls be the operator for an hour.
func (a *API) devConsole(c *call) error {
	secret, err := a.Directory.OperatorPass(c.r.Context())
	if err != nil {
		return err
	}
	return c.pass(secret, "Bearer", directory.PassLife)
}
