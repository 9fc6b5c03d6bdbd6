package postgres_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// durable opens a database of a server whose commits wait for the disk.
func durable(b *testing.B) *postgres.DB {
	b.Helper()
	return open(b, durableURL(b))
}

func durableURL(b *testing.B) string {
	b.Helper()
	engines.Need(b, "postgres")
	server, err := engines.StartPostgres(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Stop(); err != nil {
			b.Error(err)
		}
	})
	url, err := server.Database(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return url
}

// inParallel runs fn in a number of goroutines, each with its own number, until the benchmark ends.
func inParallel(b *testing.B, goroutines int, fn func(id snowflake.User, next func() bool)) {
	b.Helper()
	b.ReportAllocs()
	b.SetParallelism(goroutines / runtime.GOMAXPROCS(0))
	var ids atomic.Uint64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) { fn(snowflake.User(ids.Add(1)), pb.Next) })
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkBareUpsert runs one upsert with only the driver, to compare with BenchmarkCommit.
func BenchmarkBareUpsert(b *testing.B) {
	url := durableURL(b)
	open(b, url) // for the schema
	pool, err := pgxpool.New(b.Context(), url+"&pool_max_conns=24")
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	doc := []byte(`{"id":"1","username":"name"}`)
	inParallel(b, 32, func(id snowflake.User, next func() bool) {
		for next() {
			if _, err := pool.Exec(b.Context(), "INSERT INTO users (id, doc, checksum) VALUES ($1, $2, 0)"+
				" ON CONFLICT (id) DO UPDATE SET doc = excluded.doc", int64(id), doc); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkCommit(b *testing.B) {
	db := durable(b)
	var revisions [1024]atomic.Uint64
	db.Subscribe(func(c *store.Change) { revisions[c.Expect[0].Subject.A].Store(c.Revision) })
	inParallel(b, 32, func(id snowflake.User, next func() bool) {
		for next() {
			if err := db.Commit(b.Context(), put(id, revisions[id].Load(), "name")); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkCommitChecked commits changes that all check the same two subjects, as most decisions do: two that exist, two
// that do not, both, and both by changes that create a subject. It reports the bytes of write-ahead log and the
// multixacts of a commit.
func BenchmarkCommitChecked(b *testing.B) {
	url := durableURL(b)
	db := open(b, url)
	absent := []store.Expectation{{Subject: store.UserSubject(6000)}, {Subject: store.UserSubject(6001)}}
	existing := []store.Expectation{
		{Subject: store.UserSubject(5000), Revision: commit(b, db, put(5000, 0, "checked"))},
		{Subject: store.UserSubject(5001), Revision: commit(b, db, put(5001, 0, "checked"))},
	}
	var revisions [1024]atomic.Uint64
	db.Subscribe(func(c *store.Change) {
		if id := c.Expect[0].Subject.A; id < uint64(len(revisions)) {
			revisions[id].Store(c.Revision)
		}
	})
	var created atomic.Uint64
	created.Store(10_000)
	for _, kind := range []struct {
		name    string
		check   []store.Expectation
		creates bool
	}{{"existing", existing, false}, {"absent", absent, false}, {"both", slices.Concat(existing, absent), false}, {"creates", slices.Concat(existing, absent), true}} {
		b.Run(kind.name, func(b *testing.B) {
			wal, multixacts := counters(b, url)
			inParallel(b, 32, func(id snowflake.User, next func() bool) {
				for next() {
					c := put(id, revisions[id].Load(), "name")
					if kind.creates {
						c = put(snowflake.User(created.Add(1)), 0, "name")
					}
					c.Check = slices.Clone(kind.check)
					if err := db.Commit(b.Context(), c); err != nil {
						b.Error(err)
					}
				}
			})
			afterWAL, afterMultixacts := counters(b, url)
			b.ReportMetric(float64(afterWAL-wal)/float64(b.N), "wal-B/op")
			b.ReportMetric(float64(afterMultixacts-multixacts)/float64(b.N), "multixacts/op")
		})
	}
}

// counters returns how many bytes of write-ahead log and how many multixacts a server has written.
func counters(b *testing.B, url string) (wal, multixacts int64) {
	b.Helper()
	c, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(b.Context()) //nolint:errcheck // only read
	if _, err := c.Exec(b.Context(), "CHECKPOINT"); err != nil {
		b.Fatal(err)
	}
	err = c.QueryRow(b.Context(), "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint,"+
		" next_multixact_id::text::bigint FROM pg_control_checkpoint()").Scan(&wal, &multixacts)
	if err != nil {
		b.Fatal(err)
	}
	return wal, multixacts
}

func BenchmarkDecide(b *testing.B) {
	db := durable(b)
	inParallel(b, 32, func(id snowflake.User, next func() bool) {
		for next() {
			if err := count(b.Context(), db, id); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkRevisions(b *testing.B) {
	db := open(b, database(b))
	for id := range snowflake.User(64) {
		commit(b, db, put(id+1, 0, "name"))
	}
	shared := store.ApplicationSubject(1)
	inParallel(b, 64, func(id snowflake.User, next func() bool) {
		for next() {
			if _, err := db.Revisions(b.Context(), shared, store.UserSubject(id)); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	db := open(b, database(b))
	commit(b, db, put(1, 0, "name"))
	inParallel(b, 32, func(_ snowflake.User, next func() bool) {
		for next() {
			if name := username(b, db, 1); name == "" {
				b.Error("no user")
			}
		}
	})
}
