package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/definitions"
)

// commandsOptions are the subcommands of "bellhop commands".
type commandsOptions struct {
	Lint commandsLint `cmd:"" help:"Report every fault of a file of command definitions."`
}

type commandsLint struct {
	File  string `arg:"" type:"path" help:"JSON or YAML: a list of command definitions, or a single one."`
	Guild bool   `help:"Judge the definitions as commands of a guild."`
}

var errFaults = errors.New("the definitions have faults")

// Run reports the faults, one a line.
func (o commandsLint) Run(s streams) error {
	data, err := os.ReadFile(o.File)
	if err != nil {
		return err
	}
	file, fault := definitions.Read(o.File, data)
	if fault != nil {
		return errors.New(fault.String())
	}
	faults, commands := file.Lint(command.Env{
		Guild: o.Guild, Embedded: true,
		Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall},
	})
	p := printer{out: s.err}
	for _, f := range faults {
		p.line("%s", f)
	}
	if p.err != nil {
		return p.err
	}
	if len(faults) > 0 {
		return errFaults
	}
	_, err = fmt.Fprintf(s.out, "%s: %d commands, no faults\n", o.File, commands)
	return err
}
