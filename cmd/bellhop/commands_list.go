package main

import (
	"context"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
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
		v, err := jsonbody.Parse(h.Raw)
		if err != nil {
			return err
		}
		raw = append(raw, h.Raw)
		l.rows = append(l.rows, []string{
			definitions.Title(h.Type, h.Name), h.ID.String(), strconv.Itoa(len(v.Get("options").Items())),
			definitions.NamePermissions(v.Get("default_member_permissions").Text()), v.Get("description").Text(),
		})
	}
	l.value = raw
	return o.print(s, l)
}
