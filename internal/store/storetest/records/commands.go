package records

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

var scopeRules = []check.Rule{
	{Name: "one that was never written is zero", Run: unwrittenScope},
	{Name: "a move sets revision and quota and nothing else", Run: moveSets},
	{Name: "a move from another revision changes nothing", Run: moveRefused},
	{Name: "a move keeps the commands", Run: moveKeepsCommands},
	{Name: "scopes are apart", Run: scopesApart},
	{Name: "a failed unit takes its move back", Run: moveTakenBack},
}

var commandRules = []check.Rule{
	{Name: "come back whole and in the order of ids", Run: commandsWhole},
	{Name: "a put replaces the one with the same id", Run: putReplaces},
	{Name: "of two with one id in a put the last stays", Run: lastOfPutStays},
	{Name: "puts and deletes of nothing do nothing", Run: nothing},
	{Name: "many can be put and deleted at once", Run: manyCommands},
	{Name: "a name is unique in its scope and type", Run: uniqueName},
	{Name: "the same name in another type or scope is no conflict", Run: sameNameElsewhere},
	{Name: "names are told apart by every letter", Run: exactNames},
	{Name: "names may change places within a put", Run: nameSwap},
	{Name: "one is found by its type and name", Run: namedCommand},
	{Name: "one is replaced alone, from the version it had", Run: replacedCommand},
	{Name: "a deleted one takes along its permission sets in every guild", Run: deletedCommand},
}

var (
	globalScope = command.Scope{Application: 100}
	guildScope  = command.Scope{Application: 100, Guild: 300}
)

// chat returns a command of the global scope.
func chat(id snowflake.Command, name string) command.Command {
	return in(globalScope, id, name)
}

func in(scope command.Scope, id snowflake.Command, name string) command.Command {
	return command.Command{
		ID: id, Scope: scope, Version: snowflake.Version(id + 5), Type: command.ChatInput, Name: name,
		Doc: fmt.Appendf(nil, `{"name":%q,"of":%d}`, name, id),
	}
}

// PutCommands returns a unit of work that stores commands together with moves of their scopes, as every write is made.
func PutCommands(commands ...command.Command) func(store.Tx) error {
	return func(tx store.Tx) error {
		moved := map[command.Scope]bool{}
		for _, c := range commands {
			if moved[c.Scope] {
				continue
			}
			moved[c.Scope] = true
			from, err := tx.Revision(c.Scope)
			if err != nil {
				return err
			}
			if ok, err := tx.MoveScope(c.Scope, from, store.Scope{Revision: from + 1}); err != nil || !ok {
				return fmt.Errorf("MoveScope() = %v, %w", ok, err)
			}
		}
		return tx.PutCommands(commands...)
	}
}

// hasCommands checks what a scope holds.
func hasCommands(t *testing.T, s store.Store, scope command.Scope, want ...command.Command) {
	t.Helper()
	kept := check.Read(t, s, check.By(store.Reader.Scope, scope))
	check.Same(t, fmt.Sprintf("commands of %v", scope), kept.Commands, want)
}

func unwrittenScope(t *testing.T, s store.Store) {
	check.Shows(t, s, "Scope()", check.By(store.Reader.Scope, guildScope), store.Scope{})
	check.Shows(t, s, "Revision()", check.By(store.Reader.Revision, guildScope), uint64(0))
}

// move checks that a move succeeds or not.
func move(t *testing.T, s store.Store, scope command.Scope, from uint64, to store.Scope, want bool) {
	t.Helper()
	moved := check.Told(t, s, func(tx store.Tx) (bool, error) { return tx.MoveScope(scope, from, to) })
	if moved != want {
		t.Errorf("MoveScope(%v, %d) = %v, want %v", scope, from, moved, want)
	}
}

