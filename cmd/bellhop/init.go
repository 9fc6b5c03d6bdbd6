package main

import (
	"bufio"
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// initOptions are the flags of "bellhop init".
type initOptions struct {
	Language string `short:"l" enum:"go,javascript,typescript,python," default:"" placeholder:"LANGUAGE" help:"go, javascript, typescript or python. Without it, bellhop asks."`
	Name     string `placeholder:"NAME" help:"Name of the app. Default: the name of the folder."`
	Folder   string `arg:"" optional:"" default:"." type:"path" help:"Folder to write to. It is created if it does not exist."`
}

//go:embed templates
var templates embed.FS

// botLanguage is a language in which init writes a bot.
type botLanguage struct {
	name    string
	Title   string            // for people
	Source  string            // the file of the bot
	Start   string            // command that starts the bot
	SetUp   string            // step of the workflow that installs the language
	Install []string          // commands that install and build the bot
	Ignore  []string          // files that are not kept in git
	files   map[string]string // files of this language, by their templates
}

// botLanguages are the languages of init, in the order of the question.
var botLanguages = []botLanguage{
	{
		name: "go", Title: "Go", Source: "main.go", Start: "./bot",
		SetUp:   "actions/setup-go@v5\n        with: {go-version: stable}",
		Install: []string{"go build -o bot ."}, Ignore: []string{"bot"},
		files: map[string]string{"main.go.tmpl": "main.go", "go.mod.tmpl": "go.mod", "go.sum.tmpl": "go.sum"},
	},
	{
		name: "javascript", Title: "JavaScript", Source: "bot.mjs", Start: "node bot.mjs",
		SetUp:  "actions/setup-node@v4\n        with: {node-version: 22}",
		Ignore: []string{"node_modules"},
		files:  map[string]string{"bot.mjs.tmpl": "bot.mjs"},
	},
	{
		name: "typescript", Title: "TypeScript", Source: "src/bot.ts", Start: "node dist/bot.js",
		SetUp:   "actions/setup-node@v4\n        with: {node-version: 22}",
		Install: []string{"npm install && npm run build"}, Ignore: []string{"node_modules", "dist"},
		files: map[string]string{"bot.ts.tmpl": "src/bot.ts", "package.json.tmpl": "package.json", "tsconfig.json.tmpl": "tsconfig.json"},
	},
	{
		name: "python", Title: "Python", Source: "bot.py", Start: "python3 bot.py",
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

// Run writes the files of a small bot. It replaces no file.
func (o initOptions) Run(s streams) error {
	i := slices.IndexFunc(botLanguages, func(l botLanguage) bool { return l.name == o.Language })
	if o.Language == "" {
		if !terminal.IsTerminal(os.Stdin) {
			return usageError{errors.New("--language is missing: go, javascript, typescript or python")}
		}
		var err error
		if i, err = askLanguage(os.Stdin, s.out); err != nil {
			return err
		}
	}
	o.Name = cmp.Or(o.Name, filepath.Base(o.Folder))
	files, err := renderFiles(botLanguages[i], o.Name)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
		if _, err := os.Lstat(filepath.Join(o.Folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s exists: choose another folder", shownPath(filepath.Join(o.Folder, name))), err)
		}
	}
	slices.Sort(names)
	p := terminal.Printer{Out: s.out}
	for _, name := range names {
		path := filepath.Join(o.Folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // source files are not secret
			return err
		}
		if err := writeFile(path, files[name]); err != nil {
			return err
		}
		p.Line("created %s", shownPath(path))
	}
	p.Line("\nTest the bot:\n")
	if folder := shownPath(o.Folder); folder != "." {
		p.Line("  cd %s", folder)
	}
	for _, command := range botLanguages[i].Install {
		p.Line("  %s", command)
	}
	p.Line("  bellhop test scenarios.yaml")
	return p.Err
}

// renderFiles returns the texts of the files of a bot, by their names.
func renderFiles(l botLanguage, name string) (map[string][]byte, error) {
	data := struct {
		botLanguage

		Name, Module string
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

// askLanguage asks for a language: its number or its name.
func askLanguage(in io.Reader, out io.Writer) (int, error) {
	p := terminal.Printer{Out: out}
	for i, l := range botLanguages {
		p.Line("  %d  %s", i+1, l.Title)
	}
	if p.Err != nil {
		return 0, p.Err
	}
	if _, err := fmt.Fprint(out, "Language? "); err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && line == "" {
		return 0, usageError{errors.New("no answer: use --language")}
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	for i, l := range botLanguages {
		if answer == strconv.Itoa(i+1) || answer == l.name {
			return i, nil
		}
	}
	return 0, usageError{fmt.Errorf("unknown language %q: want go, javascript, typescript or python", answer)}
}
