package permission_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

func allow(t permission.EntryType, id uint64) permission.Entry {
	return permission.Entry{ID: snowflake.Target(id), Type: t, Allow: true}
}

func deny(t permission.EntryType, id uint64) permission.Entry {
	return permission.Entry{ID: snowflake.Target(id), Type: t}
}

func TestNewSet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		give, want []permission.Entry
	}{
		{"empty", nil, nil},
		{
			"by type and id",
			[]permission.Entry{deny(permission.ForChannel, 1), allow(permission.ForRole, 9), deny(permission.ForRole, 2)},
			[]permission.Entry{deny(permission.ForRole, 2), allow(permission.ForRole, 9), deny(permission.ForChannel, 1)},
		},
		{
			"the last of the same id and type wins",
			[]permission.Entry{allow(permission.ForUser, 1), deny(permission.ForUser, 2), deny(permission.ForUser, 1)},
			[]permission.Entry{deny(permission.ForUser, 1), deny(permission.ForUser, 2)},
		},
		{
			"the same id of another type is another thing",
			[]permission.Entry{allow(permission.ForUser, 1), deny(permission.ForRole, 1), deny(permission.ForChannel, 1)},
			[]permission.Entry{deny(permission.ForRole, 1), allow(permission.ForUser, 1), deny(permission.ForChannel, 1)},
		},
		{
			"the last of many wins",
			slices.Concat(slices.Repeat([]permission.Entry{allow(permission.ForUser, 1), allow(permission.ForRole, 7)}, 40),
				[]permission.Entry{deny(permission.ForUser, 1)},
				slices.Repeat([]permission.Entry{deny(permission.ForRole, 7)}, 19)),
			[]permission.Entry{deny(permission.ForRole, 7), deny(permission.ForUser, 1)},
		},
		{
			"types that do not exist are left out",
			[]permission.Entry{allow(0, 1), allow(4, 1), allow(255, 1), allow(permission.ForRole, 1)},
			[]permission.Entry{allow(permission.ForRole, 1)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(tt.give)
			s := permission.NewSet(tt.give)
			if got := s.Entries(); !slices.Equal(got, tt.want) || s.Len() != len(tt.want) {
				t.Errorf("NewSet(%v) holds %v, want %v", tt.give, got, tt.want)
			}
			if !slices.Equal(tt.give, before) {
				t.Errorf("NewSet changed what it was given to %v", tt.give)
			}
			for _, e := range tt.want {
				if got, ok := s.Lookup(e.Type, e.ID); !ok || got != e {
					t.Errorf("Lookup(%v, %v) = %v, %v, want %v", e.Type, e.ID, got, ok, e)
				}
			}
			if got, ok := s.Lookup(permission.ForRole, 77); ok {
				t.Errorf("Lookup() of what is not there = %v", got)
			}
		})
	}
}

func TestNilSet(t *testing.T) {
	t.Parallel()
	var s *permission.Set
	if e, ok := s.Lookup(permission.ForRole, 1); ok || s.Len() != 0 || s.Entries() != nil {
		t.Errorf("a nil set holds %v", e)
	}
}

func TestConstants(t *testing.T) {
	t.Parallel()
	if got := permission.Everyone(lab); got != 300 {
		t.Errorf("Everyone() = %v, want the guild's id", got)
	}
	if got := permission.AllChannels(lab); got != 299 {
		t.Errorf("AllChannels() = %v, want the guild's id less one", got)
	}
	const beyondFloats snowflake.Guild = 1<<53 + 2
	if got := permission.AllChannels(beyondFloats); got != 1<<53+1 {
		t.Errorf("AllChannels() = %v, want integers without rounding", got)
	}
}

// TestAffectedIsTheDifference checks that applying the affected entries turns one set into the other, and that no
// affected entry is unchanged.
func TestAffectedIsTheDifference(t *testing.T) {
	t.Parallel()
	type key struct {
		kind permission.EntryType
		id   snowflake.Target
	}
	index := func(s *permission.Set) map[key]bool {
		m := map[key]bool{}
		for _, e := range s.Entries() {
			m[key{e.Type, e.ID}] = e.Allow
		}
		return m
	}
	rapid.Check(t, func(t *rapid.T) {
		stored, next := permission.NewSet(entries(t, "stored")), permission.NewSet(entries(t, "next"))
		have, want := index(stored), index(next)
		for _, e := range stored.Affected(next) {
			k := key{e.Type, e.ID}
			before, was := have[k]
			after, kept := want[k]
			switch {
			case was && kept && before == after:
				t.Fatalf("%v is affected and does not change", e)
			case kept:
				have[k] = after
			default:
				delete(have, k)
			}
		}
		if !maps.Equal(have, want) {
			t.Fatalf("the affected entries lead to %v, want %v", have, want)
		}
	})
}
