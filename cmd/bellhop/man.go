package main

import (
	"io"

	"github.com/alecthomas/kong"
	"github.com/bellhop/bellhop/internal/tools/usage"
)

// manOptions are the flags of "bellhop man".
type manOptions struct{}

// Run prints the manual page in the format of man(7).
func (manOptions) Run(k *kong.Kong, s streams) error {
	_, err := io.WriteString(s.out, usage.Manual(k.Model, version, date))
	return err
}
