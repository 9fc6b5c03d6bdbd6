package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/tools/scaffold"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// initOptions are the flags of "bellhop init".
type initOptions struct {
	Language string `short:"l" enum:"go,javascript,typescript,python," default:"" placeholder:"LANGUAGE" help:"go, javascript, typescript or python. Without it, bellhop asks."`
	Name     string `placeholder:"NAME" help:"Name of the app. Default: the name of the folder."`
	Folder   string `arg:"" optional:"" default:"." type:"path" help:"Folder to write to. It is created if it does not exist."`
}

// Run writes the files of a small bot. It replaces no file.
func (o initOptions) Run(s streams) error {
	i := slices.IndexFunc(scaffold.Languages, func(l scaffold.Language) bool { return l.Name == o.Language })
	if o.Language == "" {
		if !terminal.IsTerminal(os.Stdin) {
			return usageError{errors.New("--language is missing: go, javascript, typescript or python")}
		}
		var err error
		if i, err = askLanguage(os.Stdin, s.out); err != nil {
			return err
		}
	}
	p := terminal.Printer{Out: s.out}
	language := scaffold.Languages[i]
	err := language.Write(o.Folder, cmp.Or(o.Name, filepath.Base(o.Folder)), func(path string) { p.Line("created %s", shownPath(path)) })
	if e, ok := errors.AsType[*scaffold.ExistsError](err); ok {
		return errors.Join(fmt.Errorf("%s exists: choose another folder", shownPath(e.Path)), e.Err)
	}
	if err != nil {
		return err
	}
	p.Line("\nTest the bot:\n")
	if folder := shownPath(o.Folder); folder != "." {
		p.Line("  cd %s", folder)
	}
	for _, command := range language.Install {
		p.Line("  %s", command)
	}
	p.Line("  bellhop test scenarios.yaml")
	return p.Err
}

// askLanguage asks for a language: its number or its name.
func askLanguage(in io.Reader, out io.Writer) (int, error) {
	p := terminal.Printer{Out: out}
	for i, l := range scaffold.Languages {
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
	for i, l := range scaffold.Languages {
		if answer == strconv.Itoa(i+1) || answer == l.Name {
			return i, nil
		}
	}
	return 0, usageError{fmt.Errorf("unknown language %q: want go, javascript, typescript or python", answer)}
}
