package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var concurrentRules = []rule{
	{"no increment is lost", countersAddUp},
	{"the counter of members is exact", membersAddUp},
	{"transfers keep the total in every snapshot", transfersKeepTotal},
	{"a rule over two subjects holds", noWriteSkew},
	{"of two changes that check what the other writes, one is stale", crossedChecks},
	{"of two changes that check the absence of what the other creates, one is stale", crossedCreates},
	{"the changes of a subject form a chain that ends in the stored state", chainsOfChanges},
}

// membersAddUp lets users join, change and leave two guilds at the same time. Some changes are about several members.
func membersAddUp(t *testing.T, s store.Store) {
	guilds := []snowflake.Guild{300, 301}
	together(6, func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		for range 40 {
			err := store.Decide(t.Context(), s, func(tx *store.Tx) error { return changeMembers(tx, random, guilds) })
			if err != nil {
				t.Errorf("Decide() = %v", err)
			}
		}
	})
	for _, guild := range guilds {
		err := s.Read(t.Context(), func(r store.Reader) error {
			list, err := r.Directory.Members(guild, 0, 100)
			if err != nil {
				return err
			}
			if n, err := r.Directory.MemberCount(guild); err != nil || n != len(list) {
				t.Errorf("MemberCount(%d) = %d, %v; want %d", guild, n, err, len(list))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// changeMembers lets up to three users join, change or leave one of two guilds.
func changeMembers(tx *store.Tx, random *rand.Rand, guilds []snowflake.Guild) error {
	for range 1 + random.IntN(3) {
		guild, user := guilds[random.IntN(2)], snowflake.User(1+random.IntN(12))
		if random.IntN(3) == 0 {
			tx.Delete(store.MemberKey(guild, user))
			continue
		}
		if err := tx.Put(store.Member{Guild: guild, User: user, Nick: strconv.Itoa(random.IntN(100))}); err != nil {
			return err
		}
	}
	return nil
}

// crossedChecks commits pairs of changes at the same time. Each checks the subject that the other one writes to.
func crossedChecks(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"), user(2, "a"))
	both := 0
	for range 100 {
		at := [2]uint64{revision(t, s, userSubject(1)), revision(t, s, userSubject(2))}
		var errs [2]error
		together(2, func(i int) {
			own, other := uint64(i+1), uint64(2-i)
			errs[i] = s.Commit(t.Context(), store.Change{
				Expect: []store.Expectation{{Subject: userSubject(own), Revision: at[i]}},
				Check:  []store.Expectation{{Subject: userSubject(other), Revision: at[1-i]}},
				Put:    []store.Record{user(own, "b")},
			})
		})
		for _, err := range errs {
			if err != nil && !errors.Is(err, store.ErrStale) {
				t.Fatalf("Commit() = %v", err)
			}
		}
		if errs[0] == nil && errs[1] == nil {
			both++
		}
	}
	if both > 0 {
		t.Errorf("%d of 100 pairs were both committed", both)
	}
}

// crossedCreates is crossedChecks for subjects that do not exist.
func crossedCreates(t *testing.T, s store.Store) {
	both, neither := 0, 0
	for n := range uint64(100) {
		var errs [2]error
		together(2, func(i int) {
			own, other := 2*n+uint64(i+1), 2*n+uint64(2-i)
			errs[i] = s.Commit(t.Context(), store.Change{
				Expect: []store.Expectation{{Subject: userSubject(own)}},
				Check:  []store.Expectation{{Subject: userSubject(other)}},
				Put:    []store.Record{user(own, "a")},
			})
		})
		for _, err := range errs {
			if err != nil && !errors.Is(err, store.ErrStale) {
				t.Fatalf("Commit() = %v", err)
			}
		}
		switch {
		case errs[0] == nil && errs[1] == nil:
			both++
		case errs[0] != nil && errs[1] != nil:
			neither++
		}
	}
	if both > 0 || neither > 0 {
		t.Errorf("of 100 pairs %d were both committed, and %d were both stale", both, neither)
	}
}

func countersAddUp(t *testing.T, s store.Store) {
	const goroutines, rounds, counters = 12, 20, 3
	var want [counters]atomic.Int64
	together(goroutines, func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		for range rounds {
			n := random.IntN(counters)
			refuse := random.IntN(5) == 0
			err := store.Decide(t.Context(), s, func(tx *store.Tx) error {
				if err := increment(uint64(n + 1))(tx); err != nil {
					return err
				}
				if refuse {
					return errRefused
				}
				return nil
			})
			if err == nil {
				want[n].Add(1)
			}
			if refuse != errors.Is(err, errRefused) || !refuse && err != nil {
				t.Errorf("Decide() = %v", err)
			}
		}
	})
	for n := range counters {
		got := read(t, s, func(r store.Reader) (int64, error) { return count(r, uint64(n+1)) })
		same(t, fmt.Sprint("counter ", n), got, want[n].Load())
	}
}

func transfersKeepTotal(t *testing.T, s store.Store) {
	const goroutines, rounds, accounts, each = 6, 15, 5, 100
	for id := range uint64(accounts) {
		put(t, s, user(id+1, strconv.Itoa(each)))
	}
	var ended atomic.Bool
	total := func(r store.Reader) (sum int64, err error) {
		list, err := r.Directory.Users(0, accounts+1)
		for _, u := range list {
			n, parseErr := strconv.ParseInt(u.Username, 10, 64)
			sum, err = sum+n, errors.Join(err, parseErr)
		}
		return sum, err
	}
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		for !ended.Load() {
			err := s.Read(t.Context(), func(r store.Reader) error {
				sum, err := total(r)
				if err == nil && sum != accounts*each {
					t.Errorf("a snapshot has a total of %d, want %d", sum, accounts*each)
				}
				return err
			})
			if err != nil {
				t.Errorf("Read() = %v", err)
				return
			}
		}
	}()
	together(goroutines, func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), 2))
		for range rounds {
			ids, amount := random.Perm(accounts), random.Int64N(50)
			err := store.Decide(t.Context(), s, func(tx *store.Tx) error {
				return errors.Join(add(uint64(ids[0]+1), -amount)(tx), add(uint64(ids[1]+1), amount)(tx))
			})
			if err != nil {
				t.Errorf("Decide() = %v", err)
			}
		}
	})
	ended.Store(true)
	<-checked
	same(t, "total", read(t, s, total), int64(accounts*each))
}

