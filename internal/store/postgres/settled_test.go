package postgres_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// TestSettled waits for a change in progress, and not for transactions of other programs.
func TestSettled(t *testing.T) {
	t.Parallel()
	url := database(t) + "&statement_timeout=10000" // so that Settled waits for 25 s
	db, change, foreign := open(t, url), connect(t, url), connect(t, url)
	execute(t, foreign, "BEGIN", "SELECT pg_current_xact_id()")
	began := time.Now()
	if err := db.Settled(t.Context()); err != nil || time.Since(began) > 20*time.Second {
		t.Errorf("Settled() = %v after %v beside a transaction of another program", err, time.Since(began))
	}
	// A change that checks a subject which does not exist, and has not been committed yet.
	execute(t, change, "BEGIN", "INSERT INTO subjects (kind, a, b, revision) VALUES (1, 1, 0, 1)",
		"SELECT 1 / (1 - COUNT(*)) FROM subjects WHERE kind = 1 AND a = 2 AND b = 0")
	commit(t, db, put(2, 0, "created after the check"))
	settled := make(chan error, 1)
	go func() { settled <- db.Settled(t.Context()) }()
	select {
	case err := <-settled:
		t.Fatalf("Settled() = %v while a change is in progress", err)
	case <-time.After(300 * time.Millisecond):
	}
	execute(t, change, "COMMIT")
	select {
	case err := <-settled:
		if err != nil {
			t.Errorf("Settled() = %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Settled() does not return within 20 s after the change has ended")
	}
	if got := revision(t, db, store.Subject{Kind: 1, A: 1}); got != 1 {
		t.Errorf("the change is not visible after Settled(): revision %d", got)
	}
	execute(t, foreign, "ROLLBACK")
}
