package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/commandfile"
)

// commandsOptions are the subcommands of "bellhop commands".
type commandsOptions struct {
	Lint   commandsLint   `cmd:"" help:"Report every fault of a file of command definitions."`
	Diff   commandsDiff   `cmd:"" help:"Show what pushing a file would change."`
	Push   commandsPush   `cmd:"" help:"Make a service have the commands of a file."`
	Pull   commandsPull   `cmd:"" help:"Write the commands of a service to a file."`
	Schema commandsSchema `cmd:"" help:"Print the JSON Schema of the file format, for editors."`
}

type commandsLint struct {
	File  string `arg:"" type:"path" help:"JSON or YAML: a list of command definitions, a single one, or an object with a list as its commands."`
	Guild bool   `env:"-" help:"Judge the definitions as commands of a guild."`
}

var errFaults = errors.New("the definitions have faults")

// Run reports the faults, one a line.
func (o commandsLint) Run(s streams) error {
	file, err := readDefinitions(o.File)
	if err != nil {
		return err
	}
	faults, commands := file.Lint(command.Env{
		Guild: o.Guild, Embedded: true,
		Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall},
	})
	if err := printFaults(s, faults); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %d commands, no faults\n", o.File, commands)
	return err
}

type commandsSchema struct{}

// Run prints the schema.
func (commandsSchema) Run(s streams) error {
	_, err := s.out.Write(commandfile.Schema)
	return err
}

func readDefinitions(name string) (*commandfile.File, error) {
	data, err := os.ReadFile(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	file, fault := commandfile.Read(name, data)
	if fault != nil {
		return nil, errors.New(fault.String())
	}
	return file, nil
}

// printFaults prints faults, one a line, and returns an error when there are any.
func printFaults(s streams, faults []commandfile.Fault) error {
	p := printer{out: s.err}
	for _, f := range faults {
		p.line("%s", f)
	}
	if p.err == nil && len(faults) > 0 {
		return errFaults
	}
	return p.err
}
