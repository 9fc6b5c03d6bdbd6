package server_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/admin"
	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/api/files"
	"github.com/bellhop/bellhop/internal/api/oauth"
	v10 "github.com/bellhop/bellhop/internal/api/v10"
)

// The limits of a path from a handler to an SQL statement. A path that exceeds them has a reason in the list. Paths
// through the directory have one more file, because its transactions add events and audit entries.
const (
	maxPathFunctions = 7
	maxPathFiles     = 5
	directoryFile    = "directory/tx.go"
)

// The longest paths, which ARCHITECTURE.md names: of a route to its change, and to a commit after it.
const (
	longestFunctions = 9
	longestFiles     = 8
	longestAlso      = 11
)

// TestPaths verifies testdata/paths.txt: every writing route has a path, every function on it exists and calls the next
// one, a path has a reason exactly if it is longer than the limits, and no path is longer than the longest ones.
func TestPaths(t *testing.T) {
	t.Parallel()
	list := readPaths(t)
	sources := sources{}
	seen := map[string]bool{}
	for _, r := range writingRoutes() {
		p, ok := list[r.Name]
		if !ok {
			t.Errorf("%s %s: the list has no path of %s", r.Method, r.Path, r.Name)
			continue
		}
		seen[r.Name] = true
		handler := runtime.FuncForPC(reflect.ValueOf(r.Handle).Pointer()).Name()
		if name, plain := strings.CutSuffix(handler, "-fm"); plain && !strings.HasSuffix(strings.NewReplacer("(*", "", ")", "").Replace(name), "."+p.steps[0].function) {
			t.Errorf("%s: the path begins at %s, and the handler is %s", r.Name, p.steps[0].function, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		p := list[name]
		if route, _, _ := strings.Cut(name, " also"); !seen[route] && !p.tail {
			t.Errorf("%s is no writing route", route)
		}
		if err := sources.check(p.steps); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := checkLength(name, p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if testing.Verbose() {
		for _, r := range writingRoutes() {
			functions, files := list[r.Name].size()
			t.Logf("%2d functions, %d files: %s %s", functions, files, r.Method, r.Path)
		}
	}
}

// checkLength compares the length of a path with the limits.
func checkLength(name string, p path) error {
	functions, files := p.size()
	allowed := maxPathFiles
	if slices.ContainsFunc(p.steps, func(s step) bool { return s.file == directoryFile }) {
		allowed++
	}
	also, within := strings.Contains(name, " also"), functions <= maxPathFunctions && files <= allowed
	switch {
	case p.tail || functions == 1: // the end of other paths, or a route that stores nothing
	case also && functions > longestAlso:
		return fmt.Errorf("%d functions, and the longest path to a commit afterwards has %d", functions, longestAlso)
	case !also && (functions > longestFunctions || files > longestFiles):
		return fmt.Errorf("%d functions in %d files, and the longest path has %d in %d", functions, files, longestFunctions, longestFiles)
	case !within && p.reason == "":
		return fmt.Errorf("%d functions in %d files, want %d in %d or a reason", functions, files, maxPathFunctions, allowed)
	case within && p.reason != "" && !also:
		return fmt.Errorf("%d functions in %d files need no reason", functions, files)
	}
	return nil
}

// writingRoutes returns the routes of all APIs that may change something.
func writingRoutes() []api.Route {
	all := slices.Concat(
		v10.Routes(v10.Services{}), files.Routes(nil, nil), (&oauth.API{Sessions: &oauth.Sessions{}}).Routes(), (&admin.API{}).Routes(), (&dev.API{}).Routes(),
	)
	return slices.DeleteFunc(all, func(r api.Route) bool { return r.Method == http.MethodGet })
}

// path is a path from a handler to an SQL statement.
type path struct {
	steps  []step
	reason string // why it is longer than the limits, or why it ends before SQL
	tail   bool   // the end of other paths
}

// step is a function on a path.
type step struct {
	file, function string // of internal; the function with the type of its receiver
	indirect       bool   // the function before it calls it through a function value, or passes it work by a channel
}

func (p path) size() (functions, files int) {
	names := map[string]bool{}
	for _, s := range p.steps {
		names[s.file] = true
	}
	return len(p.steps), len(names)
}

// readPaths reads the list. A line is "name = file:Type.function > file:function > @tail", and "! reason" may follow.
func readPaths(t *testing.T) map[string]path {
	t.Helper()
	text, err := os.ReadFile("testdata/paths.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]path{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		line, reason, _ := strings.Cut(line, " ! ")
		name, chain, ok := strings.Cut(line, " = ")
		if strings.HasSuffix(name, " also") {
			name += " " + strconv.Itoa(len(list)) // a route may have several
		}
		if !ok || list[name].steps != nil {
			t.Fatalf("paths.txt: %q is no path, or the name is there twice", line)
		}
		p := path{reason: reason, tail: name[0] == '@'}
		for part := range strings.SplitSeq(strings.ReplaceAll(chain, " ~> ", " > ~"), " > ") {
			if part[0] == '@' {
				p.steps = append(p.steps, list[part].steps...)
				continue
			}
			part, indirect := strings.CutPrefix(part, "~")
			file, function, _ := strings.Cut(part, ":")
			p.steps = append(p.steps, step{file, function, indirect})
		}
		list[name] = p
	}
	return list
}

// sources are the functions of parsed files, by file and name.
type sources map[string]map[string]*ast.FuncDecl

// check verifies that the functions exist and that each calls the next.
func (s sources) check(steps []step) error {
	for i, at := range steps {
		f, err := s.function(at)
		if err != nil {
			return err
		}
		if i+1 == len(steps) || steps[i+1].indirect {
			continue
		}
		next := steps[i+1].function
		if !calls(f, next[strings.LastIndex(next, ".")+1:]) {
			return fmt.Errorf("%s in %s does not call %s", at.function, at.file, next)
		}
	}
	return nil
}

func (s sources) function(at step) (*ast.FuncDecl, error) {
	if s[at.file] == nil {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", at.file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s[at.file] = map[string]*ast.FuncDecl{}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				s[at.file][receiver(f)+f.Name.Name] = f
			}
		}
	}
	f := s[at.file][at.function]
	if f == nil {
		return nil, fmt.Errorf("%s has no function %s", at.file, at.function)
	}
	return f, nil
}

// receiver returns the type of a function's receiver with a dot, or nothing.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if p, ok := t.(*ast.IndexExpr); ok { // a type parameter
		t = p.X
	}
	return t.(*ast.Ident).Name + "."
}

// calls reports whether a function calls a function or method with a name.
func calls(f *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				found = found || fun.Name == name
			case *ast.SelectorExpr:
				found = found || fun.Sel.Name == name
			}
		}
		return !found
	})
	return found
}
