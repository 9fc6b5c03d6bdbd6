package main

import (
	"io"

	"github.com/alecthomas/kong"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/tools/usage"
)

// completionOptions are the arguments of "bellhop completion".
type completionOptions struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script of a shell.
func (o completionOptions) Run(s streams) error {
	_, err := io.WriteString(s.out, usage.Scripts[o.Shell])
	return err
}

// printCompletions prints the words that can complete the last of args, one per line.
func printCompletions(w io.Writer, app *kong.Application, args []string) error {
	p := terminal.Printer{Out: w}
	for _, word := range usage.Complete(app, args) {
		p.Line("%s", word)
	}
	return p.Err
}