func moveSets(t *testing.T, s store.Store) {
	for i, to := range []store.Scope{
		{Revision: 11, QuotaSince: check.Noon, QuotaUsed: 3},
		{Revision: 1 << 62, QuotaSince: check.Noon.Add(24*time.Hour + time.Microsecond), QuotaUsed: 200},
		{Revision: 13},
	} {
		from := check.Read(t, s, check.By(store.Reader.Revision, guildScope))
		given := to
		given.Commands = []command.Command{in(guildScope, 1, "ignored")}
		move(t, s, guildScope, from, given, true)
		kept := check.Read(t, s, check.By(store.Reader.Scope, guildScope))
		check.Same(t, fmt.Sprintf("Scope() after move %d", i), kept, to)
		if kept.QuotaSince.IsZero() != to.QuotaSince.IsZero() {
			t.Errorf("QuotaSince = %v, want %v", kept.QuotaSince, to.QuotaSince)
		}
		check.Shows(t, s, "Revision()", check.By(store.Reader.Revision, guildScope), to.Revision)
	}
}

func moveRefused(t *testing.T, s store.Store) {
	move(t, s, guildScope, 5, store.Scope{Revision: 6}, false) // it was never written
	move(t, s, guildScope, 0, store.Scope{Revision: 6, QuotaUsed: 1}, true)
	move(t, s, guildScope, 0, store.Scope{Revision: 7, QuotaUsed: 9}, false)
	move(t, s, guildScope, 5, store.Scope{Revision: 7, QuotaUsed: 9}, false)
	move(t, s, guildScope, 7, store.Scope{Revision: 7, QuotaUsed: 9}, false)
	check.Shows(t, s, "Scope()", check.By(store.Reader.Scope, guildScope), store.Scope{Revision: 6, QuotaUsed: 1})
}

func moveKeepsCommands(t *testing.T, s store.Store) {
	check.Update(t, s, PutCommands(chat(1, "roll")))
	move(t, s, globalScope, 1, store.Scope{Revision: 2}, true)
	hasCommands(t, s, globalScope, chat(1, "roll"))
}

func scopesApart(t *testing.T, s store.Store) {
	other := command.Scope{Application: 101}
	check.Update(t, s, PutCommands(in(globalScope, 1, "a"), in(guildScope, 2, "b"), in(other, 3, "c")))
	move(t, s, guildScope, 1, store.Scope{Revision: 9}, true)
	for scope, want := range map[command.Scope]store.Scope{
		globalScope: {Revision: 1, Commands: []command.Command{in(globalScope, 1, "a")}},
		guildScope:  {Revision: 9, Commands: []command.Command{in(guildScope, 2, "b")}},
		other:       {Revision: 1, Commands: []command.Command{in(other, 3, "c")}},

		{Application: 101, Guild: 300}: {},
		{Application: 100, Guild: 301}: {},
		{Application: 300, Guild: 100}: {},
	} {
		check.Shows(t, s, fmt.Sprintf("Scope(%v)", scope), check.By(store.Reader.Scope, scope), want)
	}
}

func moveTakenBack(t *testing.T, s store.Store) {
	check.Update(t, s, PutCommands(chat(1, "roll")))
	check.Refused(t, s, store.ErrConflict, PutCommands(chat(2, "roll")))
	check.Shows(t, s, "Scope()", check.By(store.Reader.Scope, globalScope), store.Scope{Revision: 1, Commands: []command.Command{chat(1, "roll")}})
}

func commandsWhole(t *testing.T, s store.Store) {
	commands := []command.Command{
		{
			ID: 9223372036854775807, Scope: guildScope, Version: 9223372036854775806, Type: command.PrimaryEntryPoint,
			Name: "Launch", Doc: []byte(`{"z":1,  "a":"\u00e9 ☃"}`),
		},
		{ID: 12, Scope: guildScope, Version: 1, Type: command.Message, Name: "Größe 🎲 it's \"", Doc: []byte(`{}`)},
		in(guildScope, 4096, "roll"),
	}
	check.Update(t, s, PutCommands(commands...))
	hasCommands(t, s, guildScope, commands[1], commands[2], commands[0])
}

func putReplaces(t *testing.T, s store.Store) {
	check.Update(t, s, PutCommands(chat(1, "roll"), chat(2, "toss")))
	edited := chat(1, "roll")
	edited.Version, edited.Doc = 99, []byte(`{"edited":true}`)
	check.Update(t, s, PutCommands(edited))
	hasCommands(t, s, globalScope, edited, chat(2, "toss"))

	moved := in(guildScope, 1, "throw")
	moved.Type = command.User
	check.Update(t, s, PutCommands(moved))
	hasCommands(t, s, globalScope, chat(2, "toss"))
	hasCommands(t, s, guildScope, moved)
}

