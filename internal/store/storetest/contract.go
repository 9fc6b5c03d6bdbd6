package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var readRules = []rule{
	{"returns the error of its function unchanged", readError},
	{"sees one snapshot", readSnapshot},
	{"sees every commit that was acknowledged before", readAcknowledged},
	{"survives panics of its function", readPanic},
	{"is refused when its context has ended", readCanceled},
}

var commitRules = []rule{
	{"gives every written subject the same new revision", commitRevisions},
	{"removes a subject that ends", commitEnds},
	{"does not reuse the revision of a subject that ended", commitAfterEnd},
	{"returns ErrStale and changes nothing when an expectation does not hold", commitStale},
	{"with equal expectations succeeds once", commitOnce},
	{"stores nothing of a change that conflicts", commitConflict},
	{"of a conflicting change does not fail others", commitConflictsApart},
	{"removes records before it stores others", commitOrder},
	{"may have no expectations", commitUnconditional},
	{"may be large", commitLarge},
	{"clears everything except the nodes", commitClear},
	{"is refused when its context has ended", commitCanceled},
}

var storeRules = []rule{
	{"revisions are those of one moment, in the order of the subjects", revisionsOfMany},
	{"load returns a state with its revision", load},
	{"loads that run at the same time get their own rows", loadMany},
	{"a load sees one moment", loadSnapshot},
	{"a confirmed load is the state of its revision", loadConfirmed},
	{"a list that changes is not incomplete", loadWhole},
	{"a subscriber gets each change before Commit returns", subscribe},
	{"a subscriber gets no change that failed", subscribeFailed},
	{"every subscriber gets the changes of a subject in order", subscribeOrder},
	{"ping succeeds", ping},
	{"close waits for a read in progress", closeWaits},
	{"a closed store is unavailable", closed},
}

func userID(id uint64) snowflake.User        { return snowflake.User(id) }
func userSubject(id uint64) store.Subject    { return store.UserSubject(userID(id)) }
func user(id uint64, name string) store.User { return store.User{ID: userID(id), Username: name} }
func userKey(id uint64) store.Key            { return store.UserKey(userID(id)) }
func at(id, revision uint64) store.Expectation {
	return store.Expectation{Subject: userSubject(id), Revision: revision}
}

// device returns a device. Two devices cannot have the same user code.
func device(hash, code byte) store.Device {
	return store.Device{Hash: store.TokenHash{hash}, UserCode: store.TokenHash{code}}
}

// deviceChange returns a change that creates a device and a user.
func deviceChange(hash, code byte, id uint64) store.Change {
	d := device(hash, code)
	return store.Change{
		Expect: []store.Expectation{{Subject: store.DeviceSubject(d.Hash)}, at(id, 0)},
		Put:    []store.Record{user(id, "new"), d},
	}
}

func readError(t *testing.T, s store.Store) {
	err := s.Read(t.Context(), func(store.Reader) error { return errRefused })
	if err != errRefused {
		t.Errorf("Read() = %v, want the error of the function", err)
	}
}

func readSnapshot(t *testing.T, s store.Store) {
	put(t, s, user(1, "old"), user(2, "old"))
	read(t, s, func(r store.Reader) (any, error) {
		first, err := username(r, 1)
		if err != nil {
			return nil, err
		}
		before, err := r.Revisions(userSubject(2))
		if err != nil {
			return nil, err
		}
		committed := make(chan error)
		go func() {
			committed <- store.Decide(t.Context(), s, func(tx *store.Tx) error {
				tx.Delete(userKey(1))
				return tx.Put(user(2, "new"))
			})
		}()
		if err := <-committed; err != nil {
			return nil, err
		}
		again, err := username(r, 1)
		if err != nil {
			return nil, err
		}
		second, err := username(r, 2)
		if err != nil {
			return nil, err
		}
		same(t, "names in the snapshot", []string{first, again, second}, []string{"old", "old", "old"})
		after, err := r.Revisions(userSubject(2))
		same(t, "revision in the snapshot", after, before)
		return nil, err
	})
	checkUsernames(t, s, "-", "new")
}

