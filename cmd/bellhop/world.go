package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/secrets"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/tools/worldapply"
	"github.com/bellhop/bellhop/internal/world"
)

// worldOptions are the subcommands of "bellhop world".
type worldOptions struct {
	Check  worldCheck  `cmd:"" help:"Check a world file."`
	Apply  worldApply  `cmd:"" help:"Apply a world file to a data folder or a running service."`
	Pull   worldPull   `cmd:"" help:"Copy a guild with its roles, channels, members and commands from any service into a world file."`
	Export worldExport `cmd:"" help:"Print the world of a data folder or a running service, without secrets."`
}

// installation is a data folder that no service uses, or a running service.
type installation struct {
	Data    string `type:"path" placeholder:"DIR" help:"Data folder. Stop the service first."`
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service, http://127.0.0.1:8080 by default. Ignored with --data."`

	Encryption encryptionOptions `embed:"" prefix:"encryption-"`
}

// root returns the URL of the service without the path of the API, which users may include.
func (i installation) root() string { return remote.Root(i.BaseURL) }

// folder returns the data folder.
func (i installation) folder() dataFolder { return dataFolder{i.Data, i.Encryption} }

// worldLocation is the installation that a world is applied to or read from.
type worldLocation struct {
	installation `embed:""`

	AdminToken string `placeholder:"TOKEN" help:"Admin token of the running service. Not needed if it has dev controls."`
}

// service returns the running service.
func (l worldLocation) service() worldapply.Service {
	return worldapply.Service{Root: l.root(), AdminToken: l.AdminToken}
}

type worldCheck struct {
	File string `arg:"" type:"path" help:"World file."`
}

// Run prints the faults of the file.
func (o worldCheck) Run(s streams) error {
	f, err := files.OpenWorld(o.File)
	if err != nil {
		return err
	}
	worldapply.LimitMemory(f)
	bar := terminal.NewProgress(s.err, "Checking "+files.Shown(o.File))
	err = provision.CheckFile(f, bar.Steps)
	bar.Clear()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %s, no faults\n", files.Shown(o.File), worldapply.Count(f))
	return err
}

type worldApply struct {
	worldLocation `embed:""`

	Output string `short:"o" enum:"text,json" default:"text" env:"-" help:"Format of the result: text or json."`
	File   string `arg:"" type:"path" help:"World file."`
}

// Run applies the file. It prints what changed, and the secrets that were created.
func (o worldApply) Run(ctx context.Context, s streams) error {
	f, err := files.OpenWorld(o.File)
	if err != nil {
		return err
	}
	worldapply.LimitMemory(f)
	bar := terminal.NewProgress(s.err, "Applying "+files.Shown(o.File))
	var result worldapply.Result
	if o.Data == "" {
		result, err = o.send(ctx, f, s)
	} else {
		err = withService(ctx, o.folder(), s, func(srv *server.Server) error {
			result, err = worldapply.Local(ctx, f, srv.Provision(), bar.Steps)
			return err
		})
	}
	bar.Clear()
	if err != nil {
		return err
	}
	if o.Output == "json" {
		return printValue(s, result)
	}
	p := terminal.Printer{Out: s.out}
	result.Print(&p)
	secrets.Print(&p, result.Secrets)
	return p.Err
}

// send applies the file to a running service.
func (o worldApply) send(ctx context.Context, f *world.File, s streams) (result worldapply.Result, err error) {
	text, err := os.ReadFile(o.File)
	if err != nil {
		return result, err
	}
	err = terminal.Upload(s.err, files.Shown(o.File), int64(len(text)), func(sent *atomic.Int64) error {
		result, err = o.service().Apply(ctx, f, text, sent)
		return err
	})
	return result, err
}

type worldExport struct {
	worldLocation `embed:""`
}

// Run prints the world.
func (o worldExport) Run(ctx context.Context, s streams) error {
	if o.Data == "" {
		text, err := o.service().Export(ctx)
		if err != nil {
			return err
		}
		_, err = s.out.Write(text)
		return err
	}
	return withService(ctx, o.folder(), s, func(srv *server.Server) error {
		text, err := worldapply.Export(ctx, srv.Directory())
		if err == nil {
			_, err = s.out.Write(text)
		}
		return err
	})
}

// withService opens a data folder and calls do. It fails if a service uses the folder.
func withService(ctx context.Context, i dataFolder, s streams, do func(*server.Server) error) (err error) {
	key, err := i.Encryption.read()
	if err != nil {
		return err
	}
	log, queue := newLog(s.err)
	defer queue.Close()
	srv, err := server.Open(ctx, server.Config{Clock: clock.System{}, Data: i.Data, Version: version, Log: log, EncryptionKey: key, KeyFile: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close(ctx)) }()
	return do(srv)
}
