package usage

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Build says what a binary was built from. Commit and Date are empty if the linker has not set them.
type Build struct {
	Version, Commit, Date string
}

// String returns the line that "bellhop version" prints: the version, the commit, its date and the version of Go. It leaves out what
// is unknown.
func (b Build) String() string {
	if b.Commit == "" {
		b.Date = ""
		if info, ok := debug.ReadBuildInfo(); ok {
			b = b.withSettings(info.Settings)
		}
	}
	return b.line()
}

// withSettings adds the revision and its time from the build information of a binary. A revision with changes that are not committed
// ends with "+changes".
func (b Build) withSettings(settings []debug.BuildSetting) Build {
	var changes string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value
		case s.Key == "vcs.time":
			b.Date = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	b.Commit += changes
	return b
}

func (b Build) line() string {
	var about []string
	if b.Commit != "" {
		about = append(about, "commit "+b.Commit)
	}
	if b.Date != "" {
		about = append(about, b.Date)
	}
	return fmt.Sprintf("bellhop %s (%s)", b.Version, strings.Join(append(about, runtime.Version()), ", "))
}