func lastOfPutStays(t *testing.T, s store.Store) {
	check.Update(t, s, PutCommands(chat(3, "c"), chat(1, "a"), chat(2, "b"), chat(1, "z")))
	hasCommands(t, s, globalScope, chat(1, "z"), chat(2, "b"), chat(3, "c"))
	check.Update(t, s, PutCommands(chat(1, "b"), chat(1, "a"))) // the first would have taken a name
	hasCommands(t, s, globalScope, chat(1, "a"), chat(2, "b"), chat(3, "c"))
}

func nothing(t *testing.T, s store.Store) {
	check.Update(t, s, PutCommands(chat(1, "roll")))
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutCommands(), tx.DeleteCommands(), tx.DeleteCommands(7), tx.DropOverwrites(7),
			tx.PutOverwrites(store.OverwriteSet{Guild: 300, Application: 100, ID: 7}))
	})
	hasCommands(t, s, globalScope, chat(1, "roll"))
}

func manyCommands(t *testing.T, s store.Store) {
	for _, n := range []int{1, 2, 3, 50, 63, 64, 65, 131, 300} {
		commands := make([]command.Command, n)
		ids := make([]snowflake.Command, n)
		for i := range commands {
			ids[i] = snowflake.Command(i + 1)
			commands[i] = chat(ids[i], fmt.Sprintf("command-%d", i))
		}
		check.Update(t, s, PutCommands(commands...))
		hasCommands(t, s, globalScope, commands...)
		for i := range commands {
			commands[i] = chat(ids[i], fmt.Sprintf("command-%d", (i+1)%n)) // everyone takes the neighbour's name
		}
		slices.Reverse(commands)
		check.Update(t, s, PutCommands(commands...))
		slices.Reverse(commands)
		hasCommands(t, s, globalScope, commands...)
		check.Update(t, s, func(tx store.Tx) error { return tx.DeleteCommands(ids[:n-1]...) })
		hasCommands(t, s, globalScope, commands[n-1])
		check.Update(t, s, func(tx store.Tx) error { return tx.DeleteCommands(ids...) })
		hasCommands(t, s, globalScope)
	}
}

func uniqueName(t *testing.T, s store.Store) {
	before := []command.Command{chat(1, "roll"), chat(2, "toss")}
	check.Update(t, s, PutCommands(before...))
	for name, give := range map[string][]command.Command{
		"a new one takes the name of another":       {chat(3, "roll")},
		"one is renamed to another's name":          {chat(2, "roll")},
		"two new ones share a name":                 {chat(3, "throw"), chat(4, "throw")},
		"two are renamed to one name":               {chat(1, "throw"), chat(2, "throw")},
		"one of many collides":                      {chat(3, "a"), chat(4, "b"), chat(5, "toss"), chat(6, "c")},
		"one moves in where another only seemed to": {chat(1, "toss"), chat(3, "roll")},
	} {
		if err := s.Update(t.Context(), PutCommands(give...)); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: Update() = %v, want %v", name, err, store.ErrConflict)
		}
		hasCommands(t, s, globalScope, before...)
	}
}

func sameNameElsewhere(t *testing.T, s store.Store) {
	user, message := chat(2, "roll"), chat(3, "roll")
	user.Type, message.Type = command.User, command.Message
	guild, other := in(guildScope, 4, "roll"), in(command.Scope{Application: 101}, 5, "roll")
	check.Update(t, s, PutCommands(chat(1, "roll"), user, message, guild, other))
	hasCommands(t, s, globalScope, chat(1, "roll"), user, message)
	hasCommands(t, s, guildScope, guild)
	hasCommands(t, s, other.Scope, other)
}

func exactNames(t *testing.T, s store.Store) {
	commands := []command.Command{chat(1, "é"), chat(2, "e\u0301"), chat(3, "E"), chat(4, "e"), chat(5, "e ")}
	check.Update(t, s, PutCommands(commands...))
	hasCommands(t, s, globalScope, commands...)
}

