package registry

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Launch adds the entry point command of an application to a decision that switches its activities on, unless the
// application has one.
func (r *Registry) Launch(tx *store.Tx, app store.Application) error {
	if !app.Activities {
		return nil
	}
	scope := command.Scope{Application: app.ID}
	s, err := r.readSnapshot(tx.Reader, scope)
	if err != nil || s.entryPoint() != nil {
		return err
	}
	d := command.LaunchCommand(Env(scope, &app).Supported)
	id := r.ids.Run(2)
	return tx.Put(
		store.Quota{Scope: scope, Since: s.quota.Since, Used: s.quota.Used}, // every scope with commands has a row
		store.Command{Command: command.Command{
			ID: snowflake.Command(id), Scope: scope, Version: snowflake.Version(id + 1), Type: d.Type, Name: d.Name, Doc: d.Doc(),
		}},
	)
}
