package storetest

import (
	"errors"
	"strconv"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

var decideRules = []rule{
	{"returns the error of the decision unchanged and changes nothing", decideError},
	{"commits nothing for a decision without writes", decideNothing},
	{"lets the decision see its own writes", decideOwnWrites},
	{"lets the decision see the state before its writes", decideBefore},
	{"gives pages with the decision's own writes", decidePages},
	{"keeps a record that was deleted and stored again", decideDeletePut},
	{"does not keep a record that was stored and deleted again", decidePutDelete},
	{"removes the stored row of a record that the decision moved and deleted", decideMoveDelete},
	{"runs again when a subject that it wrote to has changed", decideAgainAfterWrite},
	{"runs again when a subject that it read has changed", decideAgainAfterRead},
	{"does not run again because of other subjects", decideOnce},
	{"ends subjects", decideEnds},
	{"removes records in batches until one is not full", removeAll},
	{"records events about subjects without a record", decideAnnounce},
}

// count returns the name of a user as a number, 0 when there is no such user.
func count(r store.Reader, id uint64) (int64, error) {
	name, err := username(r, id)
	if err != nil || name == "-" {
		return 0, err
	}
	return strconv.ParseInt(name, 10, 64)
}

// increment returns a decision that adds 1 to a counter.
func increment(id uint64) func(*store.Tx) error { return add(id, 1) }

func add(id uint64, n int64) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		have, err := count(tx.Reader, id)
		if err != nil {
			return err
		}
		return tx.Put(user(id, strconv.FormatInt(have+n, 10)))
	}
}

func decideError(t *testing.T, s store.Store) {
	put(t, s, user(2, "a"))
	err := store.Decide(t.Context(), s, func(tx *store.Tx) error {
		if err := tx.Put(user(1, "a")); err != nil {
			return err
		}
		tx.Delete(userKey(2))
		return errRefused
	})
	if err != errRefused {
		t.Errorf("Decide() = %v, want the error of the decision", err)
	}
	checkUsernames(t, s, "-", "a")
}

func removeAll(t *testing.T, s store.Store) {
	users := make([]store.Record, 700)
	for i := range users {
		users[i] = user(uint64(i+1), "a")
	}
	put(t, s, users...)
	l := subscribed(s)
	err := store.RemoveAll(t.Context(), s, func(tx *store.Tx, limit int) (int, error) {
		list, err := tx.Directory.Users(0, limit)
		for _, u := range list {
			tx.Delete(userKey(uint64(u.ID)))
		}
		return len(list), err
	})
	if n := len(l.all()); err != nil || n != 3 {
		t.Errorf("RemoveAll() = %v after %d changes, want 3 changes of at most 256 records", err, n)
	}
	left := read(t, s, func(r store.Reader) ([]store.User, error) { return r.Directory.Users(0, 1) })
	if len(left) > 0 {
		t.Errorf("%d users are left, want none", len(left))
	}
}

func decideNothing(t *testing.T, s store.Store) {
	l := subscribed(s)
	decide(t, s, func(*store.Tx) error { return nil })
	decide(t, s, func(tx *store.Tx) error {
		_, err := tx.Directory.Users(0, 10)
		return err
	})
	if n := len(l.all()); n != 0 {
		t.Errorf("%d changes were committed, want none", n)
	}
}

// checkTx checks the names that a decision sees.
func checkTx(t *testing.T, what string, r store.Reader, want ...string) {
	t.Helper()
	for i := range want {
		got, err := username(r, uint64(i+1))
		if err != nil {
			t.Errorf("%s: User(%d) = %v", what, i+1, err)
		}
		if got != want[i] {
			t.Errorf("%s: user %d is %q, want %q", what, i+1, got, want[i])
		}
	}
}

