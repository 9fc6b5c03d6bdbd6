package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionOptions are the flags of "bellhop version".
type versionOptions struct{}

// Run prints the version.
func (versionOptions) Run(s streams) error {
	_, err := fmt.Fprintln(s.out, versionText())
	return err
}

// versionText returns the version, the revision and the version of Go.
func versionText() string {
	revision := "unknown revision"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				revision = setting.Value
			}
		}
	}
	return fmt.Sprintf("bellhop %s (%s, %s)", version, revision, runtime.Version())
}
