package admin

import (
	"bytes"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) commandRoutes() []api.Route {
	const app = "/applications/{application_id}"
	guild := []api.Parameter{{Name: "guild_id", Kind: "string", Doc: "The guild of the commands; default global commands."}}
	check := route(auth.OperatorRead, http.MethodPost, app+"/commands/check", "commands.check", "Validate a command definition or a list of them. Nothing is stored.",
		"CommandCheck", map[int]string{204: ""}, a.checkCommands)
	quota := route(auth.OperatorRead, http.MethodGet, app+"/quota", "quota", "Read how many commands may still be created today.",
		"", map[int]string{200: "Quota"}, a.quota)
	check.Query, quota.Query = guild, guild
	return []api.Route{check, quota}
}

// commandScope returns the scope that the path and the query name, and the rules for commands in it.
func (a *API) commandScope(c *api.Call) (command.Scope, command.Env, error) {
	id, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return command.Scope{}, command.Env{}, err
	}
	q := c.Query()
	scope := command.Scope{Application: id, Guild: api.QueryID[snowflake.Guild](q, "guild_id")}
	if err := q.Err(); err != nil {
		return scope, command.Env{}, err
	}
	app, err := a.Directory.Applications.Application(c.Context(), id)
	if err != nil {
		return scope, command.Env{}, err
	}
	return scope, registry.Env(scope, app), nil
}

func (a *API) checkCommands(c *api.Call) error {
	_, env, err := a.commandScope(c)
	if err != nil {
		return err
	}
	body, err := c.ReadRawJSON()
	if err != nil {
		return err
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		_, err = command.ParseList(body, env)
	} else {
		_, err = command.Parse(body, env)
	}
	return c.NoContent(err)
}

func (a *API) quota(c *api.Call) error {
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
		Max    *int       `json:"max"` // null: any number
		Resets *time.Time `json:"resets_at"`
	}{}
	if most := a.Commands.DailyCreates; most > 0 {
		answer.Max = &most
	}
	if ends := quota.Since.Add(registry.CreateWindow); quota.Used > 0 && a.Clock.Now().Before(ends) {
		ends = ends.UTC()
		answer.Used, answer.Resets = quota.Used, &ends
	}
	return c.Value(http.StatusOK, answer)
}
