package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/definitions"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
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

// verdict is the result of a check.
type verdict string

const (
	healthy verdict = "ok"
	broken  verdict = "failed"
	skipped verdict = "skipped"
)

// doctor prints the checks of a bot.
type doctor struct {
	doctorApp
	printer
	terminal.Style

	client   *client.Client
	app      client.Application
	commands []client.Command
	failures int
}

// maxSkew is the difference between clocks that most libraries accept in a signature.
const maxSkew = 5 * time.Second

// Run runs the checks. Without a valid token it runs only the first.
func (o doctorApp) Run(ctx context.Context, s streams) error {
	switch {
	case o.Token == "":
		return usageError{errors.New("--token is empty")}
	case (o.As == "") != (o.In == ""):
		return usageError{errors.New("--as and --in must be used together")}
	case o.Try != "" && o.As == "":
		return usageError{errors.New("--try requires --as and --in")}
	}
	d := &doctor{doctorApp: o, printer: printer{out: s.out}, Style: newStyle(s.out)}
	d.client = &client.Client{BaseURL: o.BaseURL, Authorization: authorization(o.Token)}
	if d.checkToken(ctx) {
		d.checkCommands(ctx)
		d.checkPermissions(ctx)
		d.checkEndpoint(ctx)
		d.checkAnswer(ctx)
	}
	if d.err == nil && d.failures > 0 {
		d.line("\n%s found.", terminal.Plural(d.failures, "problem"))
		return exitCode(exitFailed)
	}
	return d.err
}

// report prints the result of a check. fix says how to repair it.
func (d *doctor) report(v verdict, name, text, fix string) {
	mark := fmt.Sprintf("%-8s", v)
	switch v {
	case healthy:
		mark = d.Green(mark)
	case broken:
		mark = d.Red(mark)
		d.failures++
	case skipped:
		mark = d.Dim(mark)
	}
	d.line("%s %-12s %s", mark, name, terminal.Printable(text))
	if fix != "" {
		d.line("%-21s fix: %s", "", fix)
	}
}

// checkToken checks the token, and the clock of the service by the header Date.
func (d *doctor) checkToken(ctx context.Context) bool {
	a, err := d.client.Do(ctx, client.Request{Method: http.MethodGet, Path: "/applications/@me"})
	if err != nil {
		d.report(broken, "token", err.Error(), "start the service, or correct --base-url")
		return false
	}
	if a.Status == http.StatusUnauthorized {
		d.report(broken, "token", "the service refuses the token (401)", "copy the token that bellhop dev printed, or create one: bellhop token bot")
		return false
	}
	if err := json.Unmarshal(a.Body, &d.app); err != nil || a.Status != http.StatusOK {
		d.report(broken, "token", fmt.Sprintf("the service answers %d to GET /applications/@me", a.Status), "use a bot token, and a --base-url that ends in /api/v10")
		return false
	}
	if d.App != "" && d.App != d.app.ID.String() {
		d.report(broken, "token", fmt.Sprintf("the token belongs to application %s, not to %s", d.app.ID, d.App), "use --app "+d.app.ID.String())
		return false
	}
	d.report(healthy, "token", fmt.Sprintf("application %s (%s)", d.app.Name, d.app.ID), "")
	d.checkClock("service", a.Header.Get("Date"))
	return true
}

// checkClock compares the clock of a server with that of this machine.
func (d *doctor) checkClock(of, date string) {
	name := "clock"
	then, err := http.ParseTime(date)
	if err != nil {
		d.report(skipped, name, "the "+of+" does not tell its time", "")
		return
	}
	skew := time.Since(then).Round(time.Second) // the header has whole seconds
	if skew.Abs() > maxSkew {
		d.report(broken, name, fmt.Sprintf("the clock of the %s differs by %v", of, skew.Abs()), "set the clocks of both machines, for example with NTP")
		return
	}
	d.report(healthy, name, "the "+of+" has the time of this machine", "")
}

