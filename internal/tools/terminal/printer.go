package terminal

import (
	"fmt"
	"io"
)

// Printer writes lines and keeps the first error.
type Printer struct {
	Out io.Writer
	Err error
}

// Line writes a line, unless an earlier one failed.
func (p *Printer) Line(format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p.Out, format+"\n", args...)
	}
}
