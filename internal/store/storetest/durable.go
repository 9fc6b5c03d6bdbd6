package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/internal/store/storetest/records"
)

// RunDurable tests that an engine keeps what it was given when it is closed. Every call of open opens the same database,
// which is empty at first; t closes it.
func RunDurable(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	s, scope := open(t), command.Scope{Application: 100, Guild: 300}
	var number uint16
	check.Update(t, s, func(tx store.Tx) (err error) {
		number, _, err = tx.LeaseNode("holder", check.Noon, check.Noon.Add(time.Hour))
		return errors.Join(err, records.World(tx), tx.ExtendNode(number, "holder", check.Noon.Add(time.Minute), check.Noon.Add(time.Second)))
	})
	want := records.Census(t, s)
	whole := check.Read(t, s, check.By(store.Reader.Scope, scope))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("Close() = %v", err)
		}
		s = open(t)
		check.Same(t, "what is there after a restart", records.Census(t, s), want)
		check.Shows(t, s, "Scope()", check.By(store.Reader.Scope, scope), whole)
	}
	if again, ceiling := lease(t, s, "next", check.Noon.Add(time.Hour)); again != number || !ceiling.Equal(check.Noon.Add(time.Second)) {
		t.Errorf("LeaseNode() = %d, %v, want %d and the ceiling that was written down", again, ceiling, number)
	}
}
