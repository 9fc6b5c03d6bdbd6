package store

import (
	"fmt"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

// Quota counts the commands that were created in a scope in the current day, and the commands that the scope has.
type Quota struct {
	Scope    command.Scope
	Since    time.Time // when the day began
	Used     int
	Commands int // how many the scope has; 0: unknown, or none
}

// Command is a registered command.
type Command struct{ command.Command }

// OverwriteSet is the permission set of a command in a guild. With the id of the application, it applies to all
// commands that have no set.
type OverwriteSet struct {
	Guild       snowflake.Guild       `json:"guild"`
	Application snowflake.Application `json:"application"`
	ID          snowflake.Command     `json:"id"`
	Entries     []OverwriteEntry      `json:"entries"`
}

// OverwriteEntry allows or denies one role, user or channel.
type OverwriteEntry struct {
	ID    snowflake.Target `json:"id"`
	Type  uint8            `json:"type"` // 1 role, 2 user, 3 channel
	Allow bool             `json:"allow"`
}

func (q Quota) subjects() []Subject { return []Subject{ScopeSubject(q.Scope)} }

func (q Quota) write(w *writes) {
	w.put(scopesTable, key(q.Scope.Application), key(q.Scope.Guild), micros(q.Since), int64(q.Used),
		sizeOrNull(q.Commands))
}

func (c Command) subjects() []Subject { return []Subject{ScopeSubject(c.Scope)} }

func (c Command) write(w *writes) {
	w.put(commandsTable, key(c.ID), key(c.Scope.Application), key(c.Scope.Guild), int64(c.Type), c.Name, key(c.Version), c.Doc,
		flag(c.Closed))
}

// CommandKey names a command.
func CommandKey(scope command.Scope, id snowflake.Command) Key {
	return Key{
		subs: []Subject{ScopeSubject(scope), DeletionsSubject(scope)}, ends: []Subject{CommandSetsSubject(id)},
		rows: []rowKey{{commandsTable, []string{"id"}, []any{key(id)}}},
	}
}

// ScopeKey names a scope with all of its commands. The caller also ends the subjects of their permission sets.
func ScopeKey(s command.Scope) Key {
	columns, values := []string{"application_id", "guild_id"}, []any{key(s.Application), key(s.Guild)}
	return Key{ends: []Subject{ScopeSubject(s), DeletionsSubject(s)}, rows: []rowKey{{commandsTable, columns, values}, {scopesTable, columns, values}}}
}

// OverwritesKey names all permission sets of an application in a guild.
func OverwritesKey(app snowflake.Application, guild snowflake.Guild) Key {
	return Key{
		ends: []Subject{OverwritesSubject(app, guild)},
		rows: []rowKey{{overwritesTable, []string{"application_id", "guild_id"}, []any{key(app), key(guild)}}},
	}
}

func (s OverwriteSet) subjects() []Subject { return setSubjects(s.Application, s.Guild, s.ID) }

// setSubjects returns the subjects of a permission set. The set of an application belongs to no command.
func setSubjects(app snowflake.Application, guild snowflake.Guild, id snowflake.Command) []Subject {
	subjects := []Subject{OverwritesSubject(app, guild)}
	if uint64(id) != uint64(app) {
		subjects = append(subjects, CommandSetsSubject(id))
	}
	return subjects
}

func (s OverwriteSet) write(w *writes) {
	w.put(overwritesTable, key(s.Application), key(s.Guild), key(s.ID), w.doc(s))
}

// OverwriteSetKey names the permission set of a command, or of all commands without one, in a guild.
func OverwriteSetKey(app snowflake.Application, guild snowflake.Guild, id snowflake.Command) Key {
	return Key{
		subs: setSubjects(app, guild, id),
		rows: []rowKey{{overwritesTable, []string{"application_id", "guild_id", "id"}, []any{key(app), key(guild), key(id)}}},
	}
}

// CommandQueries reads commands and their permission sets.
type CommandQueries struct{ *reader }

// Scope returns the quota and the commands of a scope. It returns an IncompleteListError when commands are hidden.
func (q CommandQueries) Scope(s command.Scope) (quota Quota, commands []command.Command, err error) {
	err = q.whole(ScopeSubject(s), func() (l IncompleteListError, err error) {
		if quota, err = q.Quota(s); err != nil {
			return l, err
		}
		commands, err = q.Commands(s)
		return IncompleteListError{
			"commands", fmt.Sprintf("application_id = %v AND guild_id = %v", s.Application, s.Guild), quota.Commands, len(commands),
		}, err
	})
	return quota, commands, err
}

// Quota returns the quota of a scope. When none is stored, only its Scope is set.
func (q CommandQueries) Quota(s command.Scope) (Quota, error) {
	q.read(ScopeSubject(s))
	row, err := q.row(scopesTable, key(s.Application), key(s.Guild))
	if err == nil {
		return Quota{s, fromMicros(row.int(2)), int(row.int(3)), int(row.int(4))}, nil
	}
	return Quota{Scope: s}, except(err, ErrNotFound)
}

// Commands returns the commands of a scope.
func (q CommandQueries) Commands(s command.Scope) ([]command.Command, error) {
	q.read(ScopeSubject(s))
	rows, err := q.rows(commandsTable, page{}, []string{"application_id", "guild_id"}, key(s.Application), key(s.Guild))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	commands := make([]command.Command, len(rows))
	for i, row := range rows {
		commands[i] = commandOf(row)
	}
	return commands, nil
}

func commandOf(row Row) command.Command {
	return command.Command{
		ID: snowflake.Command(row.int(0)), Scope: scopeOf(row), Type: command.Type(row.int(3)), Name: row.text(4),
		Version: snowflake.Version(row.int(5)), Doc: row.bytes(6), Closed: row.int(7) != 0,
	}
}

func scopeOf(row Row) command.Scope {
	return command.Scope{Application: snowflake.Application(row.int(1)), Guild: snowflake.Guild(row.int(2))}
}

// Command returns a command that an application has in a guild or in all guilds. A decision that calls it depends on
// the deletions in its scope, not on edits.
func (q CommandQueries) Command(app snowflake.Application, guild snowflake.Guild, id snowflake.Command) (command.Command, error) {
	row, err := q.row(commandsTable, key(id))
	if err != nil {
		return command.Command{}, err
	}
	s := scopeOf(row)
	if s.Application != app || s.Guild != 0 && s.Guild != guild {
		return command.Command{}, ErrNotFound
	}
	q.read(DeletionsSubject(s))
	return commandOf(row), nil
}

// CommandScope returns the scope of a command.
func (q CommandQueries) CommandScope(id snowflake.Command) (command.Scope, error) {
	row, err := q.row(commandsTable, key(id))
	if err != nil {
		return command.Scope{}, err
	}
	s := scopeOf(row)
	q.read(ScopeSubject(s))
	return s, nil
}

// ScopesOf returns the scopes in which an application has or had commands.
func (q CommandQueries) ScopesOf(app snowflake.Application) ([]command.Scope, error) {
	rows, err := q.rows(scopesTable, page{}, []string{"application_id"}, key(app))
	return scopesOf(rows), err
}

// ScopesIn returns the scopes of a guild.
func (q CommandQueries) ScopesIn(guild snowflake.Guild) ([]command.Scope, error) {
	rows, err := q.rows(scopesTable, page{}, []string{"guild_id"}, key(guild))
	return scopesOf(rows), err
}

func scopesOf(rows []Row) []command.Scope {
	scopes := make([]command.Scope, len(rows))
	for i, row := range rows {
		scopes[i] = command.Scope{Application: snowflake.Application(row.int(0)), Guild: snowflake.Guild(row.int(1))}
	}
	return scopes
}

// Overwrites returns the permission sets that an application has in a guild.
func (q CommandQueries) Overwrites(app snowflake.Application, guild snowflake.Guild) ([]OverwriteSet, error) {
	q.read(OverwritesSubject(app, guild))
	return list[OverwriteSet](q.reader, overwritesTable, page{}, []string{"application_id", "guild_id"}, key(app), key(guild))
}

// GuildOverwrites returns the permission sets of all applications in a guild, in the order of the applications.
func (q CommandQueries) GuildOverwrites(guild snowflake.Guild) ([]OverwriteSet, error) {
	sets, err := list[OverwriteSet](q.reader, overwritesTable, page{}, []string{"guild_id"}, key(guild))
	for i := range sets {
		q.read(OverwritesSubject(sets[i].Application, guild))
	}
	return sets, err
}

// OverwritesOf returns up to limit permission sets of an application in all guilds.
func (q CommandQueries) OverwritesOf(app snowflake.Application, limit int) ([]OverwriteSet, error) {
	return list[OverwriteSet](q.reader, overwritesTable, page{"guild_id", 0, limit}, []string{"application_id"}, key(app))
}

// CommandOverwrites returns the permission sets of a command in all guilds.
func (q CommandQueries) CommandOverwrites(app snowflake.Application, id snowflake.Command) ([]OverwriteSet, error) {
	q.read(CommandSetsSubject(id))
	sets, err := list[OverwriteSet](q.reader, overwritesTable, page{}, []string{"application_id", "id"}, key(app), key(id))
	for i := range sets {
		q.read(OverwritesSubject(app, sets[i].Guild))
	}
	return sets, err
}
