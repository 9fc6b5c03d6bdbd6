package manage

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// ExportYAML answers with the world file of the directory, without secrets.
func ExportYAML(c *api.Call, d *directory.Directory) error {
	w, err := provision.Export(c.Context(), d)
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
		if err := refuseSecrets(c.Context(), f, p.Directory); err != nil {
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

// refuseSecrets returns an error if only an operator with the scope secrets may apply a world file.
func refuseSecrets(ctx context.Context, f *world.File, d *directory.Directory) error {
	refuse := func(w world.World) error {
		if slices.ContainsFunc(w.Users, func(u world.User) bool { return u.Token != "" }) {
			return api.ErrOperatorScope
		}
		for _, app := range w.Applications {
			var old world.Application
			stored, err := d.Applications.Application(ctx, app.ID)
			if err == nil {
				old = convert.WorldApplication(*stored)
			} else if !errors.Is(err, directory.ErrUnknownApplication) {
				return err
			}
			if NeedsSecrets(old, app) {
				return api.ErrOperatorScope
			}
		}
		return nil
	}
	if w := f.Whole(); w != nil {
		return refuse(*w)
	}
	return f.Check(func(p world.Part) error { return refuse(p.World) })
}

// NeedsSecrets reports whether only an operator with the scope secrets may replace the record of an application; old is
// empty for a new one. The record may set a credential. It may also change who gets codes, tokens, interactions and events:
// the URIs and the endpoints to which they are sent, whether a client needs a secret, and whose ID tokens players sign in with.
func NeedsSecrets(old, app world.Application) bool {
	return app.BotToken != "" || app.ClientSecret != "" || len(app.ClientKeys) > 0 ||
		app.PublicClient != old.PublicClient || app.InteractionsEndpointURL != old.InteractionsEndpointURL ||
		app.EventWebhooksURL != old.EventWebhooksURL || app.ProvisionalAccounts.Issuer != old.ProvisionalAccounts.Issuer ||
		app.ProvisionalAccounts.ClientID != old.ProvisionalAccounts.ClientID ||
		!slices.Equal(app.RedirectURIs, old.RedirectURIs) || !slices.Equal(app.PostLogoutRedirectURIs, old.PostLogoutRedirectURIs)
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
