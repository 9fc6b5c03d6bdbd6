package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/permission"
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
	have, err := registered(ctx, c, scope)
	if err != nil {
		return err
	}
	l := list{header: []string{"COMMAND", "ID", "OPTIONS", "PERMISSIONS", "DESCRIPTION"}}
	raw := []jsontext.Value{}
	for _, h := range have {
		v, err := jsonbody.Parse(h.raw)
		if err != nil {
			return err
		}
		raw = append(raw, h.raw)
		l.rows = append(l.rows, []string{
			title(h.Type, h.Name), h.ID.String(), strconv.Itoa(len(v.Get("options").Items())),
			namePermissions(v.Get("default_member_permissions").Text()), v.Get("description").Text(),
		})
	}
	l.value = raw
	return o.print(s, l)
}

// namePermissions returns the names of the permissions in the decimal form of a bit set. A text without a number, such as
// null, means that everyone has access, and no bit means administrators only.
func namePermissions(decimal string) string {
	bits, err := permission.ParseBits(strings.Trim(decimal, `"`))
	switch {
	case err != nil:
		return "everyone"
	case bits == 0:
		return "administrators"
	}
	return strings.Join(bits.Names(), ", ")
}
