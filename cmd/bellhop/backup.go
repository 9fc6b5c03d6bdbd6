package main

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
	"time"

	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// backupOptions are the flags of "bellhop backup".
type backupOptions struct {
	databaseOptions

	Output string `short:"o" type:"path" placeholder:"FILE" help:"File to write. It must not exist. Default: the standard output, which must not be a terminal."`
}

// Run writes a backup. The service may run meanwhile: the backup contains every write that was acknowledged before.
func (o backupOptions) Run(ctx context.Context, s streams) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if o.Output == "" && terminal.IsTerminal(s.out) {
		return usageError{errors.New("name a file with -o, or send the standard output to a file or a program")}
	}
	snapshot, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	b := &backup{databaseOptions: o.databaseOptions, snapshot: snapshot, streams: s}
	if o.Output == "" {
		err = b.write(ctx, s.out)
	} else {
		err = writeBackup(o.Output, func(w io.Writer) error { return b.write(ctx, w) })
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.err, "backup complete: %s, %s\n", terminal.Plural(b.rows, "row"), terminal.Plural(b.files, "file"))
	if b.damaged > 0 {
		return fmt.Errorf("the backup contains %s: run bellhop doctor", terminal.Plural(b.damaged, "damaged row"))
	}
	return nil
}

// writeBackup creates a file with the content that write writes. The file does not exist before the content is complete
// and on disk.
func writeBackup(name string, write func(io.Writer) error) (err error) {
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

// backup writes one backup.
type backup struct {
	databaseOptions
	streams

	snapshot store.Snapshot
	archive  *archiveWriter

	rows, files, damaged int64
	bar                  *terminal.Progress
	total                int64
}

func (b *backup) write(ctx context.Context, w io.Writer) (err error) {
	if b.archive, err = newArchiveWriter(w, time.Now()); err != nil {
		return err
	}
	m, err := b.describe()
	if err != nil {
		return err
	}
	if err := b.archive.addJSON(manifestEntry, m); err != nil {
		return err
	}
	b.bar, b.total = newProgress(b.err, "backup"), m.rows()
	defer b.bar.Clear()
	for _, t := range store.Tables() {
		if err := b.table(ctx, t); err != nil {
			return fmt.Errorf("back up table %s: %w", t.Name, err)
		}
	}
	if dir := b.attachments(); dir != "" {
		if err := b.attachmentFiles(ctx, dir); err != nil {
			return fmt.Errorf("back up attachments: %w", err)
		}
	} else {
		fmt.Fprintln(b.err, "bellhop: the backup contains no attachments: name their folder with --attachments")
	}
	return b.archive.close(b.rows, b.files)
}

// describe returns the manifest.
func (b *backup) describe() (*manifest, error) {
	schema, err := store.SchemaOf(b.snapshot)
	if err != nil {
		return nil, err
	}
	m := &manifest{Format: archiveFormat, Version: version, Schema: schema, Engine: b.engine(), Created: b.archive.now.UTC()}
	for _, t := range store.Tables() {
		n, err := count(b.snapshot, t.Name)
		if err != nil {
			return nil, err
		}
		m.Tables = append(m.Tables, manifestTable{t.Name, t.All(), n})
	}
	return m, nil
}

// count returns the number of rows of a table.
func count(q store.Querier, table string) (n int64, err error) {
	err = q.Query("SELECT COUNT(*) FROM "+table, nil, func(row store.Row) error {
		n, _ = row[0].(int64)
		return nil
	})
	return n, err
}

// table writes the rows of a table.
func (b *backup) table(ctx context.Context, t store.Table) error {
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
			b.damaged++
		}
		chunk = appendRow(chunk, row)
		b.rows++
		b.bar.Step(b.rows, b.total)
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
func (b *backup) attachmentFiles(ctx context.Context, dir string) error {
	return server.WalkAttachments(ctx, dir, func(name string) error {
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
		b.files++
		return b.archive.add(filesPrefix+name, info.Size(), f)
	})
}
