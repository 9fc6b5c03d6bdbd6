package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/internal/store/storetest/records"
	"github.com/bellhop/bellhop/snowflake"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// model is the part of the contract about commands, scopes and permission sets in the plainest form.
type model struct {
	scopes     map[command.Scope]store.Scope
	commands   map[snowflake.Command]command.Command
	overwrites map[setKey]store.OverwriteSet
}

type setKey struct {
	app   snowflake.Application
	guild snowflake.Guild
	id    snowflake.Command
}

func newModel() *model {
	return &model{
		map[command.Scope]store.Scope{}, map[snowflake.Command]command.Command{}, map[setKey]store.OverwriteSet{},
	}
}

func (m *model) clone() *model {
	return &model{maps.Clone(m.scopes), maps.Clone(m.commands), maps.Clone(m.overwrites)}
}

func (m *model) scope(s command.Scope) store.Scope {
	kept := m.scopes[s]
	for _, c := range m.commands {
		if c.Scope == s {
			kept.Commands = append(kept.Commands, c)
		}
	}
	slices.SortFunc(kept.Commands, func(a, b command.Command) int { return cmp.Compare(a.ID, b.ID) })
	return kept
}

func (m *model) sets(app snowflake.Application, guild snowflake.Guild) []store.OverwriteSet {
	var sets []store.OverwriteSet
	for k, s := range m.overwrites {
		if k.app == app && k.guild == guild {
			sets = append(sets, s)
		}
	}
	slices.SortFunc(sets, func(a, b store.OverwriteSet) int { return cmp.Compare(a.ID, b.ID) })
	return sets
}

// put reports whether no two commands share scope, type and name afterwards.
func (m *model) put(commands []command.Command) bool {
	for _, c := range commands {
		m.commands[c.ID] = c
	}
	type place struct {
		scope command.Scope
		kind  command.Type
		name  string
	}
	taken := map[place]bool{}
	for _, c := range m.commands {
		p := place{c.Scope, c.Type, c.Name}
		if taken[p] {
			return false
		}
		taken[p] = true
	}
	return true
}

func (m *model) drop(id snowflake.Command) {
	maps.DeleteFunc(m.overwrites, func(k setKey, _ store.OverwriteSet) bool { return k.id == id })
}

// step is one call on a Tx and what it does to a model. do returns whether the unit can go on.
type step struct {
	text string
	tx   func(store.Tx) error
	do   func(*model) error
}

// Few values, so that they meet.
var (
	modelScopes = []command.Scope{
		{Application: 100},
		{Application: 100, Guild: 300},
		{Application: 100, Guild: 301},
		{Application: 101},
		{Application: 101, Guild: 300},
		{Application: 101, Guild: 301},
	}
	anyScope   = rapid.SampledFrom(modelScopes)
	anyID      = rapid.Custom(func(t *rapid.T) snowflake.Command { return snowflake.Command(rapid.Uint64Range(1, 8).Draw(t, "id")) })
	anyCommand = rapid.Custom(func(t *rapid.T) command.Command {
		return command.Command{
			ID: anyID.Draw(t, "command"), Scope: anyScope.Draw(t, "scope"),
			Version: snowflake.Version(rapid.Uint64Range(1, 1000).Draw(t, "version")),
			Type:    rapid.SampledFrom([]command.Type{command.ChatInput, command.User}).Draw(t, "type"),
			Name:    rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"),
			Doc:     []byte(rapid.SampledFrom([]string{"{}", `{"a":1}`}).Draw(t, "doc")),
		}
	})
	anyStep = rapid.OneOf(rapid.Custom(putStep), rapid.Custom(putStep), rapid.Custom(moveStep), rapid.Custom(deleteStep),
		rapid.Custom(overwriteStep), rapid.Custom(dropStep))
)

// putStep puts commands and moves their scopes, so that every write comes with a move.
func putStep(t *rapid.T) step {
	commands := rapid.SliceOfN(anyCommand, 0, 4).Draw(t, "commands")
	return step{
		fmt.Sprintf("put %+v", commands),
		records.PutCommands(commands...),
		func(m *model) error {
			scopes := map[command.Scope]bool{}
			for _, c := range commands {
				scopes[c.Scope] = true
			}
			for s := range scopes {
				m.scopes[s] = store.Scope{Revision: m.scopes[s].Revision + 1}
			}
			if !m.put(commands) {
				return store.ErrConflict
			}
			return nil
		},
	}
}

func moveStep(t *rapid.T) step {
	scope := anyScope.Draw(t, "scope")
	from, to := rapid.Uint64Range(0, 4).Draw(t, "from"), rapid.Uint64Range(1, 4).Draw(t, "to")
	want := store.Scope{Revision: to, QuotaUsed: rapid.IntRange(0, 3).Draw(t, "used")}
	var moved bool
	return step{
		fmt.Sprintf("move %+v from %d to %+v", scope, from, want),
		func(tx store.Tx) (err error) {
			moved, err = tx.MoveScope(scope, from, want)
			return err
		},
		func(m *model) error {
			still := m.scopes[scope].Revision == from
			if still {
				m.scopes[scope] = want
			}
			if moved != still {
				return fmt.Errorf("MoveScope() = %v, want %v", moved, still)
			}
			return nil
		},
	}
}

