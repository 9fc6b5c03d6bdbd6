package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/tools/database"
)

// WriteFile creates a file with the content that write writes. The file does not exist before the content is complete
// and on disk.
func WriteFile(name string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	partial := name + ".partial"
	f, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		return os.Rename(partial, name)
	}
	return errors.Join(err, os.Remove(partial))
}

// Backup writes one backup. From, Version, Now and Progress are required.
type Backup struct {
	From     database.Location
	Version  string // of the program
	Now      time.Time
	Progress func(done, total int64)
	// Key has the encryption keys that the backup contains; empty: none.
	Key auth.Secret

	// Rows and Files count the content of the backup. Damaged counts the rows with a wrong checksum.
	Rows, Files, Damaged int64

	snapshot store.Snapshot
	archive  *archiveWriter
	total    int64
}

// Open opens a snapshot of the database. The caller closes it.
func (b *Backup) Open(ctx context.Context) (err error) {
	b.snapshot, err = b.From.Snapshot(ctx)
	return err
}

// Close closes the snapshot.
func (b *Backup) Close() error { return b.snapshot.Close() }

// Write writes the backup. It contains every write that was acknowledged before Open. Without a folder of attachments it
// contains none.
func (b *Backup) Write(ctx context.Context, w io.Writer) (err error) {
	if b.archive, err = newArchiveWriter(w, b.Now); err != nil {
		return err
	}
	m, err := b.describe()
	if err != nil {
		return err
	}
	if err := b.archive.addJSON(manifestEntry, m); err != nil {
		return err
	}
	b.total = m.rows()
	for _, t := range store.Tables() {
		if err := b.table(ctx, t); err != nil {
			return fmt.Errorf("back up table %s: %w", t.Name, err)
		}
	}
	if dir := b.From.Attachments; dir != "" {
		if err := b.attachmentFiles(ctx, dir); err != nil {
			return fmt.Errorf("back up attachments: %w", err)
		}
	}
	if key := b.Key.Reveal(); key != "" {
		if err := b.archive.add(keyEntry, int64(len(key)), strings.NewReader(key)); err != nil {
			return err
		}
	}
	return b.archive.close(b.Rows, b.Files)
}

// describe returns the manifest.
func (b *Backup) describe() (*Manifest, error) {
	schema, err := store.SchemaOf(b.snapshot)
	if err != nil {
		return nil, err
	}
	m := &Manifest{Format: archiveFormat, Version: b.Version, Schema: schema, Engine: b.From.Engine(), Created: b.archive.now.UTC()}
	for _, t := range store.Tables() {
		n, err := database.Count(b.snapshot, t.Name)
		if err != nil {
			return nil, err
		}
		m.Tables = append(m.Tables, Table{t.Name, t.All(), n})
	}
	return m, nil
}

// table writes the rows of a table.
func (b *Backup) table(ctx context.Context, t store.Table) error {
	var chunk []byte
	chunks := 0
	flush := func() error {
		chunks++
		name := path.Join(tablesPrefix+t.Name, strconv.Itoa(chunks))
		err := b.archive.add(name, int64(len(chunk)), bytes.NewReader(chunk))
		chunk = chunk[:0]
		return err
	}
	err := b.snapshot.Query(t.Select(), nil, func(row store.Row) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !t.Intact(row) {
			b.Damaged++
		}
		chunk = appendRow(chunk, row)
		b.Rows++
		b.Progress(b.Rows, b.total)
		if len(chunk) < chunkSize {
			return nil
		}
		return flush()
	})
	if err == nil && len(chunk) > 0 {
		err = flush()
	}
	return err
}

// attachmentFiles writes the files of messages. A file that a message of the snapshot refers to is on disk, unless the
// message was deleted after the snapshot began.
func (b *Backup) attachmentFiles(ctx context.Context, dir string) error {
	return attachments.WalkFiles(ctx, dir, func(name string) error {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // opened for reading
		info, err := f.Stat()
		if err != nil {
			return err
		}
		b.Files++
		return b.archive.add(filesPrefix+name, info.Size(), f)
	})
}