func nameSwap(t *testing.T, s store.Store) {
	check.Update(t, s, PutCommands(chat(1, "a"), chat(2, "b"), chat(3, "c")))
	for _, step := range []struct {
		name       string
		give, want []command.Command
	}{
		{
			"two change places",
			[]command.Command{chat(1, "b"), chat(2, "a")},
			[]command.Command{chat(1, "b"), chat(2, "a"), chat(3, "c")},
		},
		{
			"three change places",
			[]command.Command{chat(3, "b"), chat(1, "a"), chat(2, "c")},
			[]command.Command{chat(1, "a"), chat(2, "c"), chat(3, "b")},
		},
		{
			"a new one takes the name that another leaves after it",
			[]command.Command{chat(4, "a"), chat(1, "d")},
			[]command.Command{chat(1, "d"), chat(2, "c"), chat(3, "b"), chat(4, "a")},
		},
		{
			"a new one takes the name that another leaves before it",
			[]command.Command{chat(4, "e"), chat(5, "a")},
			[]command.Command{chat(1, "d"), chat(2, "c"), chat(3, "b"), chat(4, "e"), chat(5, "a")},
		},
	} {
		check.Update(t, s, PutCommands(step.give...))
		kept := check.Read(t, s, check.By(store.Reader.Scope, globalScope))
		check.Same(t, step.name, kept.Commands, step.want)
	}
}

func deletedCommand(t *testing.T, s store.Store) {
	check.Update(t, s, PutCommands(chat(1, "roll"), chat(2, "toss")))
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutOverwrites(set(300, 1)), tx.PutOverwrites(set(301, 1)), tx.PutOverwrites(set(300, 2)))
	})
	check.Update(t, s, func(tx store.Tx) error { return tx.DeleteCommands(1) })
	hasCommands(t, s, globalScope, chat(2, "toss"))
	hasOverwrites(t, s, 300, set(300, 2))
	hasOverwrites(t, s, 301)
}

func namedCommand(t *testing.T, s store.Store) {
	check.Update(t, s, PutCommands(chat(1, "roll"), in(guildScope, 2, "roll")))
	for scope, want := range map[command.Scope]command.Command{globalScope: chat(1, "roll"), guildScope: in(guildScope, 2, "roll")} {
		named := func(kind command.Type, name string) func(r store.Reader) (command.Command, error) {
			return func(r store.Reader) (command.Command, error) { return r.CommandNamed(scope, kind, name) }
		}
		check.Shows(t, s, "CommandNamed()", named(want.Type, "roll"), want)
		check.Missing(t, s, named(want.Type, "Roll"))
		check.Missing(t, s, named(want.Type+1, "roll"))
	}
}

func replacedCommand(t *testing.T, s store.Store) {
	old, other := chat(1, "roll"), chat(2, "spin")
	check.Update(t, s, PutCommands(old, other))
	next := old
	next.Doc = []byte(`{"name":"roll","description":"again"}`)
	for _, tt := range []struct {
		from     snowflake.Version
		revision uint64
		want     bool
		scope    uint64 // its revision after that
	}{
		{old.Version, 100, true, 100},
		{old.Version, 200, false, 200}, // it has another version by now
		{old.Version + 1, 150, true, 201},
		{old.Version + 2, 201, true, 202},
	} {
		next.Version = tt.from + 1
		done := check.Told(t, s, func(tx store.Tx) (bool, error) { return tx.ReplaceCommand(next, tt.from, tt.revision) })
		if done != tt.want {
			t.Errorf("ReplaceCommand(%d, %d) = %v, want %v", tt.from, tt.revision, done, tt.want)
		}
		check.Shows(t, s, "Revision()", check.By(store.Reader.Revision, globalScope), tt.scope)
	}
	hasCommands(t, s, globalScope, next, other)
	unwritten := in(guildScope, 1, "roll")
	if check.Told(t, s, func(tx store.Tx) (bool, error) { return tx.ReplaceCommand(unwritten, next.Version, 1) }) {
		t.Error("ReplaceCommand() = true in a scope that was never written")
	}
	hasCommands(t, s, globalScope, next, other)
}
