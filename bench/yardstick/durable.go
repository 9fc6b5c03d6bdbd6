package yardstick

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// maxBatch is the number of requests that can share a commit. It exceeds the number of connections of any run.
const maxBatch = 1024

// Durable is the bare durable server. A request to /N stores its body in rows N, N+1 and so on, an equal part in each, and gets its
// response when the rows are on disk. Requests that wait at the same time share a transaction and its fsync.
type Durable struct {
	answer Answer
	rows   int
	jobs   chan *job
	writer writer
	pool   sync.Pool
	wg     sync.WaitGroup
}

// job is the rows of one request.
type job struct {
	first int64
	body  []byte
	done  chan error // capacity 1
}

// OpenDurable opens or creates the database in dir and starts the writer. Each request stores the given number of rows.
func OpenDurable(ctx context.Context, dir string, rows int, answer Answer) (*Durable, error) {
	d := &Durable{answer: answer, rows: rows, jobs: make(chan *job, maxBatch)}
	d.pool.New = func() any { return &job{done: make(chan error, 1)} }
	if err := d.writer.open(ctx, filepath.Join(dir, "yardstick.db")); err != nil {
		return nil, fmt.Errorf("open durable yardstick: %w", err)
	}
	d.wg.Go(func() { d.write(context.WithoutCancel(ctx)) })
	return d, nil
}

// Close stops the writer and closes the database. There must be no requests in progress.
func (d *Durable) Close() error {
	close(d.jobs)
	d.wg.Wait()
	return d.writer.conn.Close()
}

// ServeHTTP stores a request and responds.
func (d *Durable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	j := d.pool.Get().(*job)
	defer d.pool.Put(j)
	if err := j.read(r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := d.store(j); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	d.answer.ServeHTTP(w, r)
}

// store returns when the rows of a request are on disk.
func (d *Durable) store(j *job) error {
	d.jobs <- j
	return <-j.done
}

var errNoLength = errors.New("body without a length")

// read reads the row number and the body of r. It reuses the buffer of an earlier request.
func (j *job) read(r *http.Request) (err error) {
	if j.first, err = strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/"), 10, 64); err != nil {
		return err
	}
	if r.ContentLength < 0 {
		return errNoLength
	}
	if int64(cap(j.body)) < r.ContentLength {
		j.body = make([]byte, r.ContentLength)
	}
	j.body = j.body[:r.ContentLength]
	_, err = io.ReadFull(r.Body, j.body)
	return err
}

// write stores all waiting requests in one transaction and reports the result to them, until jobs is closed.
func (d *Durable) write(ctx context.Context) {
	batch := make([]*job, 0, maxBatch)
	for j := range d.jobs {
		runtime.Gosched() // other handlers can queue their requests first: fewer commits without a timer
		batch = append(batch[:0], j)
		for len(batch) < cap(batch) && len(d.jobs) > 0 {
			batch = append(batch, <-d.jobs) // does not block: there is no other reader
		}
		err := d.writer.store(ctx, batch, d.rows)
		for _, j := range batch {
			j.done <- err
		}
	}
}

// writer is the connection that writes, and its prepared statements. It uses the driver directly: database/sql would add a sixth to
// the cost of a statement.
type writer struct {
	conn                            driver.Conn
	begin, upsert, commit, rollback driver.StmtExecContext
	args                            [2]driver.NamedValue
}

func (w *writer) open(ctx context.Context, file string) (err error) {
	const pragmas = "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	if w.conn, err = new(sqlite.Driver).Open("file:" + file + pragmas); err != nil {
		return err
	}
	create, err := w.prepare(`CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, body BLOB NOT NULL)`)
	if err != nil {
		return err
	}
	if _, err := create.ExecContext(ctx, nil); err != nil {
		return err
	}
	w.args = [2]driver.NamedValue{{Ordinal: 1}, {Ordinal: 2}}
	for statement, text := range map[*driver.StmtExecContext]string{
		&w.begin:    `BEGIN IMMEDIATE`,
		&w.upsert:   `INSERT INTO rows (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
		&w.commit:   `COMMIT`,
		&w.rollback: `ROLLBACK`,
	} {
		if *statement, err = w.prepare(text); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) prepare(text string) (driver.StmtExecContext, error) {
	statement, err := w.conn.Prepare(text)
	if err != nil {
		return nil, err
	}
	return statement.(driver.StmtExecContext), nil
}

// store writes the rows of all requests of the batch and commits once.
func (w *writer) store(ctx context.Context, batch []*job, rows int) error {
	if _, err := w.begin.ExecContext(ctx, nil); err != nil {
		return err
	}
	for _, j := range batch {
		for i := range rows {
			w.args[0].Value, w.args[1].Value = j.first+int64(i), share(j.body, i, rows)
			if _, err := w.upsert.ExecContext(ctx, w.args[:]); err != nil {
				_, undone := w.rollback.ExecContext(ctx, nil)
				return errors.Join(err, undone)
			}
		}
	}
	_, err := w.commit.ExecContext(ctx, nil)
	return err
}

// share returns part i of body, divided into n parts whose sizes differ by at most one byte.
func share(body []byte, i, n int) []byte { return body[len(body)*i/n : len(body)*(i+1)/n] }
