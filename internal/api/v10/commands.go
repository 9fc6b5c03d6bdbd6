package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// commandHandlers serve the commands of an application, global and in guilds.
type commandHandlers struct {
	commands  *registry.Registry
	directory *directory.Directory
}

func (h *commandHandlers) routes() []api.Route {
	localized := []api.Parameter{{Name: "with_localizations", Kind: "boolean", Doc: "Return the localization dictionaries instead of one language."}}
	var list []api.Route
	for _, scope := range []struct{ path, name, word string }{
		{"/applications/{application_id}/commands", "global", "global commands of an application"},
		{"/applications/{application_id}/guilds/{guild_id}/commands", "guild", "commands of an application in a guild"},
	} {
		one := scope.path + "/{command_id}"
		list = append(
			list,
			api.Route{
				Method: http.MethodGet, Path: scope.path, Name: scope.name + ".list", Doc: "List the " + scope.word + ".",
				Allow: api.ReadCommands, Group: ratelimit.CommandsList, Query: localized, Answer: map[int]string{200: "ListedCommands"}, Handle: h.listCommands,
			},
			api.Route{
				Method: http.MethodPost, Path: scope.path, Name: scope.name + ".create", Doc: "Create or overwrite one of the " + scope.word + ".",
				Allow: api.OwnCommands, Group: ratelimit.CommandsCreate, Body: "CommandCreate", Answer: map[int]string{200: "Command", 201: "Command"}, Handle: h.createCommand, Decides: true,
			},
			api.Route{
				Method: http.MethodPut, Path: scope.path, Name: scope.name + ".overwrite", Doc: "Replace all " + scope.word + ".",
				Allow: api.OwnCommands, Group: ratelimit.CommandsBulk, Body: "CommandList", Answer: map[int]string{200: "Commands"}, Handle: h.overwriteCommands, Decides: true,
			},
			api.Route{
				Method: http.MethodGet, Path: one, Name: scope.name + ".get", Doc: "Read one of the " + scope.word + ".",
				Allow: api.ReadCommands, Group: ratelimit.CommandsGet, Answer: map[int]string{200: "Command"}, Handle: h.getCommand,
			},
			api.Route{
				Method: http.MethodPatch, Path: one, Name: scope.name + ".edit", Doc: "Change one of the " + scope.word + ".",
				Allow: api.OwnCommands, Group: ratelimit.CommandsEdit, Body: "CommandPatch", Answer: map[int]string{200: "Command"}, Handle: h.patchCommand, Decides: true,
			},
			api.Route{
				Method: http.MethodDelete, Path: one, Name: scope.name + ".delete", Doc: "Delete one of the " + scope.word + ".",
				Allow: api.OwnCommands, Group: ratelimit.CommandsDelete, Answer: map[int]string{204: ""}, Handle: h.deleteCommand, Decides: true,
			},
		)
	}
	return append(list, api.Route{
		Method: http.MethodGet, Path: "/commands.schema.json", Root: true, Name: "schema",
		Doc: "Read the JSON Schema of files with command definitions.", Answer: map[int]string{200: "JSONSchema"},
		Handle: func(c *api.Call) error { return c.JSON(http.StatusOK, command.Schema) },
	})
}

func (h *commandHandlers) listCommands(c *api.Call) error {
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
		v.Locale = localeOf(c, h.directory)
	}
	return c.Result(h.commands.List(c.Context(), c.Scope, v))
}

func (h *commandHandlers) createCommand(c *api.Call) error {
	body, err := c.ReadRawJSON()
	if err != nil {
		return err
	}
	made, created, err := h.commands.Create(c.Context(), c.Scope, env(c), body)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return c.AppendedJSON(status, made.AppendJSON)
}

func (h *commandHandlers) overwriteCommands(c *api.Call) error {
	body, err := c.ReadRawJSON()
	if err != nil {
		return err
	}
	commands, err := h.commands.Overwrite(c.Context(), c.Scope, env(c), body)
	if err != nil {
		return err
	}
	return c.AppendedJSON(http.StatusOK, func(list []byte) []byte {
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

func (h *commandHandlers) getCommand(c *api.Call) error {
	found, err := h.command(c)
	if err != nil {
		return err
	}
	return c.AppendedJSON(http.StatusOK, found.AppendJSON)
}

func (h *commandHandlers) patchCommand(c *api.Call) error {
	found, err := h.command(c)
	if err != nil {
		return err
	}
	body, err := c.ReadRawJSON()
	if err != nil {
		return err
	}
	changed, err := h.commands.Patch(c.Context(), c.Scope, env(c), found.ID, body)
	if err != nil {
		return err
	}
	return c.AppendedJSON(http.StatusOK, changed.AppendJSON)
}

func (h *commandHandlers) deleteCommand(c *api.Call) error {
	found, err := h.command(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.commands.Delete(c.Context(), c.Scope, found.ID))
}

// command returns the command of the path.
func (h *commandHandlers) command(c *api.Call) (*command.Command, error) {
	var t jsonbody.Tree
	id, ok := jsonbody.ParseID[snowflake.Command](t.At("command_id"), c.Request.PathValue("command_id"))
	if !ok {
		return nil, t.Err()
	}
	found, err := h.commands.Command(c.Context(), c.Scope, id)
	if err != nil {
		return nil, err
	}
	if found.Type == command.PrimaryEntryPoint && !c.Application.Activities {
		return nil, registry.ErrUnknownCommand
	}
	return found, nil
}

func env(c *api.Call) command.Env { return registry.Env(c.Scope, c.Application) }

// localeOf returns the language of the request: from its headers, or from the settings of the user.
func localeOf(c *api.Call, dir *directory.Directory) locale.Code {
	return locale.Choose(
		c.RequestHeader("X-Service-Locale"), c.RequestHeader("X-Discord-Locale"), c.RequestHeader("Accept-Language"), userLocale(c, dir))
}

// userLocale returns the language that the user of the token has chosen. For a client-credentials token that is the
// owner of the application; a bot has the default language.
func userLocale(c *api.Call, dir *directory.Directory) locale.Code {
	if c.Principal.Kind == store.BotToken || c.Principal.User == 0 {
		return locale.EnglishUS
	}
	u, err := dir.Users.User(c.Context(), c.Principal.User)
	if err != nil {
		return locale.EnglishUS
	}
	return u.Locale
}
