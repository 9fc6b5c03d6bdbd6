package sqlstore

import (
	"cmp"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectScope    = "SELECT revision, quota_since, quota_used FROM scopes WHERE application_id = ? AND guild_id = ?"
	selectRevision = "SELECT revision FROM scopes WHERE application_id = ? AND guild_id = ?"
	selectCommands = "SELECT id, type, name, version, doc FROM commands WHERE application_id = ? AND guild_id = ?"

	insertScope = "INSERT INTO scopes (revision, quota_since, quota_used, application_id, guild_id) VALUES (?, ?, ?, ?, ?)" +
		" ON CONFLICT (application_id, guild_id) DO UPDATE SET revision = excluded.revision," +
		" quota_since = excluded.quota_since, quota_used = excluded.quota_used WHERE scopes.revision = 0"
	updateScope = "UPDATE scopes SET revision = ?, quota_since = ?, quota_used = ?" +
		" WHERE application_id = ? AND guild_id = ? AND revision = ?"

	selectNamed = "SELECT id, version, doc FROM commands WHERE application_id = ? AND guild_id = ? AND type = ? AND name = ?"
	// passScope moves a scope to a revision, or beyond its own when that is later.
	passScope = "UPDATE scopes SET revision = CASE WHEN revision < ? THEN ? ELSE revision + 1 END" +
		" WHERE application_id = ? AND guild_id = ?"
	replaceCommand = "UPDATE commands SET version = ?, doc = ? WHERE id = ? AND version = ?"
)

var (
	insertCommands = newMulti(
		"INSERT INTO commands (id, application_id, guild_id, type, name, version, doc) VALUES ", "(?, ?, ?, ?, ?, ?, ?)", "")
	// placeCommands stores commands that are new or keep their place. It changes nothing about one that moves, so that
	// the index of names is left alone.
	placeCommands = newMulti(
		"INSERT INTO commands (id, application_id, guild_id, type, name, version, doc) VALUES ", "(?, ?, ?, ?, ?, ?, ?)",
		" ON CONFLICT (id) DO UPDATE SET version = excluded.version, doc = excluded.doc"+
			" WHERE commands.application_id = excluded.application_id AND commands.guild_id = excluded.guild_id"+
			" AND commands.type = excluded.type AND commands.name = excluded.name")
	deleteCommands    = newMulti("DELETE FROM commands WHERE id IN (", "?", ")")
	deleteOverwriteOf = newMulti("DELETE FROM overwrites WHERE id IN (", "?", ")")
)

// Scope returns what is kept of a scope.
func (t *Tx) Scope(s command.Scope) (store.Scope, error) {
	var scope store.Scope
	moved := false
	app, guild := any(key(s.Application)), any(key(s.Guild))
	err := t.query(selectScope, func(r Row) error {
		moved = true
		scope.Revision = uint64(r.int(0))
		scope.QuotaSince, scope.QuotaUsed = fromMicros(r.int(1)), int(r.int(2))
		return nil
	}, app, guild)
	if err != nil || !moved {
		return store.Scope{}, err
	}
	err = t.query(selectCommands, func(r Row) error {
		scope.Commands = append(scope.Commands, command.Command{
			ID: snowflake.Command(r.int(0)), Scope: s, Version: snowflake.Version(r.int(3)),
			Type: command.Type(r.int(1)), Name: r.text(2), Doc: r.bytes(4),
		})
		return nil
	}, app, guild)
	if err != nil {
		return store.Scope{}, err
	}
	// The rows come in the order of the names; to sort them here spares the engine a copy of every document.
	slices.SortFunc(scope.Commands, func(a, b command.Command) int { return cmp.Compare(a.ID, b.ID) })
	return scope, nil
}

// Revision returns a scope's revision.
func (t *Tx) Revision(s command.Scope) (uint64, error) {
	var revision uint64
	err := t.query(selectRevision, func(r Row) error {
		revision = uint64(r.int(0))
		return nil
	}, key(s.Application), key(s.Guild))
	return revision, err
}

