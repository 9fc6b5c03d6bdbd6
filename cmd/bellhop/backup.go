package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/bellhop/bellhop/internal/tools/backup"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// backupOptions are the flags of "bellhop backup".
type backupOptions struct {
	databaseOptions

	Output string `short:"o" type:"path" placeholder:"FILE" help:"File to write. It must not exist. Default: the standard output, which must not be a terminal."`

	WithKey    bool              `name:"with-encryption-key" help:"Put the encryption key into the backup, which then contains usable signing keys."`
	Encryption encryptionOptions `embed:"" prefix:"encryption-"`
}

// Run writes a backup. The service may run meanwhile: the backup contains every write that was acknowledged before.
func (o backupOptions) Run(ctx context.Context, s streams) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if o.Output == "" && terminal.IsTerminal(s.out) {
		return usageError{errors.New("name a file with -o, or send the standard output to a file or a program")}
	}
	bar := terminal.NewProgress(s.err, "backup")
	b := &backup.Backup{From: o.location(), Version: version, Now: time.Now(), Progress: bar.Step}
	if o.WithKey {
		o.Encryption.KeyFile = o.Encryption.file(o.Data)
		if b.Key, err = o.Encryption.read(); err == nil && b.Key == "" {
			err = errors.New("--with-encryption-key: there is no encryption key")
		}
		if err != nil {
			return err
		}
	}
	if err := b.Open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if o.Output == "" {
		err = b.Write(ctx, s.out)
	} else {
		err = backup.WriteFile(o.Output, func(w io.Writer) error { return b.Write(ctx, w) })
	}
	bar.Clear()
	if err != nil {
		return err
	}
	if b.From.Attachments == "" {
		fmt.Fprintln(s.err, "bellhop: the backup contains no attachments: name their folder with --attachments")
	}
	fmt.Fprintf(s.err, "backup complete: %s, %s\n", terminal.Plural(b.Rows, "row"), terminal.Plural(b.Files, "file"))
	if b.Damaged > 0 {
		return fmt.Errorf("the backup contains %s: run bellhop doctor", terminal.Plural(b.Damaged, "damaged row"))
	}
	return nil
}