func decideOwnWrites(t *testing.T, s store.Store) {
	put(t, s, user(1, "old"), user(2, "old"))
	decide(t, s, func(tx *store.Tx) error {
		checkTx(t, "at first", tx.Reader, "old", "old", "-")
		tx.Delete(userKey(1))
		err := tx.Put(user(2, "new"), user(3, "new"))
		checkTx(t, "after the first writes", tx.Reader, "-", "new", "new")
		tx.Delete(userKey(3))
		err = errors.Join(err, tx.Put(user(1, "again")))
		checkTx(t, "after the second writes", tx.Reader, "again", "new", "-")
		return err
	})
	checkUsernames(t, s, "again", "new", "-")
}

func decideBefore(t *testing.T, s store.Store) {
	put(t, s, user(1, "old"))
	decide(t, s, func(tx *store.Tx) error {
		err := tx.Put(user(1, "new"), user(2, "new"))
		checkTx(t, "before", tx.Before, "old", "-")
		checkTx(t, "with writes", tx.Reader, "new", "new")
		return err
	})
}

func decidePages(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"), user(3, "a"), user(5, "a"), user(7, "a"), user(9, "a"))
	pages := func(what string, r store.Reader, tests []pageTest) error {
		for _, tt := range tests {
			list, err := r.Directory.Users(userID(tt.after), tt.limit)
			if err != nil {
				return err
			}
			var ids []uint64
			for _, u := range list {
				ids = append(ids, uint64(u.ID))
			}
			same(t, what, ids, tt.want)
		}
		return nil
	}
	tests := []pageTest{
		{0, 10, []uint64{2, 3, 4, 7, 10}},
		{0, 5, []uint64{2, 3, 4, 7, 10}},
		{0, 1, []uint64{2}},
		{0, 3, []uint64{2, 3, 4}},
		{2, 2, []uint64{3, 4}},
		{4, 2, []uint64{7, 10}},
		{5, 1, []uint64{7}},
		{10, 1, nil},
		{0, 0, nil},
		{0, -1, nil},
	}
	decide(t, s, func(tx *store.Tx) error {
		tx.Delete(userKey(1), userKey(5), userKey(9), userKey(11))
		if err := tx.Put(user(2, "new"), user(4, "new"), user(10, "new"), user(3, "new"), user(8, "new")); err != nil {
			return err
		}
		tx.Delete(userKey(8))
		return pages("page with own writes", tx.Reader, tests)
	})
	read(t, s, func(r store.Reader) (any, error) { return nil, pages("page after the commit", r, tests) })
}

type pageTest struct {
	after uint64
	limit int
	want  []uint64
}

func decideDeletePut(t *testing.T, s store.Store) {
	m := store.Member{Guild: 300, User: 1, Roles: []snowflake.Role{301, 302}, JoinedAt: noon}
	put(t, s, user(1, "a"), m)
	m.Roles = []snowflake.Role{303}
	decide(t, s, func(tx *store.Tx) error {
		tx.Delete(userKey(1), store.MemberKey(300, 1))
		return tx.Put(user(1, "b"), m)
	})
	checkUsernames(t, s, "b")
	if revision(t, s, userSubject(1)) == 0 || revision(t, s, store.MemberSubject(300, 1)) == 0 {
		t.Error("a subject that was written to again has no revision")
	}
	for role, want := range map[snowflake.Role]int{301: 0, 302: 0, 303: 1} {
		list := read(t, s, func(r store.Reader) ([]store.Member, error) { return r.Directory.MembersWith(300, role, 10) })
		same(t, "members with a role", len(list), want)
	}
}

func decidePutDelete(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"))
	decide(t, s, func(tx *store.Tx) error {
		if err := tx.Put(user(1, "b"), user(2, "b"), store.Member{Guild: 300, User: 1, Roles: []snowflake.Role{301}}); err != nil {
			return err
		}
		tx.Delete(userKey(1), userKey(2), store.MemberKey(300, 1))
		return nil
	})
	checkUsernames(t, s, "-", "-")
	for _, subject := range []store.Subject{userSubject(1), userSubject(2), store.MemberSubject(300, 1)} {
		same(t, "revision of a deleted record", revision(t, s, subject), uint64(0))
	}
	list := read(t, s, func(r store.Reader) ([]store.Member, error) { return r.Directory.MembersWith(300, 301, 10) })
	same(t, "members with a role", len(list), 0)
}