func deleteStep(t *rapid.T) step {
	ids := rapid.SliceOfN(anyID, 0, 3).Draw(t, "ids")
	return step{
		fmt.Sprintf("delete %v", ids),
		func(tx store.Tx) error { return tx.DeleteCommands(ids...) },
		func(m *model) error {
			for _, id := range ids {
				delete(m.commands, id)
				m.drop(id)
			}
			return nil
		},
	}
}

func overwriteStep(t *rapid.T) step {
	scope := anyScope.Draw(t, "scope")
	set := store.OverwriteSet{Guild: scope.Guild, Application: scope.Application, ID: anyID.Draw(t, "of")}
	for i := range rapid.IntRange(0, 2).Draw(t, "entries") {
		set.Entries = append(set.Entries, store.OverwriteEntry{ID: snowflake.Target(i), Allow: i == 0})
	}
	return step{
		fmt.Sprintf("overwrite %+v", set),
		check.Each(store.Tx.PutOverwrites, set),
		func(m *model) error {
			k := setKey{set.Application, set.Guild, set.ID}
			delete(m.overwrites, k)
			if len(set.Entries) > 0 {
				m.overwrites[k] = set
			}
			return nil
		},
	}
}

func dropStep(t *rapid.T) step {
	id := anyID.Draw(t, "id")
	return step{
		fmt.Sprintf("drop %v", id),
		check.Each(store.Tx.DropOverwrites, id),
		func(m *model) error {
			m.drop(id)
			return nil
		},
	}
}

// likeModel runs units of a few steps, some of which fail and some of which are tentative, on a store and on a model, and
// compares the two.
func likeModel(t *testing.T, s store.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		if err := s.Update(t.Context(), store.Tx.Clear); err != nil {
			rt.Fatal(err)
		}
		m := newModel()
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) { compare(rt, t, s, m, anyScope.Draw(rt, "looked at")) },
			"unit": func(rt *rapid.T) {
				steps := rapid.SliceOfN(anyStep, 1, 3).Draw(rt, "steps")
				refused := rapid.IntRange(0, 4).Draw(rt, "refused") == 0
				next := m.clone()
				want := unit(t, rt, s, next, steps, refused)
				if want == nil {
					m = next
				}
			},
		})
		compare(rt, t, s, m, modelScopes...)
	})
}

// eitherWay returns a context of which it is left to chance whether it is tentative.
func eitherWay(t *testing.T, rt *rapid.T) context.Context {
	if rapid.Bool().Draw(rt, "tentative") {
		return store.Tentative(t.Context())
	}
	return t.Context()
}

// unit runs one unit of work on both sides, and returns how it ended.
func unit(t *testing.T, rt *rapid.T, s store.Store, m *model, steps []step, refused bool) error {
	var want error
	var wrong []string
	fresh := m.clone()
	err := s.Update(eitherWay(t, rt), func(tx store.Tx) error {
		*m, want, wrong = *fresh.clone(), nil, nil // only the last run counts
		for _, step := range steps {
			err := step.tx(tx)
			want = step.do(m)
			if !errors.Is(err, want) || (want == nil) != (err == nil) {
				wrong = append(wrong, fmt.Sprintf("%s = %v, want %v", step.text, err, want))
			}
			if err != nil {
				return err
			}
		}
		if refused {
			want = errRefused
			return errRefused
		}
		return nil
	})
	if len(wrong) > 0 {
		rt.Error(strings.Join(wrong, "\n"))
	}
	if !errors.Is(err, want) {
		rt.Errorf("Update() = %v, want %v", err, want)
	}
	return want
}

// compare checks that store and model hold the same in some scopes.
func compare(rt *rapid.T, t *testing.T, s store.Store, m *model, scopes ...command.Scope) {
	err := s.View(eitherWay(t, rt), func(r store.Reader) error {
		for _, scope := range scopes {
			kept, err := r.Scope(scope)
			if err != nil {
				return err
			}
			sets, err := r.Overwrites(scope.Application, scope.Guild)
			if err != nil {
				return err
			}
			equal(rt, scope, kept, m.scope(scope))
			equal(rt, scope, sets, m.sets(scope.Application, scope.Guild))
		}
		return nil
	})
	if err != nil {
		rt.Fatal(err)
	}
}

func equal(rt *rapid.T, scope command.Scope, got, want any) {
	if reflect.DeepEqual(got, want) { // a quick look; the slow one forgives lists that are empty in different ways
		return
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		rt.Errorf("scope %+v (-want +got):\n%s", scope, diff)
	}
}
