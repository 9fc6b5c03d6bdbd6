package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// RunDurable tests that an engine keeps what it was given when it is closed. Every call of open opens the same database,
// which is empty at first; t closes it.
func RunDurable(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	s := open(t)
	var number uint16
	update(t, s, func(tx store.Tx) (err error) {
		number, _, err = tx.LeaseNode("holder", noon, noon.Add(time.Hour))
		return errors.Join(err, world(tx), tx.ExtendNode(number, "holder", noon.Add(time.Minute), noon.Add(time.Second)))
	})
	want := census(t, s)
	whole := read(t, s, func(r store.Reader) (store.Scope, error) { return r.Scope(guildScope) })
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("Close() = %v", err)
		}
		s = open(t)
		same(t, "what is there after a restart", census(t, s), want)
		same(t, "Scope()", read(t, s, func(r store.Reader) (store.Scope, error) { return r.Scope(guildScope) }), whole)
	}
	if again, ceiling := lease(t, s, "next", noon.Add(time.Hour)); again != number || !ceiling.Equal(noon.Add(time.Second)) {
		t.Errorf("LeaseNode() = %d, %v, want %d and the ceiling that was written down", again, ceiling, number)
	}
}
