package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/world"
)

// devOptions are the flags of "bellhop dev".
type devOptions struct {
	Listen string     `default:"127.0.0.1:8080" help:"Address to listen on; port 0 picks a free one."`
	World  string     `type:"path" placeholder:"FILE" help:"World file in place of the demo world."`
	Data   string     `type:"path" placeholder:"DIR" help:"Folder for the database, kept; without it a temporary one."`
	Limits string     `placeholder:"FILE|off" help:"File of rate limits in place of the shipped ones, or off."`
	TLS    tlsOptions `embed:"" prefix:"tls-"`
	JSON   bool       `help:"Print one line of JSON with addresses and tokens, and end when the standard input does: for programs that start this one."`

	Lobbies lobbyOptions `embed:""`
}

// Run serves a world to develop against until the process is told to stop.
func (o devOptions) Run(ctx context.Context, s streams) (err error) {
	w := world.Demo()
	if o.World != "" {
		if w, err = readWorld(o.World); err != nil {
			return err
		}
	}
	volatile := o.Data == ""
	if volatile {
		if o.Data, err = os.MkdirTemp("", "bellhop-dev-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.Data)) }()
	}
	limits, err := readLimits(o.Limits)
	if err != nil {
		return err
	}
	if err := o.TLS.check(true); err != nil {
		return err
	}
	halls, err := o.Lobbies.settings()
	if err != nil {
		return err
	}
	log, flush := newLog(s.err)
	defer flush()
	adopt(log)
	cfg := server.Config{Clock: clock.System{}, Data: o.Data, Volatile: volatile, Dev: true, World: &w, Version: version, Log: log, Limits: limits, Lobbies: halls}
	if o.JSON {
		return o.serveParent(ctx, cfg, s)
	}
	return serve(ctx, cfg, o.World, listening{o.Listen, o.TLS, s.out}, func(base string, srv *server.Server) error {
		if err := printWelcome(s.out, base, w, srv.Applied); err != nil {
			return err
		}
		admin, err := srv.Directory().Tokens.CreateFirstAdminToken(ctx)
		if err != nil {
			return err
		}
		if admin != "" {
			fmt.Fprintf(s.out, "  # the operator's token for %s/admin/v1 is %s\n\n", base, admin.Reveal())
		}
		_, err = fmt.Fprintf(s.out, "listening on %s\n", base)
		return err
	})
}

// printWelcome tells a newcomer what to do next. Tokens are those of the file or those just made: a token made at an
// earlier start cannot be shown again.
func printWelcome(out io.Writer, base string, w world.World, applied directory.Applied) error {
	p := printer{out: out}
	p.line("")
	p.line("  Console      %s/", base)
	p.line("  API base     %s/api/v10", base)
	p.line("  Interface    %s/openapi.json", base)
	p.line("")
	for i, a := range w.Applications {
		token := a.BotToken
		if made, ok := applied.BotTokens[a.ID]; ok {
			token = made.Reveal()
		}
		p.line("  # %s", a.Name)
		p.line("  export BELLHOP_BASE_URL=%s/api/v10", base)
		p.line("  export BELLHOP_APPLICATION_ID=%s", a.ID)
		if token == "" {
			p.line("  # its bot token was shown when it was made")
			continue
		}
		p.line("  export BELLHOP_BOT_TOKEN=%s", token)
		if i == 0 {
			p.line("")
			p.line("  curl -s -H 'Authorization: Bot %s' -H 'Content-Type: application/json' \\", token)
			p.line("    -d '{\"name\":\"roll\",\"description\":\"Roll dice\"}' %s/api/v10/applications/%s/commands", base, a.ID)
		}
		p.line("")
	}
	for _, u := range w.Users {
		token := u.Token
		if made, ok := applied.UserTokens[u.ID]; ok {
			token = made.Reveal()
		}
		if token != "" {
			p.line("  # %s (%s) has the user token %s", u.Username, u.ID, token)
		}
	}
	p.line("")
	return p.err
}

// printMinted shows the secrets that were just made, which nothing can show again.
func printMinted(out io.Writer, applied directory.Applied) error {
	p := printer{out: out}
	for _, id := range slices.Sorted(maps.Keys(applied.BotTokens)) {
		p.line("bot token of application %s, shown once: %s", id, applied.BotTokens[id].Reveal())
	}
	for _, id := range slices.Sorted(maps.Keys(applied.ClientSecrets)) {
		p.line("client secret of application %s, shown once: %s", id, applied.ClientSecrets[id].Reveal())
	}
	for _, id := range slices.Sorted(maps.Keys(applied.UserTokens)) {
		p.line("token of user %s, shown once: %s", id, applied.UserTokens[id].Reveal())
	}
	return p.err
}

// printer writes lines and remembers the first fault.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
	}
}
