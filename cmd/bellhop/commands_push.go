package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

type commandsDiff struct {
	commandsScope `embed:""`

	File     string `arg:"" type:"path" help:"The file of definitions."`
	Prune    bool   `help:"Delete commands that are not in the file."`
	ExitCode int    `placeholder:"N" help:"Exit with code N if a push would change something."`
}

// Run shows the plan.
func (o commandsDiff) Run(ctx context.Context, s streams) error {
	p, err := o.plan(ctx, s, o.File, o.Prune)
	if err != nil {
		return err
	}
	if err := p.Show(s.out, p.Losses); err != nil {
		return err
	}
	if o.ExitCode != 0 && !p.Empty() {
		return exitCode(o.ExitCode)
	}
	return nil
}

type commandsPush struct {
	commandsScope `embed:""`

	File   string `arg:"" type:"path" help:"The file of definitions."`
	Prune  bool   `help:"Delete commands that are not in the file."`
	DryRun bool   `help:"Show the plan and change nothing."`
	Yes    bool   `short:"y" help:"Do not ask for confirmation."`
}

var errDeclined = errors.New("nothing was changed")

// Run shows the plan, asks for confirmation, and replaces all commands with one request.
func (o commandsPush) Run(ctx context.Context, s streams) error {
	p, err := o.plan(ctx, s, o.File, o.Prune)
	if err != nil {
		return err
	}
	if err := p.Show(s.out, p.Losses); err != nil {
		return err
	}
	if o.DryRun || p.Empty() {
		return nil
	}
	if !o.Yes {
		if err := confirm(os.Stdin, s.out); err != nil {
			return err
		}
	}
	var now int
	err = terminal.Busy(s.err, "Pushing "+terminal.Plural(len(p.List), "command"), func() (err error) {
		now, err = p.Send(ctx)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "Done: the service has %s.\n", terminal.Plural(now, "command"))
	return err
}

// confirm asks for confirmation. It fails if there is no input, for instance in a script without --yes.
func confirm(in io.Reader, out io.Writer) error {
	switch answer, err := terminal.Ask(in, out, "\nApply? Type \"yes\" to continue: "); {
	case errors.Is(err, io.EOF):
		return usageError{errors.New("no answer on standard input: use --yes to push without confirmation")}
	case err != nil:
		return err
	case answer != "yes":
		return errDeclined
	}
	return nil
}