// noWriteSkew runs decisions that read two counters and increment one. The sum of the counters must not exceed a limit.
func noWriteSkew(t *testing.T, s store.Store) {
	const goroutines, limit = 8, 10
	together(goroutines, func(i int) {
		for {
			err := store.Decide(t.Context(), s, func(tx *store.Tx) error {
				a, err := count(tx.Reader, 1)
				if err != nil {
					return err
				}
				b, err := count(tx.Reader, 2)
				if err != nil {
					return err
				}
				if a+b >= limit {
					return errRefused
				}
				return increment(uint64(i%2 + 1))(tx)
			})
			if errors.Is(err, errRefused) {
				return
			}
			if err != nil {
				t.Errorf("Decide() = %v", err)
				return
			}
		}
	})
	sum := read(t, s, func(r store.Reader) (int64, error) {
		a, err := count(r, 1)
		b, again := count(r, 2)
		return a + b, errors.Join(err, again)
	})
	same(t, "sum of the counters", sum, int64(limit))
}

// chainsOfChanges runs random decisions and checks the committed changes in the order of their commits. Each change of
// a subject must expect the revision of the change before, and the last change must match the stored state. The order
// of commits in a shared store is not known. There the test sorts the changes by revision, which is the order of
// commits for one subject until it is deleted. So in a shared store the decisions delete nothing, and the test does not
// compare checks.
func chainsOfChanges(t *testing.T, s store.Store) {
	const goroutines, rounds, users = 8, 25, 6
	l := subscribed(s)
	together(goroutines, func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), 3))
		for round := range rounds {
			name, steps, seed := fmt.Sprintf("%d/%d", i, round), 1+random.IntN(3), random.Uint64()
			err := store.Decide(t.Context(), s, func(tx *store.Tx) error {
				again := rand.New(rand.NewPCG(seed, 4))
				for range steps {
					if err := randomStep(again, tx, 1+again.Uint64N(users), name, !s.Shared()); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("Decide() = %v", err)
			}
		}
	})
	changes := l.all()
	if s.Shared() { // other stores tell of changes in the order of their commits
		slices.SortFunc(changes, func(a, b *store.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	}
	for id := range uint64(users) {
		checkChain(t, s, changes, id+1)
	}
}

// randomStep puts or reads a user, or deletes it if the test allows that.
func randomStep(random *rand.Rand, tx *store.Tx, id uint64, name string, deletes bool) error {
	switch n := random.IntN(4); {
	case n == 0 && deletes:
		tx.Delete(userKey(id))
	case n == 1:
		_, err := username(tx.Reader, id)
		return err
	default:
		return tx.Put(user(id, name))
	}
	return nil
}

func checkChain(t *testing.T, s store.Store, changes []*store.Change, id uint64) {
	t.Helper()
	current, name := uint64(0), "-"
	for _, c := range changes {
		for _, e := range c.Check {
			if e.Subject == userSubject(id) && e.Revision != current && !s.Shared() {
				t.Errorf("user %d: a change checked revision %d, but it was %d", id, e.Revision, current)
			}
		}
		e := c.Expects(userSubject(id))
		if e == nil {
			continue
		}
		if e.Revision != current {
			t.Errorf("user %d: a change expected revision %d, but it was %d", id, e.Revision, current)
		}
		if current = c.Revision; e.Ends {
			current, name = 0, "-"
			continue
		}
		for _, r := range c.Put {
			if u, ok := r.(store.User); ok && u.ID == userID(id) {
				name = u.Username
			}
		}
	}
	same(t, fmt.Sprint("revision of user ", id), revision(t, s, userSubject(id)), current)
	same(t, fmt.Sprint("name of user ", id), read(t, s, func(r store.Reader) (string, error) { return username(r, id) }), name)
}

// MembersCounted fails unless a guild has a number of members by its counter, before and after one more joins.
func MembersCounted(t *testing.T, s store.Store, guild snowflake.Guild, want int) {
	t.Helper()
	count := func() (n int) {
		err := s.Read(t.Context(), func(r store.Reader) (err error) {
			n, err = r.Directory.MemberCount(guild)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if got := count(); got != want {
		t.Errorf("MemberCount() = %d, want %d", got, want)
	}
	put(t, s, store.Member{Guild: guild, User: 999})
	if got := count(); got != want+1 {
		t.Errorf("MemberCount() = %d after a join, want %d", got, want+1)
	}
}

// PutMembers stores n members of a guild.
func PutMembers(t *testing.T, s store.Store, guild snowflake.Guild, n int) {
	t.Helper()
	for i := range n {
		put(t, s, store.Member{Guild: guild, User: snowflake.User(i + 1)})
	}
}
