// Package scaffold writes the files of a small bot in one of several languages: its source, its commands, a world, scenarios
// that test it and a CI workflow.
package scaffold

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// Language is a language in which a bot can be written.
type Language struct {
	Name    string            // for programs
	Title   string            // for people
	Source  string            // the file of the bot
	Start   string            // command that starts the bot
	SetUp   string            // step of the workflow that installs the language
	Install []string          // commands that install and build the bot
	Ignore  []string          // files that are not kept in git
	files   map[string]string // files of this language, by their templates
}

// Languages are the languages that a bot can have.
var Languages = []Language{
	{
		Name: "go", Title: "Go", Source: "main.go", Start: "./bot",
		SetUp:   "actions/setup-go@v5\n        with: {go-version: stable}",
		Install: []string{"go build -o bot ."}, Ignore: []string{"bot"},
		files: map[string]string{"main.go.tmpl": "main.go", "go.mod.tmpl": "go.mod", "go.sum.tmpl": "go.sum"},
	},
	{
		Name: "javascript", Title: "JavaScript", Source: "bot.mjs", Start: "node bot.mjs",
		SetUp:  "actions/setup-node@v4\n        with: {node-version: 22}",
		Ignore: []string{"node_modules"},
		files:  map[string]string{"bot.mjs.tmpl": "bot.mjs"},
	},
	{
		Name: "typescript", Title: "TypeScript", Source: "src/bot.ts", Start: "node dist/bot.js",
		SetUp:   "actions/setup-node@v4\n        with: {node-version: 22}",
		Install: []string{"npm install && npm run build"}, Ignore: []string{"node_modules", "dist"},
		files: map[string]string{"bot.ts.tmpl": "src/bot.ts", "package.json.tmpl": "package.json", "tsconfig.json.tmpl": "tsconfig.json"},
	},
	{
		Name: "python", Title: "Python", Source: "bot.py", Start: "python3 bot.py",
		SetUp:   "actions/setup-python@v5\n        with: {python-version: \"3.12\"}",
		Install: []string{"python3 -m pip install -r requirements.txt"}, Ignore: []string{"__pycache__"},
		files: map[string]string{"bot.py.tmpl": "bot.py", "requirements.txt.tmpl": "requirements.txt"},
	},
}

// commonFiles are the files of every language, by their templates.
var commonFiles = map[string]string{
	"world.yaml.tmpl": "world.yaml", "commands.yaml.tmpl": "commands.yaml", "scenarios.yaml.tmpl": "scenarios.yaml",
	"workflow.yml.tmpl": ".github/workflows/test.yml", "gitignore.tmpl": ".gitignore", "README.md.tmpl": "README.md",
}

// ExistsError means that a file of the bot exists already, or that its place cannot be read.
type ExistsError struct {
	Path string
	Err  error // nil if the file exists
}

// Error returns the text of the error.
func (e *ExistsError) Error() string { return e.Path + " exists" }

// Unwrap returns the error of reading the place.
func (e *ExistsError) Unwrap() error { return e.Err }

// Write writes the files of a bot with a name into a folder, which it creates if necessary. It replaces no file: if one exists,
// it writes nothing and returns an ExistsError. It calls created with the path of each file that it has written.
func (l Language) Write(folder, name string, created func(path string)) error {
	files, err := l.render(name)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return &ExistsError{path, err}
		}
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // source files are not secret
			return err
		}
		if err := os.WriteFile(path, files[name], 0o666); err != nil { //nolint:gosec // the mode follows the umask
			return err
		}
		created(path)
	}
	return nil
}

// render returns the texts of the files of a bot with a name, by the names of the files.
func (l Language) render(name string) (map[string][]byte, error) {
	data := struct {
		Language

		Name, Module string // the name hides that of the language
	}{l, name, moduleName(name)}
	all, err := template.New("").Funcs(template.FuncMap{"quote": strconv.Quote}).ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, list := range []map[string]string{commonFiles, l.files} {
		for from, to := range list {
			var b bytes.Buffer
			if err := all.ExecuteTemplate(&b, from, data); err != nil {
				return nil, err
			}
			files[to] = b.Bytes()
		}
	}
	return files, nil
}

// moduleName returns the name of an app as a Go module and an npm package can have it: lower-case letters, digits and
// hyphens.
func moduleName(name string) string {
	short := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-")
	return cmp.Or(short, "bot")
}
