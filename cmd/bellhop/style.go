package main

import (
	"io"
	"os"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// newStyle returns the style of a stream. The environment can turn colours off.
func newStyle(w io.Writer) terminal.Style { return terminal.NewStyle(w, os.Getenv) }

// newProgress returns the progress of a task that starts now.
func newProgress(out io.Writer, label string) *terminal.Progress {
	return terminal.NewProgress(out, label)
}