func readAcknowledged(t *testing.T, s store.Store) {
	const goroutines, rounds = 8, 12
	var acknowledged [goroutines]atomic.Int64
	together(goroutines, func(i int) {
		for range rounds {
			if err := store.Decide(t.Context(), s, increment(uint64(i+1))); err != nil {
				t.Errorf("Decide() = %v", err)
				return
			}
			acknowledged[i].Add(1)
			var least [goroutines]int64
			for n := range least {
				least[n] = acknowledged[n].Load()
			}
			err := s.Read(t.Context(), func(r store.Reader) error {
				for n, want := range least {
					got, err := count(r, uint64(n+1))
					if err != nil {
						return err
					}
					if got < want {
						t.Errorf("counter %d = %d, but %d was acknowledged", n+1, got, want)
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("Read() = %v", err)
			}
		}
	})
}

func readPanic(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"))
	for range 40 { // more often than there are connections
		func() {
			defer func() {
				if recover() == nil {
					t.Error("Read() hid a panic")
				}
			}()
			_ = s.Read(t.Context(), func(r store.Reader) error {
				_, _ = username(r, 1) // the panic comes while a query has rows left
				panic("on purpose")
			})
		}()
	}
	checkUsernames(t, s, "a")
	put(t, s, user(1, "b"))
	checkUsernames(t, s, "b")
}

func readCanceled(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for call, err := range map[string]error{
		"Read()": s.Read(ctx, func(store.Reader) error { return nil }),
		"Ping()": s.Ping(ctx),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s = %v, want %v", call, err, context.Canceled)
		}
	}
	if _, err := s.Revisions(ctx, userSubject(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Revisions() = %v, want %v", err, context.Canceled)
	}
}

func commitRevisions(t *testing.T, s store.Store) {
	commit(t, s, store.Change{Expect: []store.Expectation{at(2, 0), at(1, 0)}, Put: []store.Record{user(2, "a"), user(1, "a")}})
	first := revision(t, s, userSubject(1))
	if second := revision(t, s, userSubject(2)); first == 0 || second != first {
		t.Errorf("revisions after a commit = %d, %d, want one number", first, second)
	}
	commit(t, s, store.Change{
		Expect: []store.Expectation{at(1, first)}, Check: []store.Expectation{at(2, first), at(3, 0)},
		Seen: []store.Expectation{at(1, first), at(2, first), at(3, 0)}, Put: []store.Record{user(1, "b")},
	})
	if next := revision(t, s, userSubject(1)); next <= first {
		t.Errorf("revision after the next commit = %d, want more than %d", next, first)
	}
	same(t, "revision of a subject that was checked", revision(t, s, userSubject(2)), first)
	same(t, "revision of a missing subject that was checked", revision(t, s, userSubject(3)), uint64(0))
	commit(t, s, store.Change{Expect: []store.Expectation{{Subject: userSubject(4), Revision: 0}}}) // without a record
	if revision(t, s, userSubject(4)) == 0 {
		t.Error("a subject that was written to without a record has no revision")
	}
}

func commitEnds(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"), user(2, "a"))
	ended := at(1, revision(t, s, userSubject(1)))
	ended.Ends = true
	missing := at(3, 0)
	missing.Ends = true
	commit(t, s, store.Change{Expect: []store.Expectation{ended, missing}, Delete: []store.Key{userKey(1)}})
	checkUsernames(t, s, "-", "a", "-")
	same(t, "revision of a subject that ended", revision(t, s, userSubject(1)), uint64(0))
	same(t, "revision of a subject that never existed", revision(t, s, userSubject(3)), uint64(0))
}

func commitAfterEnd(t *testing.T, s store.Store) {
	used := map[uint64]bool{}
	for range 5 {
		put(t, s, user(1, "a"))
		r := revision(t, s, userSubject(1))
		if used[r] {
			t.Errorf("revision %d was used before", r)
		}
		used[r] = true
		remove(t, s, userKey(1))
	}
	for r := range used {
		if err := s.Commit(t.Context(), store.Change{Expect: []store.Expectation{at(1, r)}}); !errors.Is(err, store.ErrStale) {
			t.Errorf("Commit() at an old revision = %v, want %v", err, store.ErrStale)
		}
	}
}

func commitStale(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"))
	first := revision(t, s, userSubject(1))
	put(t, s, user(1, "b"), user(2, "b"))
	current := revision(t, s, userSubject(1))
	ends := at(1, first)
	ends.Ends = true
	for _, tt := range []struct {
		name          string
		expect, check []store.Expectation
	}{
		{"the subject has another revision", []store.Expectation{at(1, first)}, nil},
		{"the subject has an earlier revision", []store.Expectation{at(1, current+1)}, nil},
		{"the subject does not exist", []store.Expectation{at(9, first)}, nil},
		{"the subject exists already", []store.Expectation{at(1, 0)}, nil},
		{"the subject to end has another revision", []store.Expectation{ends}, nil},
		{"one of several has another revision", []store.Expectation{at(3, 0), at(2, current), at(1, first)}, nil},
		{"the checked subject has another revision", []store.Expectation{at(2, current)}, []store.Expectation{at(1, first)}},
		{"the checked subject does not exist", []store.Expectation{at(2, current)}, []store.Expectation{at(9, first)}},
		{"the checked subject exists already", []store.Expectation{at(2, current)}, []store.Expectation{at(1, 0)}},
		{"only the checked subject is wrong", nil, []store.Expectation{at(1, 0)}},
	} {
		c := store.Change{Expect: tt.expect, Check: tt.check, Delete: []store.Key{userKey(2)}, Put: []store.Record{user(1, "x"), user(3, "x")}}
		if err := s.Commit(t.Context(), c); !errors.Is(err, store.ErrStale) {
			t.Errorf("%s: Commit() = %v, want %v", tt.name, err, store.ErrStale)
		}
		if tt.check != nil {
			c.Check, c.Seen = nil, tt.check
			if err := s.Commit(t.Context(), c); !errors.Is(err, store.ErrStale) {
				t.Errorf("%s, only seen: Commit() = %v, want %v", tt.name, err, store.ErrStale)
			}
		}
		checkUsernames(t, s, "b", "b", "-")
		revisions, err := s.Revisions(t.Context(), userSubject(1), userSubject(2), userSubject(3), userSubject(9))
		if want := []uint64{current, current, 0, 0}; err != nil || !slices.Equal(revisions, want) {
			t.Errorf("%s: Revisions() = %d, %v, want %d", tt.name, revisions, err, want)
		}
	}
}

func commitOnce(t *testing.T, s store.Store) {
	const goroutines, rounds = 16, 6
	for range rounds {
		from := revision(t, s, userSubject(1))
		var won, stale atomic.Int32
		together(goroutines, func(i int) {
			err := s.Commit(t.Context(), store.Change{
				Expect: []store.Expectation{at(1, from)}, Put: []store.Record{user(1, strconv.Itoa(i))},
			})
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, store.ErrStale):
				stale.Add(1)
			default:
				t.Errorf("Commit() = %v", err)
			}
		})
		if won.Load() != 1 || stale.Load() != goroutines-1 {
			t.Errorf("%d commits succeeded and %d were stale, want 1 and %d", won.Load(), stale.Load(), goroutines-1)
		}
	}
}

func commitConflict(t *testing.T, s store.Store) {
	put(t, s, device(1, 7))
	if err := s.Commit(t.Context(), deviceChange(2, 7, 1)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Commit() = %v, want %v", err, store.ErrConflict)
	}
	checkUsernames(t, s, "-")
	same(t, "revision of a subject whose change conflicted", revision(t, s, userSubject(1)), uint64(0))
	commit(t, s, deviceChange(2, 8, 1))
	checkUsernames(t, s, "new")
}

func commitConflictsApart(t *testing.T, s store.Store) {
	const goroutines, rounds = 12, 5
	put(t, s, device(0, 255))
	together(goroutines, func(i int) {
		for round := range rounds {
			n := byte(1 + i*rounds + round)
			code, want := n, error(nil)
			if i%3 == 0 {
				code, want = 255, store.ErrConflict
			}
			if err := s.Commit(t.Context(), deviceChange(n, code, uint64(n))); !errors.Is(err, want) {
				t.Errorf("Commit() = %v, want %v", err, want)
			}
		}
	})
	want := make([]string, goroutines*rounds)
	for n := range want {
		want[n] = "new"
		if n/rounds%3 == 0 {
			want[n] = "-"
		}
	}
	checkUsernames(t, s, want...)
}

func commitOrder(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"), device(1, 7))
	decide(t, s, func(tx *store.Tx) error {
		tx.Delete(userKey(1), store.DeviceKey(store.TokenHash{1}))
		return tx.Put(user(1, "b"), device(2, 7), user(2, "first"), user(2, "last"))
	})
	checkUsernames(t, s, "b", "last")
}

func commitUnconditional(t *testing.T, s store.Store) {
	m := store.Message{ID: 5, Channel: 310, Content: []byte(`{}`)}
	commit(t, s, store.Change{Put: []store.Record{m}})
	same(t, "Message()", read(t, s, func(r store.Reader) (store.Message, error) { return r.Messages.Message(5) }), m)
	commit(t, s, store.Change{Delete: []store.Key{store.MessageKey(5), store.MessageKey(6)}})
	err := s.Read(t.Context(), func(r store.Reader) error {
		_, err := r.Messages.Message(5)
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Message() = %v, want %v", err, store.ErrNotFound)
	}
	commit(t, s, store.Change{})
}

func commitLarge(t *testing.T, s store.Store) {
	const users, size = 600, 300 << 10
	c := store.Change{}
	for id := range uint64(users) {
		c.Expect = append(c.Expect, at(id+1, 0))
		c.Put = append(c.Put, user(id+1, strconv.FormatUint(id+1, 10)))
	}
	c.Put = append(c.Put, user(1, strings.Repeat("x", size)))
	commit(t, s, c)
	list := read(t, s, func(r store.Reader) ([]store.User, error) { return r.Directory.Users(0, users+1) })
	if len(list) != users || len(list[0].Username) != size || list[users-1].Username != strconv.Itoa(users) {
		t.Errorf("Users() returned %d users, want %d with the names that were stored", len(list), users)
	}
}

func commitClear(t *testing.T, s store.Store) {
	node := store.Node{Holder: "holder", Until: noon, Ceiling: noon}
	for _, r := range recordCases() {
		put(t, s, append(r.with, r.full)...)
	}
	put(t, s, node)
	held := revision(t, s, store.NodeSubject(0))
	node.Holder = "next"
	decide(t, s, func(tx *store.Tx) error {
		if _, err := tx.Directory.User(200); err != nil { // the decision may depend on what it clears
			return err
		}
		tx.Clear()
		for _, r := range recordCases() {
			if _, err := r.get(tx.Reader); r.key != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s after Clear in the same decision: %v, want %v", r.name, err, store.ErrNotFound)
			}
		}
		nodes, err := tx.Nodes.All()
		same(t, "nodes after Clear in the same decision", len(nodes), 1)
		if err != nil {
			return err
		}
		return tx.Put(user(1, "first"), node)
	})
	checkUsernames(t, s, "first")
	same(t, "Nodes()", read(t, s, func(r store.Reader) ([]store.Node, error) { return r.Nodes.All() }), []store.Node{node})
	if got := revision(t, s, store.NodeSubject(0)); got <= held {
		t.Errorf("revision of the node = %d, want more than %d", got, held)
	}
	for _, r := range recordCases() {
		err := s.Read(t.Context(), func(reader store.Reader) error {
			_, err := r.get(reader)
			return err
		})
		if r.key != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s after Clear: %v, want %v", r.name, err, store.ErrNotFound)
		}
	}
	same(t, "revision of a subject that was cleared", revision(t, s, userSubject(200)), uint64(0))
	if revision(t, s, userSubject(1)) == 0 {
		t.Error("a subject that was written after Clear has no revision")
	}
}

