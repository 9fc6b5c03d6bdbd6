package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/tools/definitions"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// commandsOptions are the subcommands of "bellhop commands".
type commandsOptions struct {
	Lint   commandsLint   `cmd:"" help:"Check a file of command definitions."`
	List   commandsList   `cmd:"" help:"List the registered commands."`
	Diff   commandsDiff   `cmd:"" help:"Show what pushing a file would change."`
	Push   commandsPush   `cmd:"" help:"Register the commands of a file."`
	Pull   commandsPull   `cmd:"" help:"Write the registered commands to a file."`
	Schema commandsSchema `cmd:"" help:"Print the JSON Schema of the file format, for editors."`
}

type commandsLint struct {
	File  string `arg:"" type:"path" help:"JSON or YAML: a list of command definitions, a single definition, or an object with the list in its member \"commands\"."`
	Guild bool   `env:"-" help:"Check the definitions as guild commands."`
}

var errFaults = errors.New("the definitions have faults")

// Run prints the findings, one per line.
func (o commandsLint) Run(s streams) error {
	file, err := readDefinitions(o.File)
	if err != nil {
		return err
	}
	if err := printFindings(s, o.File, file.Lint(definitions.Permissive(o.Guild))); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %s, no faults\n", files.Shown(o.File), terminal.Plural(file.Len(), "command"))
	return err
}

type commandsSchema struct{}

// Run prints the schema.
func (commandsSchema) Run(s streams) error {
	_, err := s.out.Write(command.Schema)
	return err
}

func readDefinitions(name string) (*command.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file, syntax := command.ParseFile(name, data)
	if syntax != nil {
		return nil, fmt.Errorf("%s:%s", files.Shown(name), syntax)
	}
	return file, nil
}

// printFindings prints findings, one per line, and returns an error if there are any.
func printFindings(s streams, file string, findings []command.Finding) error {
	p := terminal.Printer{Out: s.err}
	for _, f := range findings {
		p.Line("%s:%s", files.Shown(file), f)
	}
	if p.Err == nil && len(findings) > 0 {
		return errFaults
	}
	return p.Err
}
