package records

import (
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

var overwriteRules = []check.Rule{
	{Name: "come back whole and in the order of ids", Run: overwritesWhole},
	{Name: "of a guild come in the order of applications and ids", Run: overwritesOfGuild},
	{Name: "a put replaces the set with the same key", Run: overwritesReplaced},
	{Name: "an empty set is removed", Run: overwritesRemoved},
	{Name: "a drop removes a command's sets in every guild", Run: overwritesDropped},
}

// set returns a permission set of application 100.
func set(guild snowflake.Guild, id snowflake.Command) store.OverwriteSet {
	return store.OverwriteSet{Guild: guild, Application: 100, ID: id, Entries: []store.OverwriteEntry{
		{ID: 301, Type: 1, Allow: true}, {ID: 200, Type: 2}, {ID: 9223372036854775807, Type: 3, Allow: true},
	}}
}

func hasOverwrites(t *testing.T, s store.Store, guild snowflake.Guild, want ...store.OverwriteSet) {
	t.Helper()
	got := check.Read(t, s, func(r store.Reader) ([]store.OverwriteSet, error) { return r.Overwrites(100, guild) })
	check.Same(t, "Overwrites()", got, want)
}

func putSets(sets ...store.OverwriteSet) func(store.Tx) error {
	return check.Each(store.Tx.PutOverwrites, sets...)
}

func overwritesWhole(t *testing.T, s store.Store) {
	other := set(300, 5)
	other.Application = 101
	check.Update(t, s, putSets(set(300, 30), set(300, 100), set(300, 4), set(301, 4), other))
	hasOverwrites(t, s, 300, set(300, 4), set(300, 30), set(300, 100))
	hasOverwrites(t, s, 301, set(301, 4))
	hasOverwrites(t, s, 302)
}

func overwritesOfGuild(t *testing.T, s store.Store) {
	early, late := set(300, 5), set(300, 3)
	early.Application, late.Application = 99, 101
	check.Update(t, s, putSets(late, set(300, 4), set(301, 4), set(300, 2), early))
	for guild, want := range map[snowflake.Guild][]store.OverwriteSet{
		300: {early, set(300, 2), set(300, 4), late}, 301: {set(301, 4)}, 302: nil,
	} {
		got := check.Read(t, s, check.By(store.Reader.GuildOverwrites, guild))
		check.Same(t, "GuildOverwrites()", got, want)
	}
}

func overwritesReplaced(t *testing.T, s store.Store) {
	check.Update(t, s, putSets(set(300, 1), set(300, 2)))
	changed := set(300, 1)
	changed.Entries = []store.OverwriteEntry{{ID: 1, Type: 2, Allow: true}}
	check.Update(t, s, putSets(changed))
	hasOverwrites(t, s, 300, changed, set(300, 2))
}

func overwritesRemoved(t *testing.T, s store.Store) {
	check.Update(t, s, putSets(set(300, 1), set(300, 2), set(301, 1)))
	check.Update(t, s, putSets(store.OverwriteSet{Guild: 300, Application: 100, ID: 1}))
	check.Update(t, s, putSets(store.OverwriteSet{Guild: 300, Application: 100, ID: 9})) // is not there
	hasOverwrites(t, s, 300, set(300, 2))
	hasOverwrites(t, s, 301, set(301, 1))
}

func overwritesDropped(t *testing.T, s store.Store) {
	check.Update(t, s, putSets(set(300, 1), set(300, 2), set(301, 1), set(302, 100)))
	check.Update(t, s, check.Each(store.Tx.DropOverwrites, 1))
	hasOverwrites(t, s, 300, set(300, 2))
	hasOverwrites(t, s, 301)
	hasOverwrites(t, s, 302, set(302, 100))
}
