package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/bellhop/bellhop/internal/tools/files"
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
		if i, err = scaffold.AskLanguage(os.Stdin, s.out); err != nil {
			return usageError{err}
		}
	}
	p := terminal.Printer{Out: s.out}
	language := scaffold.Languages[i]
	err := language.Write(o.Folder, cmp.Or(o.Name, filepath.Base(o.Folder)), func(path string) { p.Line("created %s", files.Shown(path)) })
	if e, ok := errors.AsType[*scaffold.ExistsError](err); ok {
		return errors.Join(fmt.Errorf("%s exists: choose another folder", files.Shown(e.Path)), e.Err)
	}
	if err != nil {
		return err
	}
	p.Line("\nTest the bot:\n")
	if folder := files.Shown(o.Folder); folder != "." {
		p.Line("  cd %s", folder)
	}
	for _, command := range language.Install {
		p.Line("  %s", command)
	}
	p.Line("  bellhop test scenarios.yaml")
	return p.Err
}
