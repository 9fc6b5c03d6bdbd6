package adminapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) worldRoutes() []httpapi.Route {
	return []httpapi.Route{
		route(auth.OperatorRead, http.MethodGet, "/world", "world.export", "Export the world without secrets: as YAML, or as JSON if Accept names it.",
			"", map[int]string{200: "world"}, a.exportWorld),
		route(auth.OperatorDirectory, http.MethodPut, "/world", "world.apply", "Apply a world file completely or not at all. Records that it does not name stay.",
			"World", map[int]string{200: "DevApplied"}, a.applyWorld),
	}
}

func (a *API) exportWorld(c *httpapi.Call) error {
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
func ExportYAML(c *httpapi.Call, d *directory.Directory) error {
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

func (a *API) applyWorld(c *httpapi.Call) error {
	return ApplyWorld(c, a.Directory, c.Principal.IsOperator(auth.OperatorSecrets))
}

// maxWorld bounds a world file.
const maxWorld = 64 << 20

// ApplyWorld applies the world file in the body of the request and answers with the secrets that were made. Without
// secrets it refuses a file with secrets, and does not show those that were made.
func ApplyWorld(c *httpapi.Call, d *directory.Directory, secrets bool) error {
	data, err := c.ReadBody(maxWorld)
	if err != nil {
		return err
	}
	w, err := world.Parse("body", data)
	if err != nil {
		return err
	}
	if !secrets && hasSecrets(w) {
		return httpapi.ErrOperatorScope
	}
	applied, err := d.Apply(c.Context(), w)
	if err != nil {
		return err
	}
	if !secrets {
		applied = directory.Applied{}
	}
	return httpapi.AnswerSecret(c, http.StatusOK, secretsOf(applied))
}

// hasSecrets reports whether a world file contains a token or a secret.
func hasSecrets(w world.World) bool {
	return slices.ContainsFunc(w.Users, func(u world.User) bool { return u.Token != "" }) ||
		slices.ContainsFunc(w.Applications, func(a world.Application) bool { return hasSecret(a) })
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
