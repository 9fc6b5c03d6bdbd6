package main

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/doctor"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// doctorOptions are the subcommands of "bellhop doctor".
type doctorOptions struct {
	Data doctorData `cmd:"" default:"withargs" help:"Check the database and the attachments of a service. This is the default."`
	App  doctorApp  `cmd:"" help:"Check a bot end to end: token, clock, commands, permissions, endpoint and signatures."`
}

// doctorApp are the flags of "bellhop doctor app".
type doctorApp struct {
	BaseURL string `default:"http://127.0.0.1:8080/api/v10" placeholder:"URL" help:"Base URL of the API, with its version."`
	Token   string `env:"BELLHOP_TOKEN,BELLHOP_BOT_TOKEN" placeholder:"TOKEN" help:"The bot token of the application."`
	App     string `env:"BELLHOP_APP,BELLHOP_APPLICATION_ID" placeholder:"ID" help:"The application id. Default: the application of the token."`
	Guild   string `placeholder:"ID" help:"Also check the commands of this guild."`
	As      string `placeholder:"USER" help:"User whose permissions are checked: id or username. Needs dev controls."`
	In      string `placeholder:"CHANNEL" help:"Channel in which they are checked: id, or names as in GUILD/CHANNEL."`
	Try     string `placeholder:"COMMAND" help:"Invoke a command as the user, such as '/roll sides:6'. The bot must answer."`
}

// Run runs the checks. Without a valid token it runs only the first.
func (o doctorApp) Run(ctx context.Context, s streams) error {
	switch {
	case o.Token == "":
		return errNoToken
	case (o.As == "") != (o.In == ""):
		return usageError{errors.New("--as and --in must be used together")}
	case o.Try != "" && o.As == "":
		return usageError{errors.New("--try requires --as and --in")}
	}
	p := &doctor.VerdictPrinter{Printer: terminal.Printer{Out: s.out}, Style: newStyle(s.out)}
	d := &doctor.App{
		Client: &client.Client{BaseURL: o.BaseURL, Authorization: authorization(o.Token)}, BaseURL: o.BaseURL,
		App: o.App, Guild: o.Guild, As: o.As, In: o.In, Try: o.Try, Clock: clock.System{}, Report: p.Report,
	}
	d.Run(ctx)
	if p.Err == nil && p.Failures > 0 {
		p.Line("\n%s found.", terminal.Plural(p.Failures, "problem"))
		return exitCode(exitFailed)
	}
	return p.Err
}
