package registry

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// AddEntryPoint adds the entry point command "Launch" to an application, as part of the decision that enables its
// activities. It does nothing when activities are off or the application already has an entry point.
func (r *Registry) AddEntryPoint(tx *store.Tx, app store.Application) error {
	if !app.Activities {
		return nil
	}
	scope := command.Scope{Application: app.ID}
	s, err := r.readSnapshot(tx.Reader, scope)
	if err != nil || s.entryPoint() != nil {
		return err
	}
	d, err := command.Parse([]byte(`{"type":4,"name":"Launch","handler":2}`), Env(scope, &app))
	if err != nil {
		return err
	}
	id := r.ids.Run(2)
	return tx.Put(
		// Every scope with commands has a quota record.
		store.Quota{Scope: scope, Since: s.quota.Since, Used: s.quota.Used, Commands: len(s.commands) + 1},
		store.Command{Command: command.Command{
			ID: snowflake.Command(id), Scope: scope, Version: snowflake.Version(id + 1), Type: d.Type, Name: d.Name, Doc: d.Doc(),
		}},
	)
}
