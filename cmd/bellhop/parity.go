package main

import (
	"fmt"

	"github.com/bellhop/bellhop/internal/rules/parity"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// parityOptions are the flags of "bellhop parity".
type parityOptions struct {
	JSON bool `name:"json" env:"-" help:"Print JSON, with the events and the intents of the gateway."`
}

// Run lists the operations of Discord's API, and whether this version serves them.
func (o parityOptions) Run(s streams) error {
	l := parity.All()
	n := l.Count()
	if o.JSON {
		return printValue(s, struct {
			Total  int `json:"total"`
			Served int `json:"served"`
			Part   int `json:"part"`
			Absent int `json:"absent"`
			parity.List
		}{len(l.Operations), n[parity.Served], n[parity.Part], n[parity.Absent], l})
	}
	fmt.Fprintf(s.out, "%d operations of Discord's API v10\n%d served, %d served in part, %d not served\n\n",
		len(l.Operations), n[parity.Served], n[parity.Part], n[parity.Absent])
	names := map[parity.State]string{parity.Served: "served", parity.Part: "in part", parity.Absent: "not served"}
	out := &terminal.Printer{Out: s.out}
	for _, op := range l.Operations {
		out.Line("%-10s  %s", names[op.State], terminal.Join(": ", op.Method+" "+op.Path, op.Note))
	}
	return out.Err
}
