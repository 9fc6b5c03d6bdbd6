package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// outputOptions is the format of a list.
type outputOptions struct {
	Output string `short:"o" enum:"table,json,yaml" default:"table" env:"-" help:"Format of the list: table, json or yaml."`
}

// list is the output of a subcommand that lists records: rows for people, and a value for programs.
type list struct {
	header []string
	rows   [][]string
	value  any // becomes JSON or YAML
}

// print prints a list in the format of the flag.
func (o outputOptions) print(s streams, l list) error {
	if o.Output == "table" || o.Output == "" {
		table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, strings.Join(l.header, "\t"))
		for _, row := range l.rows {
			fmt.Fprintln(table, joinCells(row))
		}
		return table.Flush()
	}
	text, err := json.Marshal(l.value, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if o.Output == "yaml" {
		if text, err = yaml.JSONToYAML(text); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.out, "%s\n", strings.TrimSuffix(string(text), "\n"))
	return err
}

// printValue prints a value as JSON with one member per line.
func printValue(s streams, value any) error {
	text, err := json.Marshal(value, jsontext.WithIndent("  "), json.Deterministic(true))
	if err == nil {
		_, err = fmt.Fprintf(s.out, "%s\n", text)
	}
	return err
}

// joinCells joins the cells of a row.
func joinCells(row []string) string {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = terminal.Printable(cell)
	}
	return strings.Join(cells, "\t")
}

// newStyle returns the style of a stream. The environment can turn colours off.
func newStyle(w io.Writer) terminal.Style { return terminal.NewStyle(w, os.Getenv) }
