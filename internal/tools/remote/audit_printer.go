package remote

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
)

// AuditPrinter prints entries as lines of JSON or as a table.
type AuditPrinter struct {
	Out    io.Writer
	Format string // table, json or yaml

	begun bool // the head of the table is printed
}

// Print prints entries. Before the first ones, a table has its head.
func (p *AuditPrinter) Print(list ...AuditEntry) error {
	if p.Format != "table" {
		for _, e := range list {
			text, err := json.Marshal(e)
			if err == nil && p.Format == "yaml" {
				text, err = yaml.JSONToYAML(slices.Concat([]byte("["), text, []byte("]")))
			}
			if err == nil {
				_, err = fmt.Fprintf(p.Out, "%s\n", bytes.TrimSuffix(text, []byte("\n")))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(p.Out, 20, 0, 2, ' ', 0)
	if !p.begun {
		p.begun = true
		fmt.Fprintln(table, "TIME\tACTOR\tADDRESS\tACTION\tTARGET\tCHANGES")
	}
	for _, e := range list {
		actor := e.Actor
		if e.Via != "" {
			actor += " via " + e.Via
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n",
			e.Time.Format(time.RFC3339), actor, e.Address, e.Action, e.Target, e.Changes())
	}
	return table.Flush()
}