// CommandNamed returns the command of a name.
func (t *Tx) CommandNamed(s command.Scope, kind command.Type, name string) (command.Command, error) {
	c := command.Command{Scope: s, Type: kind, Name: name}
	err := t.query(selectNamed, func(r Row) error {
		c.ID, c.Version, c.Doc = snowflake.Command(r.int(0)), snowflake.Version(r.int(1)), r.bytes(2)
		return nil
	}, key(s.Application), key(s.Guild), int64(kind), name)
	if err == nil && c.ID == 0 {
		err = store.ErrNotFound
	}
	return c, err
}

// ReplaceCommand puts a command in the place of an earlier version.
func (t *Tx) ReplaceCommand(c command.Command, from snowflake.Version, revision uint64) (bool, error) {
	moved, err := t.exec(passScope, int64(revision), int64(revision), key(c.Scope.Application), key(c.Scope.Guild))
	if err != nil || moved == 0 {
		return false, err
	}
	replaced, err := t.exec(replaceCommand, key(c.Version), c.Doc, key(c.ID), key(from))
	return replaced == 1, err
}

// MoveScope gives the scope a new revision and quota when its revision is still from.
func (t *Tx) MoveScope(s command.Scope, from uint64, to store.Scope) (bool, error) {
	query := insertScope
	args := make([]any, 5, 6)
	args[0], args[1], args[2] = int64(to.Revision), micros(to.QuotaSince), int64(to.QuotaUsed)
	args[3], args[4] = key(s.Application), key(s.Guild)
	if from != 0 {
		query = updateScope
		args = append(args, int64(from))
	}
	n, err := t.exec(query, args...)
	return n == 1, err
}

// PutCommands stores commands.
func (t *Tx) PutCommands(commands ...command.Command) error {
	commands = lastOfEach(commands)
	args := commandArgs(commands)
	placed, err := placeCommands.run(args, t.attempt)
	if err == nil && placed == int64(len(commands)) {
		return nil
	}
	if err != nil && !errors.Is(err, store.ErrConflict) {
		return err
	}
	// Some move, maybe into the place of another that moves: take all of them away, then the places are free or not.
	ids := make([]snowflake.Command, len(commands))
	for i := range commands {
		ids[i] = commands[i].ID
	}
	if err := deleteCommands.all(t, keys(ids)); err != nil {
		return err
	}
	return insertCommands.all(t, args)
}

// lastOfEach returns the commands without those that a later one with the same id stands in for.
func lastOfEach(commands []command.Command) []command.Command {
	ascending := true
	for i := 1; i < len(commands); i++ {
		ascending = ascending && commands[i-1].ID < commands[i].ID
	}
	if ascending {
		return commands
	}
	last := make(map[snowflake.Command]int, len(commands))
	for i := range commands {
		last[commands[i].ID] = i
	}
	kept := make([]command.Command, 0, len(last))
	for i := range commands {
		if last[commands[i].ID] == i {
			kept = append(kept, commands[i])
		}
	}
	return kept
}

func commandArgs(commands []command.Command) []any {
	args := make([]any, 0, 7*len(commands))
	var scope command.Scope
	var app, guild any = int64(0), int64(0)
	for i := range commands {
		c := &commands[i]
		if c.Scope != scope { // commands of one call mostly share theirs, and with it the boxed ids
			scope, app, guild = c.Scope, key(c.Scope.Application), key(c.Scope.Guild)
		}
		args = append(args, key(c.ID), app, guild, int64(c.Type), c.Name, key(c.Version), c.Doc)
	}
	return args
}

// DeleteCommands removes commands and their permission sets.
func (t *Tx) DeleteCommands(ids ...snowflake.Command) error {
	if err := deleteCommands.all(t, keys(ids)); err != nil {
		return err
	}
	return deleteOverwriteOf.all(t, keys(ids))
}