func commitCanceled(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Commit(ctx, store.Change{Expect: []store.Expectation{at(1, 0)}, Put: []store.Record{user(1, "a")}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Commit() = %v, want %v", err, context.Canceled)
	}
	checkUsernames(t, s, "-")
}

func revisionsOfMany(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"), user(3, "a"))
	first := revision(t, s, userSubject(1))
	put(t, s, user(3, "b"))
	third := revision(t, s, userSubject(3))
	got, err := s.Revisions(t.Context(), userSubject(3), userSubject(2), userSubject(1), userSubject(3), store.GuildSubject(1))
	if want := []uint64{third, 0, first, third, 0}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Revisions() = %d, %v, want %d", got, err, want)
	}
	if got, err := s.Revisions(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("Revisions() of nothing = %d, %v", got, err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { // keeps users 4 and 5 at the same revision
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				if err := store.Decide(t.Context(), s, func(tx *store.Tx) error { return tx.Put(user(4, ""), user(5, "")) }); err != nil {
					t.Errorf("Decide() = %v", err)
					return
				}
			}
		}
	}()
	together(4, func(int) {
		for range 25 {
			if r, err := s.Revisions(t.Context(), userSubject(4), userSubject(5)); err != nil || r[0] != r[1] {
				t.Errorf("Revisions() = %d, %v, want the same number twice", r, err)
			}
		}
	})
	close(stop)
	<-done
}
