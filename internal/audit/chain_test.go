package audit_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// key returns an encryption key.
func key(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// sealer returns a sealer, nil for no keys.
func sealer(t *testing.T, keys string) *auth.Sealer {
	t.Helper()
	if keys == "" {
		return nil
	}
	s, err := auth.NewSealer(keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sealed adds entries of several actors and seals them. There are three blocks.
func sealed(t *testing.T, f fixture) {
	t.Helper()
	for block := range 3 {
		for i := range 4 {
			f.now.Advance(time.Second)
			f.add(t.Context(), t, audit.Entry{Actor: audit.OfUser(200 + 1), Action: fmt.Sprintf("act.%d.%d", block, i), Target: "x"})
		}
		f.now.Advance(time.Minute)
		f.seal(t)
	}
}

func (f fixture) seal(t *testing.T) {
	t.Helper()
	if err := f.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// verify returns the problems of the chain, one in a line.
func (f fixture) verify(t *testing.T, heads ...audit.Head) string {
	t.Helper()
	var found []string
	err := f.Store.Read(t.Context(), func(r store.Reader) error {
		v := audit.Verification{
			Reader: r, Sealer: f.Sealer, Heads: heads,
			Problem: func(kind, where string) { found = append(found, kind+": "+where) },
			Note:    func(text string) { found = append(found, "note: "+text) },
		}
		return v.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, "\n")
}

// ids returns the ids of all entries, oldest first.
func (f fixture) ids(t *testing.T) []uint64 {
	t.Helper()
	list, err := f.List(t.Context(), store.AuditFilter{Oldest: true}, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]uint64, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	return ids
}

// put stores records past the log, as an attacker does who can write to the database.
func (f fixture) put(t *testing.T, remove []store.Key, records ...store.Record) {
	t.Helper()
	err := store.Decide(t.Context(), f.Store, func(tx *store.Tx) error {
		tx.Delete(remove...)
		return tx.Put(records...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f fixture) entry(t *testing.T, id uint64) store.AuditEntry {
	t.Helper()
	list, err := f.List(t.Context(), store.AuditFilter{After: id - 1, Before: id + 1}, 1)
	if err != nil || len(list) != 1 {
		t.Fatalf("entry %d: %v, %v", id, list, err)
	}
	return list[0]
}

// replace stores an entry instead of the one with its id. Entries never change, so the old one is deleted first.
func (f fixture) replace(t *testing.T, e store.AuditEntry) {
	t.Helper()
	f.put(t, []store.Key{store.AuditKey(e.ID)})
	f.put(t, nil, e)
}

func (f fixture) blocks(t *testing.T) (list []store.AuditBlock) {
	t.Helper()
	err := f.Store.Read(t.Context(), func(r store.Reader) (err error) {
		list, err = r.Audit.Blocks(0, 1000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestChainFindsChanges changes a sealed log as an attacker does who can write to the database and knows no key.
func TestChainFindsChanges(t *testing.T) {
	t.Parallel()
	const chain = "the chain of the audit log was changed: "
	for _, tt := range []struct {
		name   string
		attack func(*testing.T, fixture, []uint64)
		want   func(ids []uint64) []string
	}{
		{
			"nothing",
			func(*testing.T, fixture, []uint64) {},
			func([]uint64) []string { return nil },
		},
		{
			"a deleted entry",
			func(t *testing.T, f fixture, ids []uint64) { f.put(t, []store.Key{store.AuditKey(ids[2])}) },
			func(ids []uint64) []string {
				return []string{fmt.Sprintf("deleted from the audit log: entry %d of 2026-05-01T12:00:03Z of block 1", ids[2])}
			},
		},
		{
			"the last sealed entry deleted",
			func(t *testing.T, f fixture, ids []uint64) { f.put(t, []store.Key{store.AuditKey(slices.Max(ids))}) },
			func(ids []uint64) []string {
				return []string{fmt.Sprintf("deleted from the audit log: entry %d of", slices.Max(ids))}
			},
		},
		{
			"a changed entry",
			func(t *testing.T, f fixture, ids []uint64) {
				e := f.entry(t, ids[6])
				e.Address = "192.0.2.99"
				f.replace(t, e)
			},
			func(ids []uint64) []string {
				return []string{fmt.Sprintf("changed in the audit log: entry %d of", ids[6])}
			},
		},
		{
			"two swapped entries",
			func(t *testing.T, f fixture, ids []uint64) {
				a, b := f.entry(t, ids[1]), f.entry(t, ids[6])
				a.ID, b.ID = b.ID, a.ID
				f.replace(t, a)
				f.replace(t, b)
			},
			func(ids []uint64) []string {
				return []string{
					fmt.Sprintf("changed in the audit log: entry %d of", ids[1]), fmt.Sprintf("changed in the audit log: entry %d of", ids[6]),
				}
			},
		},
		{
			"an added entry",
			func(t *testing.T, f fixture, ids []uint64) {
				f.put(t, nil, store.AuditEntry{ID: ids[0] + 1, Time: start, Actor: "operator:ci", Action: "user.delete"})
			},
			func(ids []uint64) []string {
				return []string{fmt.Sprintf("added to the audit log: entry %d of", ids[0]+1)}
			},
		},
		{
			"an entry deleted from the log and its block",
			func(t *testing.T, f fixture, ids []uint64) {
				b := f.blocks(t)[0]
				b.Entries = slices.Delete(b.Entries, 2, 3)
				f.put(t, []store.Key{store.AuditKey(ids[2])}, b)
			},
			func([]uint64) []string { return []string{chain + "block 1 was not written by the service"} },
		},
		{
			"a block deleted with its entries",
			func(t *testing.T, f fixture, ids []uint64) {
				keys := []store.Key{store.AuditBlockKey(2)}
				for _, leaf := range f.blocks(t)[1].Entries {
					keys = append(keys, store.AuditKey(leaf.ID))
				}
				f.put(t, keys)
			},
			func([]uint64) []string { return []string{chain + "blocks 2 to 2 are missing"} },
		},
		{
			"the last block deleted with its entries",
			func(t *testing.T, f fixture, ids []uint64) {
				keys := []store.Key{store.AuditBlockKey(3)}
				for _, leaf := range f.blocks(t)[2].Entries {
					keys = append(keys, store.AuditKey(leaf.ID))
				}
				f.put(t, keys)
			},
			func([]uint64) []string { return []string{chain + "it ends with block 2 instead of 3"} },
		},
		{
			"the chain replaced by one without a key",
			func(t *testing.T, f fixture, ids []uint64) {
				keys := []store.Key{store.AuditBlockKey(0), store.AuditBlockKey(1), store.AuditBlockKey(2), store.AuditBlockKey(3), store.AuditKey(ids[2])}
				f.put(t, keys)
				forger := fixture{&audit.Log{Store: f.Store, Clock: f.now, Wall: f.now, IDs: f.IDs, Logger: f.Logger, Sealer: sealer(t, "")}, f.now}
				forger.seal(t)
			},
			func([]uint64) []string { return []string{chain + "it has no key."} },
		},
		{
			"the description of the chain deleted",
			func(t *testing.T, f fixture, ids []uint64) { f.put(t, []store.Key{store.AuditBlockKey(0)}) },
			func([]uint64) []string { return []string{chain + "its description is missing"} },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := open(t, audit.Settings{})
			f.Sealer = sealer(t, key("a"))
			sealed(t, f)
			ids := f.ids(t)
			tt.attack(t, f, ids)
			got, want := f.verify(t), tt.want(ids)
			lines := strings.Split(got, "\n")
			if len(want) == 0 && got != "" || len(want) > 0 && len(lines) != len(want) {
				t.Fatalf("problems:\n%s\nwant %q", got, want)
			}
			for i, line := range want {
				if !strings.HasPrefix(lines[i], line) {
					t.Errorf("problem %q, want %q", lines[i], line)
				}
			}
		})
	}
}

// TestChainSurvivesRetention removes entries above the largest number and old ones. The blocks without entries go too.
func TestChainSurvivesRetention(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{MaxEntries: 40, Retention: 24 * time.Hour})
	f.Sealer = sealer(t, key("a"))
	remove := func() {
		t.Helper()
		if err := f.RemoveOld(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := f.verify(t); got != "" {
			t.Fatalf("problems after the retention:\n%s", got)
		}
	}
	sealed(t, f)
	for range 300 { // more than one batch
		f.add(t.Context(), t, audit.Entry{Actor: audit.OfUser(200), Action: "noise"})
	}
	f.now.Advance(time.Minute)
	f.seal(t)
	first := f.blocks(t)[0].Number
	remove()
	if got := len(f.ids(t)); got != 40 {
		t.Errorf("%d entries stay, want 40", got)
	}
	head, err := f.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.now.Advance(23 * time.Hour)
	f.add(t.Context(), t, audit.Entry{Action: "new"})
	f.now.Advance(2 * time.Hour)
	f.seal(t)
	remove()
	if got := f.list(t); got != "new" {
		t.Errorf("after the retention %q stays, want new", got)
	}
	blocks := f.blocks(t)
	if first != 1 || len(blocks) != 1 || blocks[0].Number != head.Block+1 {
		t.Errorf("the blocks begin with %d and end as %d with number %d, want one after %d", first, len(blocks), blocks[0].Number, head.Block)
	}
	if got := f.verify(t, head); got != "" {
		t.Errorf("problems with the head before the retention:\n%s", got)
	}
}

// TestHeadFindsRestoredState compares heads that an operator kept with a chain that was written again.
func TestHeadFindsRestoredState(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	sealed(t, f)
	kept, err := f.Head(t.Context())
	if err != nil || kept.Block != 3 {
		t.Fatalf("Head() = %v, %v", kept, err)
	}
	read, err := audit.ParseHead(kept.String() + "\n")
	if err != nil || read != kept {
		t.Errorf("ParseHead() = %v, %v, want %v", read, err, kept)
	}
	for _, text := range []string{"", "3", "3:", "3:00", "x" + kept.String(), kept.String() + "00"} {
		if _, err := audit.ParseHead(text); err == nil {
			t.Errorf("ParseHead(%q) succeeds", text)
		}
	}
	forge := func(records int) {
		keys := []store.Key{store.AuditBlockKey(0), store.AuditBlockKey(1), store.AuditBlockKey(2), store.AuditBlockKey(3)}
		for _, id := range f.ids(t)[:records] {
			keys = append(keys, store.AuditKey(id))
		}
		f.put(t, keys)
		f.seal(t)
	}
	forge(1)
	if got := f.verify(t); got != "" {
		t.Errorf("without a key and a head, a new chain has problems:\n%s", got)
	}
	if got := f.verify(t, kept); !strings.Contains(got, "the head names block 3, but the last block is 1") {
		t.Errorf("problems with the head of the old chain:\n%s", got)
	}
	sealed(t, f)
	if got := f.verify(t, kept); !strings.Contains(got, "block 3 is not the one that the head names") {
		t.Errorf("problems with the head of the old chain:\n%s", got)
	}
}

// TestChainTakesLateEntries commits an entry after entries with larger ids were sealed.
func TestChainTakesLateEntries(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	late := f.IDs.Next()
	f.now.Advance(10 * time.Second)
	f.add(t.Context(), t, audit.Entry{Action: "first"})
	f.now.Advance(20 * time.Second)
	f.seal(t)
	f.put(t, nil, store.AuditEntry{ID: late, Action: "late"})
	if got := f.verify(t); got != "" {
		t.Errorf("problems before the late entry is sealed:\n%s", got)
	}
	f.seal(t)
	f.put(t, []store.Key{store.AuditKey(late)})
	if got := f.verify(t); !strings.HasPrefix(got, fmt.Sprintf("deleted from the audit log: entry %d", late)) {
		t.Errorf("problems after the late entry was deleted:\n%s", got)
	}
}

// TestChainRekey changes the key of the service: from none to one, to another one, and to none.
func TestChainRekey(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	for range 70 { // more than one batch of blocks
		f.add(t.Context(), t, audit.Entry{Action: "act"})
		f.now.Advance(time.Minute)
		f.seal(t)
	}
	for _, keys := range []string{key("a"), key("b") + " " + key("a"), key("b"), "none " + key("b")} {
		f.Sealer = sealer(t, keys)
		f.now.Advance(time.Minute)
		f.seal(t)
		if got := f.verify(t); got != "" {
			t.Errorf("problems with the keys %q:\n%s", keys, got)
		}
	}
	f.Sealer = sealer(t, key("a"))
	f.seal(t)
	f.Sealer = sealer(t, key("c"))
	if err := f.Seal(t.Context()); err == nil {
		t.Error("Seal() without the key succeeds")
	}
	if got := f.verify(t); !strings.HasPrefix(got, "note: the audit log is not checked") {
		t.Errorf("problems without the key:\n%s", got)
	}
	if err := f.RemoveOld(t.Context()); err != nil {
		t.Errorf("RemoveOld() without the key = %v", err)
	}
}

// TestChainOfEngines seals and verifies with both engines, which return texts differently.
func TestChainOfEngines(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	file := filepath.Join(t.TempDir(), "bellhop.db")
	lite, err := sqlite.Open(t.Context(), file, clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	engines.Need(t, "postgres")
	server, err := engines.StartPostgres(t.Context(), engines.Quick...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	url, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pg, err := postgres.Open(t.Context(), url, clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]store.Store{"sqlite": lite, "postgres": pg} {
		now := clock.NewMovable(stillClock{})
		f := fixture{&audit.Log{Store: db, Clock: now, Wall: now, IDs: store.NewIDs(0, now.Now, time.Time{}), Logger: log, Sealer: sealer(t, key("a"))}, now}
		sealed(t, f)
		if got := f.verify(t); got != "" {
			t.Errorf("%s: problems:\n%s", name, got)
		}
		e := f.entry(t, f.ids(t)[1])
		e.Target = "y"
		f.replace(t, e)
		if got := f.verify(t); !strings.HasPrefix(got, "changed in the audit log") {
			t.Errorf("%s: problems after a change:\n%s", name, got)
		}
	}
	if err := lite.Close(); err != nil {
		t.Error(err)
	}
	if err := pg.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzParseHead checks that a text that is accepted as the head of the log is written the same way again.
func FuzzParseHead(f *testing.F) {
	for _, seed := range []string{"", "1:", "7:" + strings.Repeat("0a", 32), " 18446744073709551615:" + strings.Repeat("FF", 32) + "\n", "+1:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		head, err := audit.ParseHead(text)
		if err != nil {
			if head != (audit.Head{}) {
				t.Errorf("ParseHead(%q) refused it, and returned %v", text, head)
			}
			return
		}
		again, err := audit.ParseHead(head.String())
		if err != nil || again != head {
			t.Errorf("ParseHead(%q) = %v, which is read as %v, %v", text, head, again, err)
		}
	})
}
