package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bellhop/bellhop/internal/commandfile"
)

type commandsDiff struct {
	commandsScope `embed:""`

	File     string `arg:"" type:"path" help:"The file of definitions."`
	Prune    bool   `help:"Delete commands that the file does not have."`
	ExitCode int    `placeholder:"N" help:"Exit with N when there is something to change, so that a script can tell."`
}

// Run shows the plan.
func (o commandsDiff) Run(ctx context.Context, s streams) error {
	p, err := o.plan(ctx, s, o.File, o.Prune)
	if err != nil {
		return err
	}
	if err := p.plan.Show(s.out, p.price); err != nil {
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
	Prune  bool   `help:"Delete commands that the file does not have."`
	DryRun bool   `help:"Show the plan and change nothing."`
	Yes    bool   `short:"y" help:"Go ahead without asking."`
}

var errDeclined = errors.New("nothing was changed")

// Run shows the plan, asks, and makes the one call that changes everything or nothing.
func (o commandsPush) Run(ctx context.Context, s streams) error {
	p, err := o.plan(ctx, s, o.File, o.Prune)
	if err != nil {
		return err
	}
	if err := p.plan.Show(s.out, p.price); err != nil {
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
	list, err := p.client.OverwriteRaw(ctx, p.scope, p.plan.List)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "Done: the service has %d commands.\n", len(list))
	return err
}

// confirm asks a person. A script that says nothing has to say --yes.
func confirm(in io.Reader, out io.Writer) error {
	if _, err := fmt.Fprint(out, "\nGo ahead? Only \"yes\" will do: "); err != nil {
		return err
	}
	line, err := bufio.NewReader(in).ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		return usageError{errors.New("nobody answers: say --yes to go ahead without asking")}
	}
	if strings.TrimSpace(line) != "yes" {
		return errDeclined
	}
	return nil
}

type commandsPull struct {
	commandsScope `embed:""`

	File   string `arg:"" optional:"" type:"path" help:"The file to write, JSON or YAML by its name; without it JSON is printed."`
	Format string `enum:"json,yaml," default:"" help:"json or yaml, whatever the file's name."`
}

// Run writes the commands of the service.
func (o commandsPull) Run(ctx context.Context, s streams) error {
	c, scope, err := o.open()
	if err != nil {
		return err
	}
	have, err := registered(ctx, c, scope)
	if err != nil {
		return err
	}
	format := commandfile.FormatOf(o.File)
	switch o.Format {
	case "json":
		format = commandfile.JSON
	case "yaml":
		format = commandfile.YAML
	}
	text, err := commandfile.Write(have, format)
	if err != nil {
		return err
	}
	if o.File == "" {
		_, err = s.out.Write(text)
		return err
	}
	if err := os.WriteFile(o.File, text, 0o644); err != nil { //nolint:gosec // definitions are no secret
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %d commands\n", o.File, len(have))
	return err
}
