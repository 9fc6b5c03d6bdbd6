package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/google/go-cmp/cmp"
)

// bellhop runs a command that must have the given exit code, and returns what it prints.
func bellhop(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	if got := run(t.Context(), args, &out, &err); got != code {
		t.Fatalf("bellhop %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, &out, &err)
	}
	return out.String(), err.String()
}

// filledFolder returns a data folder with records and two files.
func filledFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, server.DatabaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	putRecords(t, db, 3000)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"key": strings.Repeat("k", 32), server.AttachmentName(77): "a picture"} {
		file := filepath.Join(dir, server.AttachmentsFolder, filepath.FromSlash(name))
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
	s, err := sqlite.OpenSnapshot(filepath.Join(dir, server.DatabaseFile))
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
	bellhop(t, exitOK, "backup", "--data", dir, "-o", first)
	bellhop(t, exitOK, "restore", "--postgres", url, "--attachments", shared, first)
	if _, text := bellhop(t, exitFailed, "restore", "--postgres", url, first); !strings.Contains(text, "contains data") {
		t.Errorf("a restore into a database with records prints %q", text)
	}
	bellhop(t, exitOK, "backup", "--postgres", url, "--attachments", shared, "-o", second)
	back := filepath.Join(work, "back")
	if out, _ := bellhop(t, exitOK, "restore", "--data", back, second); !strings.Contains(out, "2 files") {
		t.Errorf("restore prints %q", out)
	}
	want := allRows(t, dir)
	if len(want["users"]) != 3000 || len(want["subjects"]) == 0 {
		t.Fatalf("the test has %d users and %d subjects", len(want["users"]), len(want["subjects"]))
	}
	if diff := cmp.Diff(want, allRows(t, back)); diff != "" {
		t.Errorf("rows after SQLite, PostgreSQL, SQLite (-want +got):\n%.2000s", diff)
	}
	for _, name := range []string{"key", server.AttachmentName(77)} {
		want, _ := os.ReadFile(filepath.Join(dir, server.AttachmentsFolder, name))
		got, err := os.ReadFile(filepath.Join(back, server.AttachmentsFolder, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("attachment %s = %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestBackupToPipe(t *testing.T) {
	t.Parallel()
	dir := filledFolder(t)
	out, _ := bellhop(t, exitOK, "backup", "--data", dir)
	file := filepath.Join(t.TempDir(), "backup")
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	back := t.TempDir()
	bellhop(t, exitOK, "restore", "--data", back, file)
	if diff := cmp.Diff(allRows(t, dir), allRows(t, back)); diff != "" {
		t.Errorf("rows (-want +got):\n%.2000s", diff)
	}
	if _, text := bellhop(t, exitFailed, "restore", "--data", back, file); !strings.Contains(text, "contains data") {
		t.Errorf("a restore into a folder with data prints %q", text)
	}
	if _, text := bellhop(t, exitFailed, "backup", "--data", dir, "-o", file); !strings.Contains(text, "exists") {
		t.Errorf("a backup to a file that exists prints %q", text)
	}
}

func TestRestoreOfDamagedBackup(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	file := filepath.Join(work, "backup")
	bellhop(t, exitOK, "backup", "--data", filledFolder(t), "-o", file)
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
			bellhop(t, exitFailed, "restore", "--data", target, file)
			if left, err := os.ReadDir(target); err != nil || len(left) > 0 {
				t.Errorf("the failed restore leaves %v, %v", left, err)
			}
		})
	}
}
