package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
}

// root returns the URL of the service without the path of the API, which users may include.
func (i installation) root() string { return remote.Root(i.BaseURL) }

// worldLocation is the installation that a world is applied to or read from.
type worldLocation struct {
	installation `embed:""`

	AdminToken string `placeholder:"TOKEN" help:"Admin token of the running service. Not needed if it has dev controls."`
}

// request returns a request that applies or reads the world of a running service. It uses the dev controls if there is no
// admin token.
func (l worldLocation) request(devMethod, adminMethod string) remote.Request {
	if l.AdminToken == "" {
		return remote.Request{Method: devMethod, URL: l.root() + "/_dev/world"}
	}
	return remote.Request{Method: adminMethod, URL: l.root() + "/admin/v1/world", Token: l.AdminToken}
}

type worldCheck struct {
	File string `arg:"" type:"path" help:"World file."`
}

// Run prints the faults of the file.
func (o worldCheck) Run(s streams) error {
	f, err := openWorld(o.File)
	if err != nil {
		return err
	}
	limitMemory(f)
	bar := newProgress(s.err, "Checking "+shownPath(o.File))
	err = directory.CheckFile(f, bar.Steps)
	bar.Clear()
	if err != nil {
		return err
	}
	if f.Whole() == nil {
		_, err = fmt.Fprintf(s.out, "%s: %s, no faults\n", shownPath(o.File), terminal.Plural(f.Records(), "record"))
		return err
	}
	w := f.Whole()
	_, err = fmt.Fprintf(s.out, "%s: %s, %s, %s, no faults\n", shownPath(o.File), terminal.Plural(len(w.Users), "user"),
		terminal.Plural(len(w.Applications), "application"), terminal.Plural(len(w.Guilds), "guild"))
	return err
}

// worldMemory is the memory that the Go runtime may use for a large file, unless the file needs more. The database has its
// own cache.
const worldMemory = 128 << 20

// limitMemory makes the garbage collector keep the process small while it reads a large file.
func limitMemory(f *world.File) {
	if f.Whole() == nil {
		debug.SetMemoryLimit(worldMemory)
	}
}

type worldApply struct {
	worldLocation `embed:""`

	Output string `short:"o" enum:"text,json" default:"text" env:"-" help:"Format of the result: text or json."`
	File   string `arg:"" type:"path" help:"World file."`
}

// appliedWorld is the result of "bellhop world apply".
type appliedWorld struct {
	worldSummary

	client.Secrets
}

// Run applies the file. It prints what changed, and the secrets that were created.
func (o worldApply) Run(ctx context.Context, s streams) error {
	f, err := openWorld(o.File)
	if err != nil {
		return err
	}
	limitMemory(f)
	bar := newProgress(s.err, "Applying "+shownPath(o.File))
	var result appliedWorld
	if o.Data == "" {
		result, err = o.applyRemotely(ctx, f, s)
	} else {
		err = withDirectory(ctx, o.Data, s, func(d *directory.Directory) error {
			result, err = o.applyLocally(ctx, f, d, bar.Steps)
			return err
		})
	}
	bar.Clear()
	if err != nil {
		return err
	}
	if o.Output == "json" {
		text, err := json.Marshal(result, jsontext.WithIndent("  "), json.Deterministic(true))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", text)
		return err
	}
	p := terminal.Printer{Out: s.out}
	result.print(&p)
	printSecrets(&p, result.Secrets)
	return p.Err
}

// applyLocally applies the file to a data folder.
func (o worldApply) applyLocally(ctx context.Context, f *world.File, d *directory.Directory, progress directory.Progress) (result appliedWorld, err error) {
	w := f.Whole()
	if w == nil {
		applied, err := d.ApplyFile(ctx, f, progress)
		return appliedWorld{worldSummary{Records: f.Records()}, revealSecrets(applied)}, repeatable(err)
	}
	before, err := d.Export(ctx)
	if err != nil {
		return result, err
	}
	applied, err := d.Apply(ctx, *w)
	if err != nil {
		return result, f.Locate(err)
	}
	after, err := d.Export(ctx)
	return appliedWorld{summarize(*w, before, after), revealSecrets(applied)}, err
}

// repeatable says how to complete an import that was broken off.
func repeatable(err error) error {
	if _, wrong := errors.AsType[*world.FileError](err); err == nil || wrong {
		return err
	}
	return fmt.Errorf("%w\nA part of the file may be applied: apply the file again to complete it", err)
}

// applyRemotely applies the file to a running service.
func (o worldApply) applyRemotely(ctx context.Context, f *world.File, s streams) (result appliedWorld, err error) {
	text, err := os.ReadFile(o.File)
	if err != nil {
		return result, err
	}
	err = terminal.Upload(s.err, shownPath(o.File), int64(len(text)), func(sent *atomic.Int64) error {
		result, err = o.send(ctx, f, text, sent)
		return err
	})
	return result, err
}

// send sends the text of a file to a running service.
func (o worldApply) send(ctx context.Context, f *world.File, text []byte, sent *atomic.Int64) (result appliedWorld, err error) {
	w := f.Whole()
	var before world.World
	if w != nil {
		before, err = o.export(ctx)
	} else {
		err = f.Check(func(world.Part) error { return nil })
	}
	if err != nil {
		return result, err
	}
	q := o.request(http.MethodPost, http.MethodPut)
	q.ContentType, q.Body, q.Timeout, q.Sent = "application/yaml", text, applyTimeout, sent
	response, err := q.Send(ctx)
	if err != nil && w == nil {
		return result, repeatable(err)
	}
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(response, &result.Secrets); err != nil {
		return result, fmt.Errorf("response of the service: %w", err)
	}
	if w == nil {
		result.Records = f.Records()
		return result, nil
	}
	after, err := o.export(ctx)
	result.worldSummary = summarize(*w, before, after)
	return result, err
}

// applyTimeout bounds how long a service takes to apply a file.
const applyTimeout = 15 * time.Minute

// export reads the world of a running service.
func (l worldLocation) export(ctx context.Context) (world.World, error) {
	text, err := l.request(http.MethodGet, http.MethodGet).Send(ctx)
	if err != nil {
		return world.World{}, err
	}
	return world.Parse("world of the service", text)
}

type worldExport struct {
	worldLocation `embed:""`
}

// Run prints the world.
func (o worldExport) Run(ctx context.Context, s streams) error {
	if o.Data == "" {
		text, err := o.request(http.MethodGet, http.MethodGet).Send(ctx)
		if err != nil {
			return err
		}
		_, err = s.out.Write(text)
		return err
	}
	return withDirectory(ctx, o.Data, s, func(d *directory.Directory) error {
		w, err := d.Export(ctx)
		if err != nil {
			return err
		}
		text, err := w.YAML()
		if err != nil {
			return err
		}
		_, err = s.out.Write(text)
		return err
	})
}

// withDirectory opens a data folder and calls do. It fails if a service uses the folder.
func withDirectory(ctx context.Context, data string, s streams, do func(*directory.Directory) error) (err error) {
	log, queue := newLog(s.err)
	defer queue.Close()
	srv, err := server.Open(ctx, server.Config{Clock: clock.System{}, Data: data, Version: version, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close(ctx)) }()
	return do(srv.Directory())
}
