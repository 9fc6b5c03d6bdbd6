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

// TestWorldsReachEveryReason checks that the random worlds reach every step.
func TestWorldsReachEveryReason(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	levels := map[string]int{}
	for seed := range 4000 {
		d := model(worlds.Example(seed))
		seen[d.Reason]++
		levels[d.Level]++
	}
	for _, r := range []string{
		outsideGuild, isAdministrator, entryAllows, defaultAllows, wrongType, ageRestricted, wrongContext, notInstalled, threadArchived,
		channelHidden, cannotSend, missingPermissions, channelDenied, memberDenied, defaultDenies,
	} {
		if seen[r] < 20 {
			t.Errorf("%d of 4000 worlds end with %q, want 20 or more", seen[r], r)
		}
	}
	for _, l := range []string{"", levelCommand, levelApplication, levelDefault} {
		if levels[l] < 100 {
			t.Errorf("%d of 4000 worlds end on level %q, want 100 or more", levels[l], l)
		}
	}
}

func TestAdministratorsAreNeverRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		w.context, w.notMember = permission.ContextGuild, false
		if coin(t, "owner") {
			w.owner = w.user
		} else {
			w.everyone |= permission.Administrator
		}
		d := permission.Decide(w.question())
		switch d.Reason {
		case wrongType, ageRestricted, wrongContext, notInstalled,
			threadArchived:
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
		// Order decides between repeated entries; a set has no repeated entries.
		w.onCommand = shuffled(t, permission.NewSet(w.onCommand).Entries())
		w.onApp = shuffled(t, permission.NewSet(w.onApp).Entries())
		w.channel.Overwrites = shuffled(t, w.channel.Overwrites)
		w.memberRoles = shuffled(t, w.memberRoles)
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
		if d.Allowed != (d.Code() == 0) || d.Reason == "" {
			t.Fatalf("%+v: allowed is %v with result number %d", d, d.Allowed, d.Code())
		}
		if d.Allowed && d.Missing != 0 {
			t.Fatalf("%+v: allowed, and something is missing", d)
		}
		if d.Entry == (permission.Entry{}) {
			return
		}
		set := q.Overwrites
		if d.Level == levelApplication {
			set = q.App
		}
		if e, ok := set.Lookup(d.Entry.Type, d.Entry.ID); !ok || e != d.Entry || e.Allow != d.Allowed {
			t.Fatalf("%+v names an entry that the set has as %+v", d, e)
		}
	})
}
