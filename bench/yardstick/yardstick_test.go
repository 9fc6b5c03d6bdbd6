package yardstick_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/yardstick"
)

// TestMain lets tests start this program as a yardstick.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "yardstick" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err := yardstick.Main(ctx, os.Args[2:], os.Stdout)
		stop()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestBare(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(yardstick.NewAnswer("application/json", []byte(`{"id":"1"}`)))
	t.Cleanup(server.Close)
	got := send(t, http.MethodGet, server.URL+"/any/path", nil)
	if want := (answer{http.StatusOK, "application/json", 10, `{"id":"1"}`}); got != want {
		t.Errorf("answer = %+v, want %+v", got, want)
	}
}

// durable starts a bare durable server in this process and returns its address and its database.
func durable(t *testing.T, rows int) (url string, db *sql.DB, d *yardstick.Durable) {
	t.Helper()
	dir := t.TempDir()
	d, err := yardstick.OpenDurable(t.Context(), dir, rows, yardstick.NewAnswer("application/json", []byte("{}")))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d)
	t.Cleanup(func() {
		server.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL, open(t, dir), d
}

func open(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "yardstick.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// stored returns the ids and bodies of all rows, ordered by id.
func stored(t *testing.T, db *sql.DB) (ids []int64, bodies []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT id, body FROM rows ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var body []byte
		if err := rows.Scan(&id, &body); err != nil {
			t.Fatal(err)
		}
		ids, bodies = append(ids, id), append(bodies, string(body))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ids, bodies
}

// answer is the part of a response that tests check.
type answer struct {
	status        int
	contentType   string
	contentLength int64
	body          string
}

func send(t *testing.T, method, url string, body io.Reader) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header.Get("Content-Type"), response.ContentLength, string(got)}
}

func TestDurableStores(t *testing.T) {
	t.Parallel()
	t.Run("one row, the last body wins", func(t *testing.T) {
		t.Parallel()
		url, db, _ := durable(t, 1)
		for _, body := range []string{"first, and longer", "second"} {
			if got := send(t, http.MethodPut, url+"/7", strings.NewReader(body)); got.body != "{}" {
				t.Fatalf("answer = %+v", got)
			}
		}
		if ids, bodies := stored(t, db); len(ids) != 1 || ids[0] != 7 || bodies[0] != "second" {
			t.Errorf("rows = %v %q, want the second body in row 7", ids, bodies)
		}
	})
	t.Run("fifty rows hold equal shares", func(t *testing.T) {
		t.Parallel()
		url, db, _ := durable(t, 50)
		body := strings.Repeat("0123456789", 123)
		send(t, http.MethodPut, url+"/100", strings.NewReader(body))
		ids, bodies := stored(t, db)
		if len(ids) != 50 || ids[0] != 100 || ids[49] != 149 {
			t.Fatalf("ids = %v, want 100 to 149", ids)
		}
		if strings.Join(bodies, "") != body {
			t.Error("the rows together are not the body")
		}
		for i, part := range bodies {
			if len(part) != 24 && len(part) != 25 {
				t.Errorf("row %d holds %d bytes, want 24 or 25", i, len(part))
			}
		}
	})
	t.Run("many requests at once", func(t *testing.T) {
		t.Parallel()
		url, db, _ := durable(t, 1)
		const writers, each = 16, 20
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					n := strconv.Itoa(w*each + i)
					if got := send(t, http.MethodPut, url+"/"+n, strings.NewReader("body "+n)); got.status != http.StatusOK {
						t.Errorf("row %s: %+v", n, got)
					}
				}
			})
		}
		wg.Wait()
		ids, bodies := stored(t, db)
		if len(ids) != writers*each {
			t.Fatalf("%d rows, want %d", len(ids), writers*each)
		}
		for i, id := range ids {
			if bodies[i] != fmt.Sprintf("body %d", id) {
				t.Errorf("row %d holds %q", id, bodies[i])
			}
		}
	})
}

func TestDurableRefuses(t *testing.T) {
	t.Parallel()
	url, db, _ := durable(t, 1)
	if _, err := db.ExecContext(t.Context(), `CREATE TRIGGER unlucky BEFORE INSERT ON rows WHEN NEW.id = 13
		BEGIN SELECT RAISE(ABORT, 'not this one'); END`); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		path   string
		body   io.Reader
		status int
	}{
		{name: "a path that is no row", path: "/x", body: strings.NewReader("a"), status: http.StatusBadRequest},
		{name: "a body of unknown length", path: "/1", body: io.MultiReader(strings.NewReader("a")), status: http.StatusBadRequest},
		{name: "what the database refuses", path: "/13", body: strings.NewReader("a"), status: http.StatusInternalServerError},
		{name: "valid request after errors", path: "/14", body: strings.NewReader("a"), status: http.StatusOK},
	}
	for _, tt := range tests { // one at a time: a bad row fails its whole batch
		if got := send(t, http.MethodPut, url+tt.path, tt.body); got.status != tt.status {
			t.Errorf("%s: %+v, want %d", tt.name, got, tt.status)
		}
	}
	if ids, _ := stored(t, db); len(ids) != 1 || ids[0] != 14 {
		t.Errorf("rows = %v, want only 14", ids)
	}
}

func TestDurableSettings(t *testing.T) {
	t.Parallel()
	_, _, d := durable(t, 1)
	const full = "2"
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": full} {
		if got, err := d.Setting(t.Context(), pragma); err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", pragma, got, err, want)
		}
	}
}

// TestDurableSurvivesKill kills the server during concurrent writes. Every row must have the last acknowledged body or a newer one.
func TestDurableSurvivesKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "answer")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"yardstick"}, yardstick.DurableArgs(file, "application/json", dir, 1)...)
	server, err := process.Start(t.Context(), program, args...)
	if err != nil {
		t.Fatal(err)
	}

	const writers, before = 8, 400 // kill after this many acknowledged writes
	var acknowledged [writers]int
	var total atomic.Int64
	enough := make(chan struct{})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := 1; put(t.Context(), server.Addr, w, n); n++ {
				acknowledged[w] = n
				if total.Add(1) == before {
					close(enough)
				}
			}
		})
	}
	<-enough
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()

	ids, bodies := stored(t, open(t, dir))
	kept := map[int64]string{}
	for i, id := range ids {
		kept[id] = bodies[i]
	}
	for w, want := range acknowledged {
		got, err := strconv.Atoi(kept[int64(w)])
		if want > 0 && (err != nil || got < want || got > want+1) {
			t.Errorf("row %d holds %q, want the acknowledged %d or the next one", w, kept[int64(w)], want)
		}
	}
}

// put writes n to a row and reports whether the write was acknowledged.
func put(ctx context.Context, addr string, row, n int) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, fmt.Sprintf("http://%s/%d", addr, row), bytes.NewBufferString(strconv.Itoa(n)))
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close()) == nil && response.StatusCode == http.StatusOK
}

func TestMainFailures(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"an unknown flag":       {"-nonsense"},
		"an answer that is not": yardstick.Args(filepath.Join(t.TempDir(), "absent"), "text/plain"),
		"a folder that is not":  yardstick.DurableArgs(os.DevNull, "text/plain", filepath.Join(t.TempDir(), "absent"), 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := yardstick.Main(t.Context(), args, io.Discard); err == nil {
				t.Error("Main() = nil, want an error")
			}
		})
	}
}
