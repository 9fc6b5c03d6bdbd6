package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
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
	_, err := fmt.Fprintln(s.out, versionText())
	return err
}

// versionText returns the version, the commit, its date and the version of Go.
func versionText() string {
	if commit != "" {
		return formatVersion(version, commit, date)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return formatVersion(version, "", "")
	}
	revision, time := vcsSettings(info.Settings)
	return formatVersion(version, revision, time)
}

// vcsSettings returns the revision and its time from the build information of a binary. A revision with changes that are
// not committed ends with "+changes".
func vcsSettings(settings []debug.BuildSetting) (revision, time string) {
	var changes string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.time":
			time = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	return revision + changes, time
}

// formatVersion returns the line that "bellhop version" prints. It leaves out what is unknown.
func formatVersion(version, commit, date string) string {
	var about []string
	if commit != "" {
		about = append(about, "commit "+commit)
	}
	if date != "" {
		about = append(about, date)
	}
	return fmt.Sprintf("bellhop %s (%s)", version, strings.Join(append(about, runtime.Version()), ", "))
}
