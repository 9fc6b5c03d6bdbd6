package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"

	"github.com/bellhop/bellhop/internal/server"
)

// worldOptions are the subcommands of "bellhop world".
type worldOptions struct {
	Check  worldCheck  `cmd:"" help:"Report every fault of a world file."`
	Apply  worldApply  `cmd:"" help:"Apply a world file to a data folder or a running service."`
	Export worldExport `cmd:"" help:"Print the world of a data folder or a running service, without secrets."`
}

// place is where a world is: a folder nobody serves from, or a running service with dev controls.
type place struct {
	Data    string `type:"path" placeholder:"DIR" help:"Data folder of a service that is not running."`
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"Address of a running service; used without --data."`
}

// root returns the service's address without the path of its API, which people give as well.
func (p place) root() string {
	base := strings.TrimRight(p.BaseURL, "/")
	for _, api := range []string{"/v10", "/v9", "/api"} {
		base = strings.TrimSuffix(base, api)
	}
	return base
}

// worldPlace is a place whose service need not have dev controls.
type worldPlace struct {
	place `embed:""`

	AdminToken string `placeholder:"TOKEN" help:"The operator's token; without it the service needs dev controls."`
}

// request returns a call that applies or reads the world of a running service.
func (p worldPlace) request(devMethod, adminMethod string) request {
	if p.AdminToken == "" {
		return request{method: devMethod, url: p.root() + "/_dev/world"}
	}
	return request{method: adminMethod, url: p.root() + "/admin/v1/world", token: p.AdminToken}
}

type worldCheck struct {
	File string `arg:"" type:"path" help:"The world file."`
}

// Run reports the faults.
func (o worldCheck) Run(s streams) error {
	w, err := readWorld(o.File)
	if err != nil {
		return err
	}
	if err := locate(o.File, directory.Check(w, nil)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %d users, %d applications, %d guilds, no faults\n", o.File, len(w.Users), len(w.Applications), len(w.Guilds))
	return err
}

type worldApply struct {
	worldPlace `embed:""`

	File string `arg:"" type:"path" help:"The world file."`
}

// Run applies the file and prints the secrets that were made.
func (o worldApply) Run(ctx context.Context, s streams) error {
	w, err := readWorld(o.File)
	if err != nil {
		return err
	}
	if o.Data == "" {
		text, err := os.ReadFile(o.File)
		if err != nil {
			return err
		}
		q := o.request(http.MethodPost, http.MethodPut)
		q.contentType, q.body = "application/yaml", text
		answer, err := q.send(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", bytes.TrimSpace(answer))
		return err
	}
	return withDirectory(ctx, o.Data, s, func(d *directory.Directory) error {
		applied, err := d.Apply(ctx, w)
		if err != nil {
			return locate(o.File, err)
		}
		return printMinted(s.out, applied)
	})
}

type worldExport struct {
	worldPlace `embed:""`
}

// Run prints the world.
func (o worldExport) Run(ctx context.Context, s streams) error {
	if o.Data == "" {
		text, err := o.request(http.MethodGet, http.MethodGet).send(ctx)
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

// withDirectory opens a data folder that nobody serves from.
func withDirectory(ctx context.Context, data string, s streams, do func(*directory.Directory) error) (err error) {
	log, flush := newLog(s.err)
	defer flush()
	srv, err := server.Open(ctx, server.Config{Clock: clock.System{}, Data: data, Version: version, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close(ctx)) }()
	return do(srv.Directory())
}
