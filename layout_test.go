package bellhop_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/bellhop/bellhop"

// layers lists the packages from the inside out. A package imports only packages of its own layer's row that stand
// before it, or of earlier rows.
var layers = [][]string{
	{"snowflake", "optional", "internal/jsonbody", "internal/locale", "permission", "command", "internal/payload", "internal/message", "internal/interaction", "internal/lobby"},
	{"internal/clock", "internal/suggest", "internal/metrics", "internal/enginetest", "internal/rulestest", "internal/events", "internal/store", "internal/cache", "internal/store/storetest", "internal/store/sqlite", "internal/store/postgres", "internal/store/transfer"},
	{"internal/commandfile", "internal/world", "internal/ratelimit", "internal/auth", "internal/directory", "internal/oauthserver", "internal/signin", "internal/wire", "internal/announce", "internal/registry", "internal/permissions", "internal/lobbies", "internal/webhook", "internal/attachments", "internal/messages", "internal/dispatch"},
	{"internal/devtools", "internal/console", "internal/gateway/socket", "internal/gateway/session", "internal/gateway/resume", "internal/gateway", "internal/redis", "internal/httpapi", "internal/oauthapi", "internal/adminapi", "internal/apiv10"},
	{"internal/server"},
	{"authorization", "client", "bellhoptest", "conformance"},
	{"cmd/bellhop"},
	{"examples/signin", "examples/httpbot"},
}

// impure names what the rules may not import: they perform no I/O, read no process, wait for nothing and log nothing.
var impure = []string{"net", "net/http", "os", "os/exec", "database/sql", "log", "log/slog", "context", "syscall"}

type goPackage struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
}

func TestLayers(t *testing.T) {
	t.Parallel()
	rank := map[string]int{}
	for i, row := range layers {
		for j, name := range row {
			rank[module+"/"+name] = i*100 + j
		}
	}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if p.ImportPath == module || len(p.GoFiles) == 0 {
			continue
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment", name)
		}
		own, known := rank[p.ImportPath]
		if !known {
			t.Errorf("%s stands in no layer: give it a place in layers", name)
			continue
		}
		for _, imported := range p.Imports {
			if other, ours := rank[imported]; ours && other >= own {
				t.Errorf("%s imports %s, which lies further out", name, strings.TrimPrefix(imported, module+"/"))
			}
			if slices.Contains(layers[0], name) && slices.Contains(impure, imported) {
				t.Errorf("%s imports %s: rules are pure", name, imported)
			}
		}
	}
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Doc,Imports,GoFiles", "./...").Output()
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
		list = append(list, p)
	}
}
