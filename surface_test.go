package bellhop_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxEmbedded bounds the names that the root package exports.
const maxEmbedded = 60

// TestPublicSurface checks that programs can use the public packages without internal ones, and that each has an example.
func TestPublicSurface(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !slices.Contains(public, p.name()) {
			if !strings.HasPrefix(p.name(), "internal/") && !strings.HasPrefix(p.name(), "cmd/") && !slices.Contains(aside, p.name()) {
				t.Errorf("%s is public: move it to internal, or promise it in public", p.name())
			}
			continue
		}
		count := 0
		for _, f := range parse(t, p) {
			inside := internalImports(f)
			for _, d := range f.Decls {
				names := exportedNames(d)
				count += len(names)
				for _, leak := range leaks(d, inside) {
					t.Errorf("%s: %v shows %s, a type of an internal package", p.name(), names, leak)
				}
			}
		}
		if p.name() == module && count > maxEmbedded {
			t.Errorf("package bellhop exports %d names, want at most %d: what programs embed stays small", count, maxEmbedded)
		}
		if !hasExample(t, p.Dir) {
			t.Errorf("%s has no example", p.name())
		}
	}
}

// internalImports returns the names under which a file uses internal packages.
func internalImports(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, im := range f.Imports {
		path := strings.Trim(im.Path.Value, `"`)
		if !strings.HasPrefix(path, module+"/internal/") {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if im.Name != nil {
			name = im.Name.Name
		}
		names[name] = true
	}
	return names
}

// exportedNames returns the package-level names that a declaration exports. Methods are not among them.
func exportedNames(d ast.Decl) []string {
	var names []string
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add(s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					add(id)
				}
			}
		}
	}
	return names
}

// leaks returns the types of internal packages that a declaration shows to other programs: in the signatures of exported
// functions and methods, in exported fields, and in the types of exported variables and constants.
func leaks(d ast.Decl, inside map[string]bool) []string {
	var found []string
	look := func(n ast.Node) {
		if n == nil {
			return
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && len(f.Names) > 0 && !slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
				if _, signature := d.(*ast.FuncDecl); !signature {
					return false // an unexported field
				}
			}
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && inside[x.Name] {
					found = append(found, x.Name+"."+s.Sel.Name)
				}
			}
			return true
		})
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			look(d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					look(s.Type)
				}
			case *ast.ValueSpec:
				if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) && s.Type != nil {
					look(s.Type)
				}
			}
		}
	}
	return found
}

// receiver returns the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// parse returns the files of a package, without its tests.
func parse(t *testing.T, p goPackage) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func hasExample(t *testing.T, dir string) bool {
	t.Helper()
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(tests, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && bytes.Contains(text, []byte("\nfunc Example"))
	})
}

// TestExceptions counts what the code asks to be excused from.
func TestExceptions(t *testing.T) {
	t.Parallel()
	lines, excused := 0, 0
	look := func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines += bytes.Count(text, []byte("\n"))
		excused += bytes.Count(text, []byte("//nolint"))
		if bytes.Contains(text, []byte("clock.System{}")) && !strings.HasSuffix(path, "_test.go") && !startsProcess(path) {
			t.Errorf("%s takes the system's clock: use the clock that the caller passes in", path)
		}
		return nil
	}
	// Not the root folder itself: git and the caches change it, and go test would not use its result again.
	folders := map[string]bool{"bench": true, "compat": true, "e2e": true, "tools": true} // modules of their own
	for _, p := range packages(t) {
		if p.name() == module {
			continue
		}
		folders[strings.Split(p.name(), "/")[0]] = true
	}
	for folder := range folders {
		if err := filepath.WalkDir(folder, look); err != nil {
			t.Fatal(err)
		}
	}
	if share := float64(excused) / float64(lines) * 1000; share > maxNolintShare {
		t.Errorf("%d nolint comments, %.2f for each 1,000 lines, want at most %.1f", excused, share, maxNolintShare)
	}
}

// startsProcess reports whether a file is part of a program, or of a package that starts one in tests. The clocks that
// testkit gives to the services of a test run on the clock of the machine.
func startsProcess(path string) bool {
	return slices.Contains([]string{"bellhoptest", "bench", "cmd"}, strings.Split(path, "/")[0]) || strings.HasPrefix(path, "internal/testkit/")
}
