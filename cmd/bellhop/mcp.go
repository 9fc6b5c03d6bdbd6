package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/docsite"
	"github.com/bellhop/bellhop/internal/tools/devservice"
	"github.com/bellhop/bellhop/internal/tools/mcp"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/system"
	"github.com/bellhop/bellhop/internal/world"
)

// mcpOptions are the flags of "bellhop mcp".
type mcpOptions struct {
	BaseURL string `placeholder:"URL" help:"Use the running service with dev controls at this URL, instead of starting one."`
	World   string `type:"path" placeholder:"FILE" help:"World file to use instead of the demo world."`
	Listen  string `env:"BELLHOP_MCP_LISTEN" placeholder:"ADDR" help:"Serve over HTTP at the path /mcp of this address, instead of standard input and output. Port 0 selects a free port."`
	Token   string `name:"mcp-token" env:"BELLHOP_MCP_TOKEN" placeholder:"TOKEN" help:"Token that clients send as Authorization: Bearer TOKEN. Required if --listen is not a loopback address."`
}

// Run serves the tools until the agent ends.
func (o mcpOptions) Run(ctx context.Context, s streams) error {
	switch {
	case o.Listen != "" && exposed(o.Listen) && o.Token == "":
		return usageError{errors.New("--listen: other machines can reach this address, and the tools start programs. Set --mcp-token, or use 127.0.0.1")}
	case o.Token != "" && world.WeakSecret(o.Token):
		return usageError{errors.New("--mcp-token: the token is too easy to guess")}
	}
	if o.BaseURL != "" {
		return o.serve(ctx, s, remote.Root(o.BaseURL))
	}
	service := runOptions{Listen: "127.0.0.1:0", World: o.World}
	return service.withService(ctx, s.err, func(ctx context.Context, info devservice.Info) error { return o.serve(ctx, s, info.URL) })
}

// serve serves the tools for a service.
func (o mcpOptions) serve(ctx context.Context, s streams, service string) (err error) {
	t := &mcp.Toolbox{
		Service: service, Version: version, Open: openScenarioServer, Clock: clock.System{}, Environment: os.Environ(),
		Docs: func() ([]docsite.Page, error) { return docsite.Pages(bellhop.Documentation) },
	}
	defer t.Close()
	if o.Listen == "" {
		return t.ServeStreams(ctx, os.Stdin, s.out)
	}
	var ln net.Listener
	if ln, err = system.Listen(ctx, "--listen", o.Listen); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "listening on http://%s%s\n", ln.Addr(), mcp.Path)
	return t.Serve(ctx, ln, o.Token)
}
