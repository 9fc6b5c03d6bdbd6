package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// maxOfKind is the highest number of problems of one kind that are printed.
const maxOfKind = 20

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
	p := &problemPrinter{Printer: terminal.Printer{Out: s.out}, notes: s.err, kinds: map[string]int{}}
	d := &doctor.Data{Location: o.location(), Course: p, Sealer: sealer, Heads: heads, KeyFile: o.Encryption.file(o.Data)}
	err = d.Run(ctx)
	p.clear()
	if err != nil {
		return err
	}
	for kind, n := range p.kinds {
		if n > maxOfKind {
			p.Line("%s: %d more", kind, n-maxOfKind)
		}
	}
	if p.problems > 0 {
		p.Line("\n%s found.", terminal.Plural(p.problems, "problem"))
		return errors.Join(p.Err, exitCode(exitFailed))
	}
	p.Line("no problem found: %s, %s, %d s", terminal.Plural(d.Rows, "row"), terminal.Plural(d.Files, "file"), int(time.Since(began).Seconds()))
	return p.Err
}

// problemPrinter prints the problems of data. It implements doctor.Course.
type problemPrinter struct {
	terminal.Printer

	notes    io.Writer
	bar      *terminal.Progress // of the rows; nil: none was checked yet
	problems int
	kinds    map[string]int // problems of each kind
}

// Problem prints a problem and how to repair it.
func (p *problemPrinter) Problem(kind, where, repair string) {
	p.problems++
	if p.kinds[kind]++; p.kinds[kind] > maxOfKind {
		return
	}
	p.clear()
	p.Line("%s: %s\n  repair: %s", kind, terminal.Printable(where), repair)
}

// Note prints what is not checked.
func (p *problemPrinter) Note(text string) { fmt.Fprintln(p.notes, text) }

// Step shows how many rows are checked.
func (p *problemPrinter) Step(done, total int64) {
	if p.bar == nil {
		p.bar = terminal.NewProgress(p.notes, "rows")
	}
	p.bar.Step(done, total)
}

// Busy shows that a part of the check runs.
func (p *problemPrinter) Busy(part string, check func() error) error {
	p.clear()
	return terminal.Busy(p.notes, part, check)
}

// clear removes the progress of the rows.
func (p *problemPrinter) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
