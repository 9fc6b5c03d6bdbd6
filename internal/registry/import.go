package registry

import (
	"bytes"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Import writes the definitions of a world file, a JSON list, as part of a decision. It replaces the commands with the
// same type and name, and adds the others. An added command gets the id in the list if no other command has it. Commands
// that are not in the list stay. Imports do not count as daily creates. Import returns how many commands it wrote, and the
// id of each command by the id in the list.
func (r *Registry) Import(
	tx *store.Tx, app store.Application, guild snowflake.Guild, definitions []byte,
) (ids map[snowflake.Command]snowflake.Command, changed int, err error) {
	scope := command.Scope{Application: app.ID, Guild: guild}
	items, err := command.ParseList(definitions, Env(scope, &app))
	if err != nil {
		return nil, 0, err
	}
	s, err := r.readSnapshot(tx.Reader, scope)
	if err != nil {
		return nil, 0, err
	}
	types := make([]command.Type, 0, len(s.commands)+len(items))
	for _, c := range s.commands {
		types = append(types, c.Type)
	}
	ids = map[snowflake.Command]snowflake.Command{}
	for _, item := range items {
		old := s.byName(item.Type, item.Name)
		if item.Type == command.PrimaryEntryPoint {
			old = s.entryPoint()
		}
		c, err := r.imported(tx, scope, item, old)
		if err != nil {
			return nil, 0, err
		}
		if old == nil {
			types = append(types, item.Type)
		}
		if item.ID != 0 {
			ids[item.ID] = c.ID
		}
		if old != nil && old.Name == c.Name && bytes.Equal(old.Doc, c.Doc) && old.Closed == c.Closed {
			continue
		}
		changed++
		if err := tx.Put(store.Command{Command: c}); err != nil {
			return nil, 0, err
		}
	}
	if err := CheckCounts(types...); err != nil {
		var t jsonbody.Tree
		t.Add(jsonbody.MaxLength, err.Error())
		return nil, 0, t.Err()
	}
	if changed == 0 {
		return ids, 0, nil
	}
	// Every scope with commands has a quota record.
	return ids, changed, tx.Put(store.Quota{Scope: scope, Since: s.quota.Since, Used: s.quota.Used, Commands: len(types)})
}

// imported returns the command of a definition. old is the command that it replaces, or nil.
func (r *Registry) imported(tx *store.Tx, scope command.Scope, item command.Item, old *command.Command) (command.Command, error) {
	c := command.Command{Scope: scope, Type: item.Type, Name: strings.Clone(item.Name), Doc: item.Doc(), Closed: item.Closed}
	if old != nil {
		c.ID, c.Version = old.ID, r.version(old)
		return c, nil
	}
	id := r.ids.Run(2) // the second is the version
	c.ID, c.Version = snowflake.Command(id), snowflake.Version(id+1)
	if item.ID == 0 {
		return c, nil
	}
	_, err := tx.Commands.CommandScope(item.ID)
	if errors.Is(err, store.ErrNotFound) {
		c.ID = item.ID
		err = nil
	}
	return c, err
}
