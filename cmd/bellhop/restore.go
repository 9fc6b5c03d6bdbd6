package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/tools/backup"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// restoreOptions are the flags of "bellhop restore".
type restoreOptions struct {
	databaseOptions

	Encryption encryptionOptions `embed:"" prefix:"encryption-"`

	File string `arg:"" placeholder:"FILE" help:"Backup to read. A minus sign means the standard input."`
}

// Run restores a backup. When it fails, the folder or database is as empty as before.
func (o restoreOptions) Run(ctx context.Context, s streams) error {
	if err := o.check(); err != nil {
		return err
	}
	file := os.Stdin
	if o.File != "-" {
		var err error
		if file, err = os.Open(o.File); err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // opened for reading
	}
	archive, err := backup.NewReader(file)
	if err != nil {
		return err
	}
	defer archive.Close()
	m, err := archive.Manifest()
	if err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	log, queue := newLog(s.err)
	defer queue.Close()
	bar := terminal.NewProgress(s.err, "restore")
	r := &backup.Restore{To: o.location(), Archive: archive, Manifest: m, Clock: clock.System{}, Log: log, Progress: bar.Step}
	if file := filepath.Join(o.Data, auth.KeyFileName); o.Data != "" && o.Postgres == "" && o.Encryption.file(o.Data) == "" && o.Encryption.Key == "" {
		r.KeyFile = file
	}
	err = r.Run(ctx)
	bar.Clear()
	if err != nil {
		return fmt.Errorf("restore %s: %w", o.File, err)
	}
	if r.Files > 0 && r.To.Attachments == "" {
		fmt.Fprintf(s.err, "bellhop: %s not restored: name a folder with --attachments\n", terminal.Plural(r.Files, "file"))
	}
	if r.HasKey && r.KeyFile == "" {
		fmt.Fprintln(s.err, "bellhop: the encryption key in the backup is not restored")
	}
	if err := o.reportMissingKeys(ctx, s); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "restored %s and %s of %s from version %s\n", terminal.Plural(r.Rows, "row"), terminal.Plural(r.Files, "file"),
		m.Created.Format("2006-01-02 15:04:05 MST"), m.Version)
	return err
}

// reportMissingKeys says which encryption keys the restored data needs and the service does not have.
func (o restoreOptions) reportMissingKeys(ctx context.Context, s streams) error {
	sealer, err := o.Encryption.sealer(o.Data)
	if err != nil {
		return err
	}
	missing, err := o.location().MissingKeys(ctx, sealer)
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(s.err, "bellhop: %s encrypted with the key %s, which is not in the backup: put it into the file %s of the data folder, "+
			"or name it with --encryption-key-file\n", terminal.Plural(missing[name], "signing key"), name, auth.KeyFileName)
	}
	if errors.Is(err, store.ErrDamaged) {
		fmt.Fprintln(s.err, "bellhop: not all signing keys can be read: run bellhop doctor data")
		return nil
	}
	return err
}
