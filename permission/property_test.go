package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

func TestDecideAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		if got, want := permission.Decide(w.question()), model(w); got != want {
			t.Fatalf("Decide() = %+v (%s)\nthe model says %+v (%s)", got, got.Explain(), want, want.Explain())
		}
	})
}

func TestMemberInAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		got := w.member().In(w.channel)
		for n := range 64 {
			if bit := permission.Bits(1) << n; got.Has(bit) != w.holds(bit) {
				t.Fatalf("In() has %v = %v, the model says %v", bit.Names(), got.Has(bit), w.holds(bit))
			}
		}
	})
}

// The worlds are of no use if they only ever reach the first steps.
func TestWorldsReachEveryReason(t *testing.T) {
	t.Parallel()
	seen := map[permission.Reason]int{}
	levels := map[permission.Level]int{}
	for seed := range 4000 {
		d := model(worlds.Example(seed))
		seen[d.Reason]++
		levels[d.Level]++
	}
	for r := permission.OutsideGuild; r <= permission.DefaultDenies; r++ {
		if seen[r] < 20 {
			t.Errorf("%d of 4000 worlds end with %q, want 20 or more", seen[r], r)
		}
	}
	for l := permission.LevelNone; l <= permission.LevelDefault; l++ {
		if levels[l] < 100 {
			t.Errorf("%d of 4000 worlds end on level %q, want 100 or more", levels[l], l)
		}
	}
}

func TestAdministratorsAreNeverRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		w.context, w.stranger = permission.ContextGuild, false
		if coin(t, "owner") {
			w.owner = w.user
		} else {
			w.everyone |= permission.Administrator
		}
		d := permission.Decide(w.question())
		switch d.Reason {
		case permission.WrongType, permission.AgeRestricted, permission.WrongContext, permission.NotInstalled,
			permission.ThreadArchived:
		default:
			if !d.Allowed {
				t.Fatalf("an administrator is %s", d.Explain())
			}
		}
	})
}

func TestDenyNeverOpens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		before := permission.Decide(w.question())
		more := deny(permission.EntryType(rapid.Uint8Range(1, 3).Draw(t, "type")), number[uint64](t, "id"))
		if coin(t, "on the app") {
			w.onApp = append(w.onApp, more)
		} else {
			w.onCommand = append(w.onCommand, more)
		}
		if after := permission.Decide(w.question()); after.Allowed && !before.Allowed {
			t.Fatalf("%s; with %+v added %s", before.Explain(), more, after.Explain())
		}
	})
}

func TestOverwriteDenyNeverGrants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		before := w.member().In(w.channel)
		w.channel.Overwrites = append(w.channel.Overwrites, permission.Overwrite{
			ID: number[snowflake.Target](t, "id"), Member: coin(t, "member"), Deny: few(t, "deny"),
		})
		if after := w.member().In(w.channel); !before.Has(after) {
			t.Fatalf("a denial grants %v", (after &^ before).Names())
		}
	})
}

func TestOrderNeverMatters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		want := permission.Decide(w.question())
		// Repeated entries are settled by their order; what a set keeps of them has none.
		w.onCommand = shuffled(t, permission.NewSet(w.onCommand).Entries())
		w.onApp = shuffled(t, permission.NewSet(w.onApp).Entries())
		w.channel.Overwrites = shuffled(t, w.channel.Overwrites)
		w.carries = shuffled(t, w.carries)
		if got := permission.Decide(w.question()); got != want {
			t.Fatalf("%s; in another order %s", want.Explain(), got.Explain())
		}
	})
}

func shuffled[T any](t *rapid.T, list []T) []T { return rapid.Permutation(list).Draw(t, "order") }

func TestDecisionsAreConsistent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := worlds.Draw(t, "world").question()
		d := permission.Decide(q)
		if d.Allowed != (d.Reason.Code() == 0) || d.Reason == permission.Undecided {
			t.Fatalf("%+v: allowed is %v with result number %d", d, d.Allowed, d.Reason.Code())
		}
		if d.Allowed && d.Missing != 0 {
			t.Fatalf("%+v: allowed, and something is missing", d)
		}
		if d.Entry == (permission.Entry{}) {
			return
		}
		set := q.Overwrites
		if d.Level == permission.LevelApplication {
			set = q.App
		}
		if e, ok := set.Lookup(d.Entry.Type, d.Entry.ID); !ok || e != d.Entry || e.Allow != d.Allowed {
			t.Fatalf("%+v rests on an entry that the set holds as %+v", d, e)
		}
	})
}
