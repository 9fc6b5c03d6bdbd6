package manage

import (
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

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

// ApplyWorld applies the world file in the body of the request and answers with the secrets that were made. Without
// secrets it refuses a file with secrets, and does not show those that were made.
func ApplyWorld(c *api.Call, p *provision.Provisioner, secrets bool) error {
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
	applied, err := p.ApplyFile(c.Context(), f, func(int, int) {})
	if err != nil {
		return err
	}
	if !secrets {
		applied = provision.Applied{}
	}
	return api.AnswerSecret(c, http.StatusOK, secretsOf(applied))
}

// refuseSecrets returns an error if a world file contains a token or a secret.
func refuseSecrets(f *world.File) error {
	refuse := func(w world.World) error {
		if slices.ContainsFunc(w.Users, func(u world.User) bool { return u.Token != "" }) || slices.ContainsFunc(w.Applications, HasSecret) {
			return api.ErrOperatorScope
		}
		return nil
	}
	if w := f.Whole(); w != nil {
		return refuse(*w)
	}
	return f.Check(func(p world.Part) error { return refuse(p.World) })
}

// HasSecret reports whether an application record sets a credential. With a client key, its holder can act as the
// application.
func HasSecret(app world.Application) bool {
	return app.BotToken != "" || app.ClientSecret != "" || len(app.ClientKeys) > 0
}

// newSecrets are the secrets that were made for an applied world. They are shown only once.
type newSecrets struct {
	BotTokens     map[snowflake.Application]string `json:"bot_tokens"`
	ClientSecrets map[snowflake.Application]string `json:"client_secrets"`
	UserTokens    map[snowflake.User]string        `json:"user_tokens"`
}

func secretsOf(applied provision.Applied) newSecrets {
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
