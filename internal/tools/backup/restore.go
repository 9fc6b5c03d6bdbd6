package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/tools/database"
)

// ErrHasData means that the place to restore to contains data.
var ErrHasData = errors.New("contains data: restore into an empty folder or database")

// Restore restores one backup. All exported fields above KeyFile are required.
type Restore struct {
	To       database.Location
	Archive  *Reader
	Manifest *Manifest // of Archive
	Clock    clock.Clock
	Log      *slog.Logger
	Progress func(done, total int64)

	// KeyFile is the file for the encryption keys in the backup, if it has them; empty: they are dropped.
	KeyFile string
	// HasKey says that the backup has encryption keys.
	HasKey bool
	// Rows and Files count the content of the backup. Files are dropped if To has no folder for them.
	Rows, Files int64

	loader store.Loader
	key    []byte           // the encryption keys in the backup
	read   map[string]int64 // rows of each table
}

// Run restores the backup. When it fails, the folder or database is as empty as before.
func (r *Restore) Run(ctx context.Context) (err error) {
	knows, err := store.Schema()
	if err != nil {
		return err
	}
	if r.Manifest.Schema > knows {
		return fmt.Errorf("%w: the schema of the backup is %d, this version knows %d", store.ErrNewerSchema, r.Manifest.Schema, knows)
	}
	undo, err := r.open(ctx)
	if err != nil {
		return err
	}
	// Files are stored in a folder of their own first, so that a process that is killed leaves no half of them behind.
	dir := r.To.Attachments
	partial := filepath.Join(dir, partialFolder)
	_, missing := os.Stat(dir)
	if dir != "" {
		if err := os.RemoveAll(partial); err != nil {
			return errors.Join(err, r.loader.Close(), undo())
		}
	}
	err = r.entries(ctx, partial)
	if err == nil && dir != "" && r.Files > 0 {
		err = moveEntries(partial, dir)
	}
	if err == nil && r.key != nil && r.KeyFile != "" {
		err = auth.WriteNewFile(r.KeyFile, r.key)
	}
	if err == nil {
		err = r.loader.Commit()
	}
	err = errors.Join(err, r.loader.Close())
	if err != nil && dir != "" {
		err = errors.Join(err, removeEntries(dir)) // it was empty or missing
		if missing != nil {
			_ = os.Remove(dir) // without files it was not created
		}
	}
	if err != nil {
		err = errors.Join(err, undo())
	}
	return err
}

// open checks that the target is empty and opens the loader. undo removes what a failed restore leaves.
func (r *Restore) open(ctx context.Context) (undo func() error, err error) {
	if dir := r.To.Attachments; dir != "" {
		entries, _ := os.ReadDir(dir)
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != partialFolder }) {
			return nil, fmt.Errorf("%s %w", dir, ErrHasData)
		}
	}
	if r.To.Postgres != "" {
		if r.loader, err = postgres.OpenLoader(ctx, r.To.Postgres, r.Clock, r.Log); err != nil {
			return nil, err
		}
		if err := checkEmpty(ctx, r.To.Postgres); err != nil {
			return nil, errors.Join(err, r.loader.Close())
		}
		return func() error { return nil }, nil
	}
	file := r.To.File
	if _, err := os.Stat(file); err == nil {
		return nil, fmt.Errorf("%s %w", filepath.Dir(file), ErrHasData)
	}
	if r.loader, err = sqlite.OpenLoader(ctx, file, r.Clock, r.Log); err != nil {
		return nil, err
	}
	return func() error {
		var errs []error
		for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
			if err := os.Remove(file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	}, nil
}

// checkEmpty returns ErrHasData if the PostgreSQL database at url has records.
func checkEmpty(ctx context.Context, url string) (err error) {
	s, err := postgres.OpenSnapshot(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }() //nolint:contextcheck // uses the context of the snapshot
	for _, t := range store.Tables() {
		n, err := database.Count(s, t.Name)
		if err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("the table %s %w", t.Name, ErrHasData)
		}
	}
	return nil
}

// entries reads all entries after the manifest.
func (r *Restore) entries(ctx context.Context, files string) error {
	tables := map[string][]string{}
	for _, t := range r.Manifest.Tables {
		tables[t.Name] = t.Columns
	}
	known := map[string]bool{}
	for _, t := range store.Tables() {
		known[t.Name] = true
	}
	r.read = map[string]int64{}
	for ctx.Err() == nil {
		name, size, content, err := r.Archive.next()
		if err != nil {
			return err
		}
		kind, rest, _ := strings.Cut(name, "/")
		table, _, _ := strings.Cut(rest, "/")
		switch {
		case name == endEntry:
			return r.end(size, content)
		case kind+"/" == tablesPrefix && known[table] && tables[table] != nil:
			err = r.insert(table, tables[table], size, content)
		case kind+"/" == filesPrefix && attachments.IsFile(rest):
			err = r.storeFile(files, rest, size, content)
		case name == keyEntry:
			r.HasKey = true
			r.key, err = readAll(size, content)
		default:
			err = fmt.Errorf("%w: unknown entry %q", ErrDamaged, name)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// insert stores the rows of an entry.
func (r *Restore) insert(table string, columns []string, size int64, content io.Reader) error {
	b, err := readAll(size, content)
	if err != nil {
		return err
	}
	rows, err := readRows(b, len(columns))
	if err != nil {
		return err
	}
	if err := r.loader.Insert(table, columns, rows); err != nil {
		return err
	}
	r.Rows += int64(len(rows))
	r.read[table] += int64(len(rows))
	r.Progress(r.Rows, r.Manifest.rows())
	return nil
}

// storeFile stores one file of a message in a folder.
func (r *Restore) storeFile(dir, name string, size int64, content io.Reader) error {
	r.Files++
	if r.To.Attachments == "" {
		_, err := io.Copy(io.Discard, content)
		return err
	}
	target := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, content)
	if err == nil && n != size {
		err = ErrDamaged
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// end checks that the backup is complete.
func (r *Restore) end(size int64, content io.Reader) error {
	if err := r.Archive.verify(size, content, r.Rows, r.Files); err != nil {
		return err
	}
	for _, t := range r.Manifest.Tables {
		if r.read[t.Name] != t.Rows {
			return fmt.Errorf("%w: table %s has %d rows, the manifest says %d", ErrDamaged, t.Name, r.read[t.Name], t.Rows)
		}
	}
	return nil
}

// partialFolder is the folder for files until all of them are stored.
const partialFolder = ".partial"

// moveEntries moves all entries of a folder into another one, and removes the folder. The other one may be the root of a
// mounted file system, so it is not replaced.
func moveEntries(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// removeEntries removes everything in a folder.
func removeEntries(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}
