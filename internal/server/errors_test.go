package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// answeredElsewhere are exported errors that need no row, and why.
var answeredElsewhere = map[string]string{
	"directory.DeniedError":     "it wraps an error that has a reply",
	"directory.ErrUserExists":   "oauth.Sessions tries another id",
	"lobbies.ErrTooManyWatches": "v10.watch answers that the service is busy",
	"oauth.ErrNoGuild":          "oauth.authorize reports it as a missing guild_id, and the consent page shows it",
	"oauth.ErrUserCode":         "the device page shows it",
	"webhook.Error":             "dispatch makes an outcome of it, and v10.verify reports it",
	"webhook.ErrClosed":         "dispatch makes an outcome of it",
	"webhook.ErrDeadline":       "it is the cause of a cancellation, and the delivery fails with a webhook.Error",
	"webhook.VerifyError":       "v10.verify reports it",
	"interaction.LaunchError":   "it wraps an error that has a reply",
}

// TestEveryErrorHasAReply checks that the error tables of the API packages name every error that the services export.
func TestEveryErrorHasAReply(t *testing.T) {
	t.Parallel()
	answered := map[string]bool{}
	for _, file := range []string{"../api/v10/errors.go", "../api/oauth/errors.go"} {
		ast.Inspect(parseGo(t, file), func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := s.X.(*ast.Ident); ok {
					answered[pkg.Name+"."+s.Sel.Name] = true
				}
			}
			return true
		})
	}
	for _, service := range []string{
		"directory", "registry", "permissions", "lobbies", "messages", "threads", "polls", "guilds", "channels", "invites", "dispatch", "gateway", "oauth", "webhook",
		"rules/interaction", "rules/lobby", "rules/message",
	} {
		names := exportedErrors(t, service)
		for _, name := range names {
			if answered[name] == (answeredElsewhere[name] != "") {
				t.Errorf("%s has a row: %v, is answered elsewhere: %q", name, answered[name], answeredElsewhere[name])
			}
		}
		t.Logf("%s: %d errors", service, len(names))
	}
}

// exportedErrors returns the variables ErrX and the types XError and Error of a package.
func exportedErrors(t *testing.T, pkg string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", pkg, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of %s: %v", pkg, err)
	}
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range parseGo(t, file).Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				names = append(names, errorNames(filepath.Base(pkg), spec)...)
			}
		}
	}
	return names
}

func errorNames(pkg string, spec ast.Spec) (names []string) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if strings.HasPrefix(name.Name, "Err") {
				names = append(names, pkg+"."+name.Name)
			}
		}
	case *ast.TypeSpec:
		if s.Name.IsExported() && strings.HasSuffix(s.Name.Name, "Error") {
			names = append(names, pkg+"."+s.Name.Name)
		}
	}
	return names
}

func parseGo(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
