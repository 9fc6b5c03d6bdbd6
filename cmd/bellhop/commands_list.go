package main

import (
	"context"

	"github.com/bellhop/bellhop/internal/tools/definitions"
	"github.com/go-json-experiment/json/jsontext"
)

type commandsList struct {
	commandsScope `embed:""`
	outputOptions `embed:""`
}

// Run lists the registered commands.
func (o commandsList) Run(ctx context.Context, s streams) error {
	c, scope, err := o.open()
	if err != nil {
		return err
	}
	have, err := definitions.Read(ctx, c, scope)
	if err != nil {
		return err
	}
	l := list{header: []string{"COMMAND", "ID", "OPTIONS", "PERMISSIONS", "DESCRIPTION"}}
	raw := []jsontext.Value{}
	for _, h := range have {
		row, err := h.Row()
		if err != nil {
			return err
		}
		raw, l.rows = append(raw, h.Raw), append(l.rows, row)
	}
	l.value = raw
	return o.print(s, l)
}
