package bellhop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/bellhop/bellhop"

// The targets of the layout.
const (
	maxLines       = 4000 // of Go in a package, without its tests
	maxCommand     = 3500 // the same of cmd/bellhop, which is flags and printing: other work goes to internal/tools
	maxChain       = 14   // packages on the longest path of imports, from cmd/bellhop; 13 from the library
	maxNolintShare = 0.3  // for each 1,000 lines of Go
)

// layers lists the packages from the inside out. A package imports only packages of earlier rows, or packages that come
// before it in its own row.
var layers = [][]string{
	{"snowflake", "optional", "internal/rules/jsonbody", "internal/rules/component", "internal/rules/yamltree", "internal/rules/locale", "internal/rules/apierror", "internal/rules/parity", "internal/rules/imagedata", "permission", "command", "internal/rules/wire", "internal/rules/presence", "internal/rules/message", "internal/rules/interaction", "internal/rules/lobby", "internal/rules/channel", "internal/rules/guild", "internal/rules/premium", "internal/rules/roleconnection"},
	{"internal/clock", "internal/metrics", "internal/world", "internal/store/events", "internal/store", "internal/store/cache", "internal/store/sqlite", "internal/store/postgres"},
	{"internal/outbox", "internal/webhook", "internal/hooks", "internal/ratelimit", "internal/auth", "internal/hooks/remote", "internal/idp", "internal/audit", "internal/directory/convert", "internal/directory", "internal/credentials", "internal/provision", "internal/eventhook", "internal/oauth", "internal/registry", "internal/permissions", "internal/lobbies", "internal/provisional", "internal/attachments", "internal/messages", "internal/threads", "internal/polls", "internal/retention", "internal/images", "internal/channelhook", "internal/channels", "internal/invites", "internal/guilds", "internal/premium", "internal/roleconnections", "internal/dispatch"},
	{"internal/gateway/socket", "internal/gateway/session", "internal/gateway", "internal/redis", "internal/api", "internal/api/files", "internal/api/oauth", "internal/api/manage", "internal/api/admin", "internal/api/dev", "internal/api/v10"},
	{"internal/console", "internal/docsite", "internal/server"},
	{"authorization", "client", "bellhoptest", "conformance"},
	{"internal/tools/terminal", "internal/tools/watch", "internal/tools/botrun", "internal/tools/userclient", "internal/tools/scenario", "internal/tools/logging", "internal/tools/system", "internal/tools/files", "internal/tools/transcript", "internal/tools/scaffold", "internal/tools/usage", "internal/tools/remote", "internal/tools/operators", "internal/tools/definitions", "internal/tools/secrets", "internal/tools/worldapply", "internal/tools/devservice", "internal/tools/worldpull", "internal/tools/load", "internal/tools/database", "internal/tools/backup", "internal/tools/doctor", "internal/tools/mcp"},
	{module},
	{"cmd/bellhop"},
}

// oversized lists the packages that have more than maxLines lines, with the most that they may have. They are to be split, and
// the list is to shrink: a package that no longer needs its row fails the test.
var oversized = map[string]int{
	"internal/api/v10": 5600, // one interface of some 200 operations: a file per resource, none of which calls another
	"internal/store":   6600, // a catalogue of records: each file stands alone, and every record needs the same few functions
}

// aside lists packages that are tests, tools and examples. They may import everything.
var aside = []string{"internal/cluster", "internal/testkit/engines", "internal/testkit/rules", "internal/testkit/lab", "internal/store/storetest", "docs/guide", "examples/signin", "examples/httpbot", "examples/matchmaker", builtIn, "examples/guesthouse/cmd"}

// builtIn is the example that "bellhop dev" runs. It imports only public packages.
const builtIn = "examples/guesthouse"

// public lists the packages that programs outside of this module can import.
var public = []string{module, "command", "permission", "snowflake", "optional", "client", "authorization", "bellhoptest", "conformance"}

// impure names what the rules may not import: they perform no I/O, read no process, wait for nothing and log nothing.
var impure = []string{"net", "net/http", "os", "os/exec", "database/sql", "log", "log/slog", "context", "syscall"}

type goPackage struct {
	Dir        string
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
}

// name returns the package's path inside of the module.
func (p goPackage) name() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

// own returns the packages of the module that p imports, by their paths inside of it.
func (p goPackage) own() []string {
	var own []string
	for _, imported := range p.Imports {
		if name, ok := strings.CutPrefix(imported, module+"/"); ok {
			own = append(own, name)
		} else if imported == module {
			own = append(own, module)
		}
	}
	return own
}

func TestLayers(t *testing.T) {
	t.Parallel()
	rank := map[string]int{}
	for i, row := range layers {
		for j, name := range row {
			rank[name] = i*100 + j
		}
	}
	for _, p := range packages(t) {
		name := p.name()
		if p.Doc == "" {
			t.Errorf("%s has no package comment", name)
		}
		for _, imported := range p.own() {
			if name == builtIn && !slices.Contains(public, imported) {
				t.Errorf("%s imports %s: it uses only the public packages", name, imported)
			}
		}
		if slices.Contains(aside, name) {
			continue
		}
		own, known := rank[name]
		if !known {
			t.Errorf("%s is in no layer: add it to layers", name)
			continue
		}
		for _, imported := range p.own() {
			if rank[imported] >= own {
				t.Errorf("%s imports %s, which is further out", name, imported)
			}
			if slices.Contains(aside, imported) && imported != builtIn {
				t.Errorf("%s imports %s, which is for tests", name, imported)
			}
		}
		for _, imported := range p.Imports {
			if slices.Contains(layers[0], name) && slices.Contains(impure, imported) {
				t.Errorf("%s imports %s: rules perform no I/O", name, imported)
			}
		}
	}
}

func TestPackageTargets(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	for _, p := range packages(t) {
		if !slices.Contains(aside, p.name()) {
			imports[p.name()] = p.own()
		}
	}
	var longest []string
	for name := range imports {
		if c := chain(imports, name); len(c) > len(longest) {
			longest = c
		}
	}
	if len(longest) > maxChain {
		t.Errorf("the longest chain of imports has %d packages, want at most %d: %s", len(longest), maxChain, strings.Join(longest, " → "))
	}
}

// TestPackageSizes bounds the lines of Go in a package, for all systems.
func TestPackageSizes(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
		}
		most := maxLines
		if p.name() == "cmd/bellhop" {
			most = maxCommand
		}
		limit, excused := oversized[p.name()]
		switch {
		case excused && lines <= most-most/20: // a row does not come and go with a few lines
			t.Errorf("%s has %d lines: remove it from oversized", p.name(), lines)
		case lines > max(limit, most):
			t.Errorf("%s has %d lines without tests, want at most %d", p.name(), lines, max(limit, most))
		}
	}
}

// chain returns the longest path of imports that starts at a package.
func chain(imports map[string][]string, name string) []string {
	var longest []string
	for _, next := range imports[name] {
		if c := chain(imports, next); len(c) > len(longest) {
			longest = c
		}
	}
	return append([]string{name}, longest...)
}

// packages returns the packages of the module that have code beside tests.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=Dir,ImportPath,Doc,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			list = append(list, p)
		}
	}
}
