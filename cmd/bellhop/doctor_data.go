package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/tools/doctor"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// doctorData are the flags of "bellhop doctor" without a subcommand.
type doctorData struct {
	databaseOptions

	Encryption encryptionOptions `embed:"" prefix:"encryption-"`
	AuditHead  []string          `placeholder:"HEAD" help:"Head of the audit log that bellhop audit --head printed before: report when the log no longer contains what it contained then."`
}

// doctorKinds says what there is to check.
const doctorKinds = `say what to check:
  bellhop doctor app               why a bot does not answer: token, clock, commands, permissions, endpoint
  bellhop doctor data --data DIR   whether the database and the attachments of a service are sound`

// Run checks the data of a service, which may be running. It changes nothing.
func (o doctorData) Run(ctx context.Context, s streams) (err error) {
	if o.Data == "" && o.Postgres == "" && o.Attachments == "" {
		return usageError{errors.New(doctorKinds)}
	}
	if err := o.check(); err != nil {
		return err
	}
	sealer, err := o.Encryption.sealer(o.Data)
	if err != nil {
		return err
	}
	heads := make([]audit.Head, len(o.AuditHead))
	for i, text := range o.AuditHead {
		if heads[i], err = audit.ParseHead(text); err != nil {
			return usageError{fmt.Errorf("--audit-head %s: %w", text, err)}
		}
	}
	began := time.Now()
	p := doctor.NewPrinter(s.out, s.err)
	d := &doctor.Data{Location: o.location(), Course: p, Sealer: sealer, Heads: heads, KeyFile: o.Encryption.file(o.Data)}
	err = d.Run(ctx)
	p.Clear()
	if err != nil {
		return err
	}
	if err := p.Summary(); err != nil {
		return err
	}
	if p.Problems > 0 {
		return exitCode(exitFailed)
	}
	_, err = fmt.Fprintf(s.out, "no problem found: %s, %s, %d s\n", terminal.Plural(d.Rows, "row"), terminal.Plural(d.Files, "file"), int(time.Since(began).Seconds()))
	return err
}
