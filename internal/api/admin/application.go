package admin

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/wire"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// application is an application as in the world file, with its status.
type application struct {
	world.Application

	Status wire.AppStatus `json:"status,omitzero"`
}

// statusFunc returns whether an app can receive interactions.
type statusFunc = func(ctx context.Context, app *store.Application) wire.AppStatus

func applicationRecord(p *provision.Provisioner, status statusFunc) record[application] {
	return record[application]{
		path: "/applications", name: "applications", word: "an application", schema: "WorldApplication",
		keys: []key{{"id", "application_id"}}, paged: true, read: readApplication,
		list: func(c *api.Call) ([]application, error) {
			return listPage(func(c *api.Call, after snowflake.Application, limit int) ([]store.Application, error) {
				return p.Directory.Applications.List(c.Context(), after, limit)
			}, func(app store.Application) application {
				return application{convert.WorldApplication(app), status(c.Context(), &app)}
			})(c)
		},
		get: byID(func(c *api.Call, id snowflake.Application) (application, error) {
			app, err := p.Directory.Applications.Application(c.Context(), id)
			if err != nil {
				return application{}, err
			}
			return application{convert.WorldApplication(*app), status(c.Context(), app)}, nil
		}, "application_id"),
		put: func(ctx context.Context, app application) (provision.Applied, error) {
			return p.PutApplication(ctx, app.Application)
		},
		delete: func(c *api.Call) error {
			id, err := api.PathID[snowflake.Application](c, "application_id")
			if err != nil {
				return err
			}
			return c.NoContent(p.Directory.Applications.Delete(c.Context(), id))
		},
		reveal: func(app *application, made provision.Applied) {
			app.BotToken, app.ClientSecret = made.BotTokens[app.ID].Reveal(), made.ClientSecrets[app.ID].Reveal()
		},
		secret: func(old, app application) bool { return manage.NeedsSecrets(old.Application, app.Application) },
	}
}

// readApplication reads an application. It ignores the status, so that a caller can put back what it read.
func readApplication(v jsonbody.Value) (application, error) {
	members := slices.DeleteFunc(slices.Clone(v.Members()), func(m jsonbody.Member) bool { return m.Name == "status" })
	app, err := world.Read[world.Application](jsonbody.ObjectOf(members...))
	return application{Application: app}, err
}
