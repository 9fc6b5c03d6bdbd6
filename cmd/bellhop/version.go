package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionOptions are the flags of "bellhop version".
type versionOptions struct{}

// Run prints the version, the revision and the version of Go.
func (versionOptions) Run(s streams) error {
	revision := "unknown revision"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				revision = setting.Value
			}
		}
	}
	_, err := fmt.Fprintf(s.out, "bellhop %s (%s, %s)\n", version, revision, runtime.Version())
	return err
}
