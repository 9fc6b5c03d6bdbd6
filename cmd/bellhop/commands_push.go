package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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
	if err := p.plan.Show(s.out, p.losses); err != nil {
		return err
	}
	if o.ExitCode != 0 && !p.plan.Empty() {
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
	if err := p.plan.Show(s.out, p.losses); err != nil {
		return err
	}
	if o.DryRun || p.plan.Empty() {
		return nil
	}
	if !o.Yes {
		if err := confirm(os.Stdin, s.out); err != nil {
			return err
		}
	}
	var now int
	err = terminal.Busy(s.err, "Pushing "+terminal.Plural(len(p.plan.List), "command"), func() error {
		list, err := p.client.OverwriteRaw(ctx, p.scope, p.plan.List)
		now = len(list)
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
	if _, err := fmt.Fprint(out, "\nApply? Type \"yes\" to continue: "); err != nil {
		return err
	}
	line, err := bufio.NewReader(in).ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		return usageError{errors.New("no answer on standard input: use --yes to push without confirmation")}
	}
	if strings.TrimSpace(line) != "yes" {
		return errDeclined
	}
	return nil
}
