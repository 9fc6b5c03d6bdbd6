package main

import (
	"fmt"

	"github.com/bellhop/bellhop/internal/tools/usage"
)

// The linker sets these variables in a release. Otherwise version is dev, and the build information of the binary has the
// revision.
var (
	version = "dev"
	commit  string
	date    string
)

// versionOptions are the flags of "bellhop version".
type versionOptions struct{}

// Run prints the version.
func (versionOptions) Run(s streams) error {
	_, err := fmt.Fprintln(s.out, usage.Build{Version: version, Commit: commit, Date: date})
	return err
}
