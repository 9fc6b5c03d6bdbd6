package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/bellhop/bellhop/internal/tools/definitions"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

type commandsPull struct {
	commandsScope `embed:""`

	File   string `arg:"" optional:"" type:"path" help:"The file to write. The extensions .yaml and .yml select YAML. Without a file, the commands are printed as JSON."`
	Format string `enum:"json,yaml," default:"" help:"json or yaml; overrides the extension of the file."`
}

// Run writes the commands of the service.
func (o commandsPull) Run(ctx context.Context, s streams) error {
	c, scope, err := o.open()
	if err != nil {
		return err
	}
	have, err := definitions.Read(ctx, c, scope)
	if err != nil {
		return err
	}
	asYAML := strings.HasSuffix(o.File, ".yaml") || strings.HasSuffix(o.File, ".yml")
	if o.Format != "" {
		asYAML = o.Format == "yaml"
	}
	text, err := definitions.Format(have, asYAML)
	if err != nil {
		return err
	}
	if o.File == "" {
		_, err = s.out.Write(text)
		return err
	}
	err = files.Create(o.File, func(w io.Writer) error { _, err := w.Write(text); return err })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %s\n", files.Shown(o.File), terminal.Plural(len(have), "command"))
	return err
}
