package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

var nodeRules = []check.Rule{
	{Name: "a number is never shared", Run: leaseAlone},
	{Name: "a number is free again when its lease ends", Run: leaseEnds},
	{Name: "a lease that is extended stays", Run: leaseExtended},
	{Name: "the next holder learns the ceiling of the last", Run: ceilingHandedOn},
	{Name: "a lease that another has taken is lost", Run: leaseLost},
	{Name: "there are as many numbers as an id can carry", Run: allNumbers},
	{Name: "everybody sees who holds which number", Run: seeNodes},
}

// lease takes a number from now for a minute.
func lease(t *testing.T, s store.Store, holder string, now time.Time) (number uint16, ceiling time.Time) {
	t.Helper()
	check.Update(t, s, func(tx store.Tx) (err error) {
		number, ceiling, err = tx.LeaseNode(holder, now, now.Add(time.Minute))
		return err
	})
	return number, ceiling
}

func extend(number uint16, holder string, until, ceiling time.Time) func(store.Tx) error {
	return func(tx store.Tx) error { return tx.ExtendNode(number, holder, until, ceiling) }
}

func leaseAlone(t *testing.T, s store.Store) {
	const holders = 24
	var mu sync.Mutex
	taken := map[uint16]bool{}
	check.Together(holders, func(i int) {
		var number uint16
		err := s.Update(t.Context(), func(tx store.Tx) (err error) {
			number, _, err = tx.LeaseNode(fmt.Sprint("holder ", i), check.Noon, check.Noon.Add(time.Minute))
			return err
		})
		if err != nil || number > snowflake.MaxNode {
			t.Errorf("LeaseNode() = %d, %v", number, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if taken[number] {
			t.Errorf("number %d was given out twice", number)
		}
		taken[number] = true
	})
	number, _ := lease(t, s, "holder 0", check.Noon.Add(time.Second))
	if taken[number] {
		t.Errorf("a holder that comes back got number %d, which it holds already", number)
	}
}

func leaseEnds(t *testing.T, s store.Store) {
	first, _ := lease(t, s, "first", check.Noon)
	early, _ := lease(t, s, "second", check.Noon.Add(time.Minute-time.Microsecond))
	if early == first {
		t.Errorf("number %d was given out while it was held", first)
	}
	if again, _ := lease(t, s, "third", check.Noon.Add(time.Minute)); again != first {
		t.Errorf("LeaseNode() = %d, want %d, which is free again", again, first)
	}
}

func leaseExtended(t *testing.T, s store.Store) {
	number, _ := lease(t, s, "first", check.Noon)
	check.Update(t, s, extend(number, "first", check.Noon.Add(time.Hour), check.Noon))
	other, _ := lease(t, s, "second", check.Noon.Add(30*time.Minute))
	if other == number {
		t.Errorf("number %d was given out while it was held", other)
	}
	check.Update(t, s, extend(other, "second", check.Noon.Add(time.Hour), check.Noon))
	check.Update(t, s, extend(number, "first", check.Noon.Add(40*time.Minute), check.Noon)) // given back early
	if again, _ := lease(t, s, "third", check.Noon.Add(40*time.Minute)); again != number {
		t.Errorf("LeaseNode() = %d, want %d, which was given back", again, number)
	}
}

func ceilingHandedOn(t *testing.T, s store.Store) {
	number, ceiling := lease(t, s, "first", check.Noon)
	if !ceiling.IsZero() {
		t.Errorf("ceiling of a new number = %v, want none", ceiling)
	}
	for i := range 3 {
		holder, now := fmt.Sprint("holder ", i), check.Noon.Add(time.Duration(i+1)*time.Hour)
		want := now.Add(15 * time.Second)
		again, last := lease(t, s, holder, now)
		if again != number {
			t.Fatalf("LeaseNode() = %d, want %d", again, number)
		}
		if i > 0 && !last.Equal(want.Add(-time.Hour)) {
			t.Errorf("ceiling = %v, want %v", last, want.Add(-time.Hour))
		}
		check.Update(t, s, extend(number, holder, now.Add(time.Minute), check.Noon))
		check.Update(t, s, extend(number, holder, now.Add(time.Minute), want)) // the newest counts
	}
	// A holder that never wrote one down hands on what it was told.
	_, told := lease(t, s, "silent", check.Noon.Add(4*time.Hour))
	if _, last := lease(t, s, "next", check.Noon.Add(5*time.Hour)); !last.Equal(told) {
		t.Errorf("ceiling = %v, want %v", last, told)
	}
}

func leaseLost(t *testing.T, s store.Store) {
	check.Refused(t, s, store.ErrNotFound, extend(0, "nobody", check.Noon, check.Noon))
	number, _ := lease(t, s, "first", check.Noon)
	check.Refused(t, s, store.ErrNotFound, extend(number, "other", check.Noon.Add(time.Hour), check.Noon))
	check.Refused(t, s, store.ErrNotFound, extend(number+1, "first", check.Noon.Add(time.Hour), check.Noon))
	check.Update(t, s, extend(number, "first", check.Noon.Add(time.Second), check.Noon))
	if again, _ := lease(t, s, "second", check.Noon.Add(time.Minute)); again != number {
		t.Fatalf("LeaseNode() = %d, want %d", again, number)
	}
	check.Refused(t, s, store.ErrNotFound, extend(number, "first", check.Noon.Add(time.Hour), check.Noon.Add(time.Hour)))
	check.Update(t, s, extend(number, "second", check.Noon.Add(time.Hour), check.Noon))
}

func allNumbers(t *testing.T, s store.Store) {
	taken := check.Told(t, s, func(tx store.Tx) (map[uint16]bool, error) {
		taken := map[uint16]bool{}
		for i := range snowflake.MaxNode + 1 {
			number, _, err := tx.LeaseNode(fmt.Sprint("holder ", i), check.Noon, check.Noon.Add(time.Minute))
			if err != nil {
				return nil, fmt.Errorf("lease %d: %w", i, err)
			}
			taken[number] = true
		}
		return taken, nil
	})
	if len(taken) != snowflake.MaxNode+1 {
		t.Errorf("%d numbers were given out, want %d", len(taken), snowflake.MaxNode+1)
	}
	check.Refused(t, s, store.ErrNotFound, func(tx store.Tx) error {
		_, _, err := tx.LeaseNode("late", check.Noon, check.Noon.Add(time.Minute))
		return err
	})
}

func seeNodes(t *testing.T, s store.Store) {
	first, _ := lease(t, s, "first", check.Noon)
	second, _ := lease(t, s, "second", check.Noon.Add(time.Second))
	check.Update(t, s, extend(first, "first", check.Noon.Add(time.Hour), check.Noon))
	check.Same(t, "Nodes()", check.Told(t, s, store.Tx.Nodes), []store.Node{
		{Number: first, Holder: "first", Until: check.Noon.Add(time.Hour)},
		{Number: second, Holder: "second", Until: check.Noon.Add(time.Second + time.Minute)},
	})
}