// checkCommands checks that the application has commands.
func (d *doctor) checkCommands(ctx context.Context) {
	scopes := []command.Scope{{Application: d.app.ID}}
	if d.Guild != "" {
		guild, err := parseID[snowflake.Guild]("--guild", d.Guild)
		if err != nil {
			d.report(broken, "commands", err.Error(), "use the id of a guild")
			return
		}
		scopes = append(scopes, command.Scope{Application: d.app.ID, Guild: guild})
	}
	for _, scope := range scopes {
		list, err := d.client.Commands(ctx, scope)
		if err != nil {
			d.report(broken, "commands", err.Error(), "install the app in the guild")
			return
		}
		d.commands = append(d.commands, list...)
	}
	if len(d.commands) == 0 {
		d.report(broken, "commands", "the application has no commands", "bellhop commands push commands.yaml")
		return
	}
	names := make([]string, len(d.commands))
	for i, c := range d.commands {
		names[i] = definitions.Title(c.Type, c.Name)
	}
	d.report(healthy, "commands", terminal.Plural(len(names), "command")+": "+strings.Join(names, ", "), "")
}

// checkPermissions checks that the user can use each command in the channel.
func (d *doctor) checkPermissions(ctx context.Context) {
	if d.As == "" {
		d.report(skipped, "permissions", "no user given: add --as USER --in CHANNEL", "")
		return
	}
	for _, c := range d.commands {
		if c.Type == command.PrimaryEntryPoint {
			continue
		}
		name := c.Name
		if c.Type == command.ChatInput {
			name = "/" + name
		}
		query := url.Values{"as": {d.As}, "in": {d.In}, "command": {name}, "application": {d.app.ID.String()}}
		q := remote.Request{Method: http.MethodGet, URL: remote.Root(d.BaseURL) + "/_dev/explain?" + query.Encode()}
		response, err := q.Send(ctx)
		if err != nil {
			d.report(broken, "permissions", remote.Describe(err).Error(), "correct --as and --in; the service needs dev controls")
			return
		}
		var e struct {
			Allowed     bool   `json:"allowed"`
			Explanation string `json:"explanation"`
		}
		if err := json.Unmarshal(response, &e); err != nil {
			d.report(broken, "permissions", err.Error(), "use the --base-url of a Bellhop")
			return
		}
		verdict, fix := healthy, ""
		if !e.Allowed {
			verdict, fix = broken, "give the user a role with the permissions, or change the permissions of the command"
		}
		d.report(verdict, "permissions", fmt.Sprintf("%s for %s: %s", name, d.As, e.Explanation), fix)
	}
}

// checkAnswer invokes a command. It tests the way through the gateway too.
func (d *doctor) checkAnswer(ctx context.Context) {
	if d.Try == "" {
		d.report(skipped, "answer", "no command given: add --try '/roll sides:6'", "")
		return
	}
	body, err := json.Marshal(map[string]string{"as": d.As, "in": d.In, "command": d.Try})
	if err != nil {
		d.report(broken, "answer", err.Error(), "")
		return
	}
	q := remote.Request{Method: http.MethodPost, URL: remote.Root(d.BaseURL) + "/_dev/invoke", ContentType: "application/json", Body: body}
	response, err := q.Send(ctx)
	if err != nil {
		d.report(broken, "answer", remote.Describe(err).Error(), "correct the command of --try")
		return
	}
	v, err := jsonbody.Parse(response)
	if err != nil {
		d.report(broken, "answer", err.Error(), "")
		return
	}
	took := v.Get("timings_ms").Get("answered").Text()
	if outcome := v.Get("outcome").Text(); outcome != "failed" {
		d.report(healthy, "answer", fmt.Sprintf("%s: %s after %s ms", d.Try, outcome, took), "")
		return
	}
	d.report(broken, "answer", fmt.Sprintf("%s failed: %s", d.Try, cmp.Or(v.Get("reason").Text(), "no reason")),
		"start the bot, and answer each interaction within 3 seconds")
}
