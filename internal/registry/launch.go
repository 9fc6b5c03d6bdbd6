package registry

import (
	"fmt"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Launch makes the entry point command of an application whose activities have been switched on, unless it has one. It
// works inside a unit of work of its caller, who calls Forget for the application's global scope once that is durable.
func (r *Registry) Launch(tx store.Tx, app store.Application) error {
	scope := command.Scope{Application: app.ID}
	kept, err := tx.Scope(scope)
	if err != nil {
		return err
	}
	s := newSnapshot(kept)
	if !app.Activities || s.entryPoint() != nil {
		return nil
	}
	d := command.LaunchCommand(Env(scope, &app).Supported)
	id := r.ids.Run(2)
	c := change{quota: s.quota, put: []*command.Command{{
		ID: snowflake.Command(id), Scope: scope, Version: snowflake.Version(id + 1), Type: d.Type, Name: d.Name, Doc: d.Doc(),
	}}}
	moved, err := tx.MoveScope(scope, s.revision, r.apply(s, c).record())
	if err != nil {
		return err
	}
	if !moved {
		return fmt.Errorf("scope %v moved within a unit of work", scope)
	}
	return write(tx, c)
}
