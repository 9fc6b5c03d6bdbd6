package main

import (
	"fmt"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/docsite"
)

// docsOptions are the flags of "bellhop docs".
type docsOptions struct {
	Output string `short:"o" required:"" type:"path" placeholder:"FOLDER" help:"Folder for the pages. Existing pages are replaced."`
}

// Run writes the pages.
func (o docsOptions) Run(s streams) error {
	pages, size, err := docsite.Write(bellhop.Documentation, o.Output)
	if err != nil {
		return fmt.Errorf("write the documentation: %w", err)
	}
	_, err = fmt.Fprintf(s.out, "wrote %d pages, %d KiB, to %s\n", pages, size>>10, o.Output)
	return err
}
