package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) commandRoutes() []httpapi.Route {
	localized := []httpapi.Parameter{{Name: "with_localizations", Kind: "boolean", Doc: "Show the localization dictionaries instead of one language."}}
	var list []httpapi.Route
	for _, scope := range []struct{ path, name, word string }{
		{"/applications/{application_id}/commands", "global", "global commands of an application"},
		{"/applications/{application_id}/guilds/{guild_id}/commands", "guild", "commands of an application in a guild"},
	} {
		one := scope.path + "/{command_id}"
		list = append(
			list,
			httpapi.Route{
				Method: http.MethodGet, Path: scope.path, Name: scope.name + ".list", Doc: "List the " + scope.word + ".",
				Allow: httpapi.OwnCommands, Group: ratelimit.CommandsList, Query: localized, Answer: map[int]string{200: "ListedCommands"}, Handle: a.listCommands,
			},
			httpapi.Route{
				Method: http.MethodPost, Path: scope.path, Name: scope.name + ".create", Doc: "Create or overwrite one of the " + scope.word + ".",
				Allow: httpapi.OwnCommands, Group: ratelimit.CommandsCreate, Body: "CommandCreate", Answer: map[int]string{200: "Command", 201: "Command"}, Handle: a.createCommand,
			},
			httpapi.Route{
				Method: http.MethodPut, Path: scope.path, Name: scope.name + ".overwrite", Doc: "Replace all " + scope.word + ".",
				Allow: httpapi.OwnCommands, Group: ratelimit.CommandsBulk, Body: "CommandList", Answer: map[int]string{200: "Commands"}, Handle: a.overwriteCommands,
			},
			httpapi.Route{
				Method: http.MethodGet, Path: one, Name: scope.name + ".get", Doc: "Read one of the " + scope.word + ".",
				Allow: httpapi.OwnCommands, Group: ratelimit.CommandsGet, Answer: map[int]string{200: "Command"}, Handle: a.getCommand,
			},
			httpapi.Route{
				Method: http.MethodPatch, Path: one, Name: scope.name + ".edit", Doc: "Change one of the " + scope.word + ".",
				Allow: httpapi.OwnCommands, Group: ratelimit.CommandsEdit, Body: "CommandPatch", Answer: map[int]string{200: "Command"}, Handle: a.patchCommand,
			},
			httpapi.Route{
				Method: http.MethodDelete, Path: one, Name: scope.name + ".delete", Doc: "Delete one of the " + scope.word + ".",
				Allow: httpapi.OwnCommands, Group: ratelimit.CommandsDelete, Answer: map[int]string{204: ""}, Handle: a.deleteCommand,
			},
		)
	}
	return list
}

func (a *API) listCommands(c *httpapi.Call) error {
	v := registry.View{NoEntryPoint: !c.Application.Activities}
	if raw := c.Request.URL.RawQuery; raw != "" {
		var t jsonbody.Tree
		if text := c.Request.URL.Query().Get("with_localizations"); text != "" {
			v.Localizations, _ = jsonbody.ParseBool(t.At("with_localizations"), text)
		}
		if err := t.Err(); err != nil {
			return err
		}
	}
	if !v.Localizations {
		v.Locale = a.locale(c)
	}
	body, err := a.Commands.List(c.Context(), c.Scope, v)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

func (a *API) createCommand(c *httpapi.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
	}
	made, created, err := a.Commands.Create(c.Context(), c.Scope, env(c), body)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return c.Written(status, made.AppendJSON)
}

func (a *API) overwriteCommands(c *httpapi.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == jsonbody.Absent {
		return jsonbody.ErrInvalid
	}
	commands, err := a.Commands.Overwrite(c.Context(), c.Scope, env(c), body)
	if err != nil {
		return err
	}
	return c.Written(http.StatusOK, func(list []byte) []byte {
		list = append(list, '[')
		for i, made := range commands {
			if i > 0 {
				list = append(list, ',')
			}
			list = made.AppendJSON(list)
		}
		return append(list, ']')
	})
}

func (a *API) getCommand(c *httpapi.Call) error {
	found, err := a.command(c)
	if err != nil {
		return err
	}
	return c.Written(http.StatusOK, found.AppendJSON)
}

func (a *API) patchCommand(c *httpapi.Call) error {
	found, err := a.command(c)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
	}
	changed, err := a.Commands.Patch(c.Context(), c.Scope, env(c), found.ID, body)
	if err != nil {
		return err
	}
	return c.Written(http.StatusOK, changed.AppendJSON)
}

func (a *API) deleteCommand(c *httpapi.Call) error {
	found, err := a.command(c)
	if err != nil {
		return err
	}
	if err := a.Commands.Delete(c.Context(), c.Scope, found.ID); err != nil {
		return err
	}
	return c.Empty()
}

// command returns the command of the path.
func (a *API) command(c *httpapi.Call) (*command.Command, error) {
	var t jsonbody.Tree
	id, ok := jsonbody.ParseID[snowflake.Command](t.At("command_id"), c.Request.PathValue("command_id"))
	if !ok {
		return nil, t.Err()
	}
	found, err := a.Commands.Command(c.Context(), c.Scope, id)
	if err != nil {
		return nil, err
	}
	if found.Type == command.PrimaryEntryPoint && !c.Application.Activities {
		return nil, registry.ErrUnknownCommand
	}
	return found, nil
}

func env(c *httpapi.Call) command.Env { return registry.Env(c.Scope, c.Application) }

// locale returns the language of the request.
func (a *API) locale(c *httpapi.Call) locale.Code {
	return locale.Choose(c.RequestHeader("X-Service-Locale"), c.RequestHeader("X-Discord-Locale"), c.RequestHeader("Accept-Language"), a.settings(c))
}

// settings returns the language that the caller's user has chosen: of a bot the default, of an application's own token
// its owner's.
func (a *API) settings(c *httpapi.Call) locale.Code {
	if c.Principal.Kind == store.BotToken || c.Principal.User == 0 {
		return locale.EnglishUS
	}
	u, err := a.Directory.User(c.Context(), c.Principal.User)
	if err != nil {
		return locale.EnglishUS
	}
	return u.Locale
}