func decideMoveDelete(t *testing.T, s store.Store) {
	from, to := command.Scope{Application: 100}, command.Scope{Application: 100, Guild: 300}
	put(t, s, chatCommand(from, 1, "roll"))
	decide(t, s, func(tx *store.Tx) error {
		err := tx.Put(chatCommand(to, 1, "roll"))
		tx.Touch(store.ScopeSubject(from))
		tx.Delete(store.ScopeKey(to))
		return err
	})
	for _, scope := range []command.Scope{from, to} {
		list := read(t, s, func(r store.Reader) ([]command.Command, error) { return r.Commands.Commands(scope) })
		same(t, "commands of a scope", len(list), 0)
	}
}

// meetingOnce runs a decision and commits a concurrent change to user 1 in its first run. It returns how often the
// decision ran.
func meetingOnce(t *testing.T, s store.Store, fn func(*store.Tx) error) int {
	t.Helper()
	runs := 0
	decide(t, s, func(tx *store.Tx) error {
		runs++
		_, err := tx.Directory.Guild(1) // the snapshot exists from here on
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		err = fn(tx)
		if runs == 1 {
			other := make(chan error)
			go func() {
				other <- store.Decide(t.Context(), s, func(tx *store.Tx) error { return tx.Put(user(1, "concurrent")) })
			}()
			err = errors.Join(err, <-other)
		}
		return err
	})
	return runs
}

func decideAgainAfterWrite(t *testing.T, s store.Store) {
	for _, stored := range []bool{false, true} {
		if runs := meetingOnce(t, s, func(tx *store.Tx) error { return tx.Put(user(1, "last")) }); runs != 2 {
			t.Errorf("with a stored record %v: the decision ran %d times, want 2", stored, runs)
		}
		checkUsernames(t, s, "last")
	}
}

func decideAgainAfterRead(t *testing.T, s store.Store) {
	for range 2 { // without and with a record
		runs := meetingOnce(t, s, func(tx *store.Tx) error {
			name, err := username(tx.Reader, 1)
			return errors.Join(err, tx.Put(user(2, "saw "+name)))
		})
		if runs != 2 {
			t.Errorf("the decision ran %d times, want 2", runs)
		}
		checkUsernames(t, s, "concurrent", "saw concurrent")
	}
}

func decideOnce(t *testing.T, s store.Store) {
	if runs := meetingOnce(t, s, increment(2)); runs != 1 {
		t.Errorf("the decision ran %d times, want 1", runs)
	}
	checkUsernames(t, s, "concurrent", "1")
}

func decideEnds(t *testing.T, s store.Store) {
	put(t, s, store.Member{Guild: 300, User: 1})
	lists := store.MembershipsSubject(1)
	if revision(t, s, lists) == 0 {
		t.Error("the memberships of a member have no revision")
	}
	decide(t, s, func(tx *store.Tx) error {
		tx.Delete(store.MemberKey(300, 1))
		tx.End(lists)
		tx.Touch(lists) // a subject that ends stays so
		return nil
	})
	same(t, "revision of a subject that ended", revision(t, s, lists), uint64(0))
}

func decideAnnounce(t *testing.T, s store.Store) {
	l := subscribed(s)
	event := store.Event{Subject: store.ChannelSubject(310), Event: events.Event{Name: "TYPING_START"}}
	decide(t, s, func(tx *store.Tx) error {
		tx.Announce(event)
		return nil
	})
	changes := l.all()
	if len(changes) != 1 || len(changes[0].Events) != 1 || changes[0].Expects(event.Subject) == nil {
		t.Fatalf("a decision that announces one event committed %d changes, want 1 that writes to its subject", len(changes))
	}
	if revision(t, s, event.Subject) != changes[0].Revision {
		t.Error("the subject of an event does not have the revision of the change")
	}
}
