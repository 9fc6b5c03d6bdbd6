package backup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/tools/database"
	"github.com/google/go-cmp/cmp"
)

// The names in a data folder.
const (
	databaseFile      = "bellhop.db"
	attachmentsFolder = "attachments"
)

// folder returns the location of a data folder.
func folder(dir string) database.Location {
	return database.Location{File: filepath.Join(dir, databaseFile), Attachments: filepath.Join(dir, attachmentsFolder)}
}

// save writes a backup to a file.
func save(t *testing.T, from database.Location, file string) error {
	t.Helper()
	b := &Backup{From: from, Version: "test", Now: time.Unix(1, 0), Progress: func(int64, int64) {}}
	if err := b.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(file, func(w io.Writer) error { return b.Write(t.Context(), w) })
	return errors.Join(err, b.Close())
}

// restore restores a backup from a file.
func restore(t *testing.T, to database.Location, file string) (*Restore, error) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	a, err := NewReader(f)
	if err != nil {
		return nil, err
	}
	t.Cleanup(a.Close)
	m, err := a.Manifest()
	if err != nil {
		return nil, err
	}
	r := &Restore{
		To: to, Archive: a, Manifest: m, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Progress: func(int64, int64) {},
	}
	return r, r.Run(t.Context())
}

// filledFolder returns a data folder with records and two files.
func filledFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, databaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	putRecords(t, db, 3000)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"key": strings.Repeat("k", 32), attachments.FileName(77): "a picture"} {
		file := filepath.Join(dir, attachmentsFolder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// allRows returns the rows of all tables of the SQLite database in a folder, with their types.
func allRows(t *testing.T, dir string) map[string][]store.Row {
	t.Helper()
	s, err := sqlite.OpenSnapshot(filepath.Join(dir, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]store.Row{}
	for _, table := range store.Tables() {
		err := s.Query(table.Select(), nil, func(row store.Row) error {
			all[table.Name] = append(all[table.Name], append(store.Row(nil), row...))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestBackupMovesBetweenEngines(t *testing.T) {
	t.Parallel()
	dir, url := filledFolder(t), emptyPostgres(t)
	work := t.TempDir()
	first, second, shared := filepath.Join(work, "1"), filepath.Join(work, "2"), filepath.Join(work, "attachments")
	there := database.Location{Postgres: url, Attachments: shared}
	if err := save(t, folder(dir), first); err != nil {
		t.Fatal(err)
	}
	restored, err := restore(t, there, first)
	if err != nil {
		t.Fatal(err)
	}
	if restored.Files != 2 {
		t.Errorf("%d files restored, want 2", restored.Files)
	}
	if _, err := restore(t, database.Location{Postgres: url}, first); !errors.Is(err, ErrHasData) {
		t.Errorf("a restore into a database with records = %v, want %v", err, ErrHasData)
	}
	back := filepath.Join(work, "back")
	if err := save(t, there, second); err != nil {
		t.Fatal(err)
	}
	if restored, err = restore(t, folder(back), second); err != nil || restored.Files != 2 {
		t.Fatalf("restore: %v, %+v", err, restored)
	}
	want := allRows(t, dir)
	if len(want["users"]) != 3000 || len(want["subjects"]) == 0 {
		t.Fatalf("the test has %d users and %d subjects", len(want["users"]), len(want["subjects"]))
	}
	if diff := cmp.Diff(want, allRows(t, back)); diff != "" {
		t.Errorf("rows after SQLite, PostgreSQL, SQLite (-want +got):\n%.2000s", diff)
	}
	for _, name := range []string{"key", attachments.FileName(77)} {
		want, _ := os.ReadFile(filepath.Join(dir, attachmentsFolder, name))
		got, err := os.ReadFile(filepath.Join(back, attachmentsFolder, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("attachment %s = %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	dir, back, file := filledFolder(t), t.TempDir(), filepath.Join(t.TempDir(), "backup")
	if err := save(t, folder(dir), file); err != nil {
		t.Fatal(err)
	}
	if err := save(t, folder(dir), file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a backup to a file that exists = %v, want %v", err, fs.ErrExist)
	}
	if _, err := restore(t, folder(back), file); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(allRows(t, dir), allRows(t, back)); diff != "" {
		t.Errorf("rows (-want +got):\n%.2000s", diff)
	}
	if _, err := restore(t, folder(back), file); !errors.Is(err, ErrHasData) {
		t.Errorf("a restore into a folder with data = %v, want %v", err, ErrHasData)
	}
}

func TestRestoreOfDamagedBackup(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	file := filepath.Join(work, "backup")
	if err := save(t, folder(filledFolder(t)), file); err != nil {
		t.Fatal(err)
	}
	intact, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damage := map[string][]byte{
		"empty": nil, "half": intact[:len(intact)/2], "without its end": intact[:len(intact)-4], "other file": []byte("hello"),
	}
	for _, at := range []int{20, len(intact) / 3, len(intact) / 2, len(intact) - 40} {
		b := bytes.Clone(intact)
		b[at] ^= 1
		damage[fmt.Sprint("bit at ", at)] = b
	}
	for name, content := range damage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, target := filepath.Join(t.TempDir(), "damaged"), t.TempDir()
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := restore(t, folder(target), file); err == nil {
				t.Error("the restore of a damaged backup succeeds")
			}
			if left, err := os.ReadDir(target); err != nil || len(left) > 0 {
				t.Errorf("the failed restore leaves %v, %v", left, err)
			}
		})
	}
}
