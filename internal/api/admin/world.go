package admin

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) worldRoutes() []api.Route {
	return []api.Route{
		route(auth.OperatorRead, http.MethodGet, "/world", "world.export", "Export the world without secrets: as YAML, or as JSON if Accept names it.",
			"", map[int]string{200: "world"}, a.exportWorld),
		route(auth.OperatorDirectory, http.MethodPut, "/world", "world.apply", "Apply a world file. Records that it does not name stay. A file of at most 1 MiB is applied completely or not at all.",
			"World", map[int]string{200: "DevApplied"}, a.applyWorld),
	}
}

func (a *API) exportWorld(c *api.Call) error {
	if !strings.Contains(c.Request.Header.Get("Accept"), "application/json") {
		return ExportYAML(c, a.Directory)
	}
	w, err := a.Directory.Export(c.Context())
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, w)
}

// ExportYAML answers with the world file of the directory, without secrets.
func ExportYAML(c *api.Call, d *directory.Directory) error {
	w, err := d.Export(c.Context())
	if err != nil {
		return err
	}
	text, err := w.YAML()
	if err != nil {
		return err
	}
	return c.YAML(text)
}

func (a *API) applyWorld(c *api.Call) error {
	return ApplyWorld(c, a.Directory, c.Principal.IsOperator(auth.OperatorSecrets))
}

// ApplyWorld applies the world file in the body of the request and answers with the secrets that were made. Without
// secrets it refuses a file with secrets, and does not show those that were made.
func ApplyWorld(c *api.Call, d *directory.Directory, secrets bool) error {
	data, err := c.ReadBody(world.MaxSize)
	if err != nil {
		return err
	}
	f, err := world.Open("body", data)
	if err != nil {
		return err
	}
	if !secrets {
		if err := refuseSecrets(f); err != nil {
			return err
		}
	}
	c.ClearReadTimeout() // a large file takes longer
	applied, err := d.ApplyFile(c.Context(), f, func(int, int) {})
	if err != nil {
		return err
	}
	if !secrets {
		applied = directory.Applied{}
	}
	return api.AnswerSecret(c, http.StatusOK, secretsOf(applied))
}

// refuseSecrets returns an error if a world file contains a token or a secret.
func refuseSecrets(f *world.File) error {
	refuse := func(w world.World) error {
		if slices.ContainsFunc(w.Users, func(u world.User) bool { return u.Token != "" }) || slices.ContainsFunc(w.Applications, hasSecret) {
			return api.ErrOperatorScope
		}
		return nil
	}
	if w := f.Whole(); w != nil {
		return refuse(*w)
	}
	return f.Check(func(p world.Part) error { return refuse(p.World) })
}

// newSecrets are the secrets that were made for an applied world. They are shown only once.
type newSecrets struct {
	BotTokens     map[snowflake.Application]string `json:"bot_tokens"`
	ClientSecrets map[snowflake.Application]string `json:"client_secrets"`
	UserTokens    map[snowflake.User]string        `json:"user_tokens"`
}

func secretsOf(applied directory.Applied) newSecrets {
	s := newSecrets{
		map[snowflake.Application]string{}, map[snowflake.Application]string{}, map[snowflake.User]string{},
	}
	for id, secret := range applied.BotTokens {
		s.BotTokens[id] = secret.Reveal()
	}
	for id, secret := range applied.ClientSecrets {
		s.ClientSecrets[id] = secret.Reveal()
	}
	for id, secret := range applied.UserTokens {
		s.UserTokens[id] = secret.Reveal()
	}
	return s
}
