package api

import (
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) listCommands(c *call) error {
	v := registry.View{NoEntryPoint: !c.application.Activities}
	if raw := c.r.URL.RawQuery; raw != "" {
		var t problem.Tree
		if text := c.r.URL.Query().Get("with_localizations"); text != "" {
			v.Localizations, _ = form.ParseBool(t.At("with_localizations"), text)
		}
		if err := t.Err(); err != nil {
			return err
		}
	}
	if !v.Localizations {
		v.Locale = c.locale()
	}
	body, err := a.Commands.List(c.r.Context(), c.scope, v)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, body)
}

func (a *API) createCommand(c *call) error {
	body, err := c.readJSON()
	if err != nil {
		return err
	}
	if body.Kind() == form.Absent {
		body = form.ObjectOf()
	}
	made, created, err := a.Commands.Create(c.r.Context(), c.scope, c.env(), body)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return c.written(status, made.AppendJSON)
}

func (a *API) overwriteCommands(c *call) error {
	body, err := c.readJSON()
	if err != nil {
		return err
	}
	if body.Kind() == form.Absent {
		return form.ErrInvalid
	}
	commands, err := a.Commands.Overwrite(c.r.Context(), c.scope, c.env(), body)
	if err != nil {
		return err
	}
	return c.written(http.StatusOK, func(list []byte) []byte {
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

func (a *API) getCommand(c *call) error {
	found, err := c.command()
	if err != nil {
		return err
	}
	return c.written(http.StatusOK, found.AppendJSON)
}

func (a *API) patchCommand(c *call) error {
	found, err := c.command()
	if err != nil {
		return err
	}
	body, err := c.readJSON()
	if err != nil {
		return err
	}
	if body.Kind() == form.Absent {
		body = form.ObjectOf()
	}
	changed, err := a.Commands.Patch(c.r.Context(), c.scope, c.env(), found.ID, body)
	if err != nil {
		return err
	}
	return c.written(http.StatusOK, changed.AppendJSON)
}

func (a *API) deleteCommand(c *call) error {
	found, err := c.command()
	if err != nil {
		return err
	}
	if err := a.Commands.Delete(c.r.Context(), c.scope, found.ID); err != nil {
		return err
	}
	return c.empty()
}

// command returns the command of the path.
func (c *call) command() (*command.Command, error) {
	var t problem.Tree
	id, ok := form.ParseID[snowflake.Command](t.At("command_id"), c.r.PathValue("command_id"))
	if !ok {
		return nil, t.Err()
	}
	found, err := c.api.Commands.Command(c.r.Context(), c.scope, id)
	if err != nil {
		return nil, err
	}
	if found.Type == command.PrimaryEntryPoint && !c.application.Activities {
		return nil, registry.ErrUnknownCommand
	}
	return found, nil
}

func (c *call) env() command.Env { return registry.Env(c.scope, c.application) }

// locale returns the language of the request.
func (c *call) locale() locale.Code {
	return locale.Choose(c.header("X-Service-Locale"), c.header("X-Discord-Locale"), c.header("Accept-Language"), c.settings())
}

// settings returns the language that the caller's user has chosen: of a bot the default, of an application's own token
// its owner's.
func (c *call) settings() locale.Code {
	if c.principal.Kind == store.BotToken || c.principal.User == 0 {
		return locale.EnglishUS
	}
	u, err := c.api.Directory.User(c.r.Context(), c.principal.User)
	if err != nil {
		return locale.EnglishUS
	}
	return u.Locale
}
