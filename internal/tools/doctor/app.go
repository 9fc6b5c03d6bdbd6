// Package doctor finds out why a service or a bot does not work: it checks the data of a service, which may be running, and a
// bot end to end.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/definitions"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Verdict is the result of a check.
type Verdict string

// The verdicts.
const (
	Healthy Verdict = "ok"
	Broken  Verdict = "failed"
	Skipped Verdict = "skipped"
)

// App checks a bot end to end: token, clock, commands, permissions, endpoint and signatures.
type App struct {
	Client  *client.Client
	BaseURL string // of Client
	App     string // the application id; empty: the application of the token
	Guild   string // also check the commands of this guild
	As, In  string // the user whose permissions are checked, and the channel; empty: they are not checked
	Try     string // a command that the bot must answer; empty: none is invoked
	Clock   clock.Clock

	// Report is called with the result of each check. fix says how to repair what is broken.
	Report func(v Verdict, name, text, fix string)

	app      client.Application
	commands []client.Command
}

// Run runs the checks. Without a valid token it runs only the first.
func (d *App) Run(ctx context.Context) {
	if d.checkToken(ctx) {
		d.checkCommands(ctx)
		d.checkPermissions(ctx)
		d.checkEndpoint(ctx)
		d.checkAnswer(ctx)
	}
}

// maxSkew is the difference between clocks that most libraries accept in a signature.
const maxSkew = 5 * time.Second

// checkToken checks the token, and the clock of the service by the header Date.
func (d *App) checkToken(ctx context.Context) bool {
	a, err := d.Client.Do(ctx, client.Request{Method: http.MethodGet, Path: "/applications/@me"})
	if err != nil {
		d.Report(Broken, "token", err.Error(), "start the service, or correct --base-url")
		return false
	}
	if a.Status == http.StatusUnauthorized {
		d.Report(Broken, "token", "the service refuses the token (401)", "copy the token that bellhop dev printed, or create one: bellhop token bot")
		return false
	}
	if err := json.Unmarshal(a.Body, &d.app); err != nil || a.Status != http.StatusOK {
		d.Report(Broken, "token", fmt.Sprintf("the service answers %d to GET /applications/@me", a.Status), "use a bot token, and a --base-url that ends in /api/v10")
		return false
	}
	if d.App != "" && d.App != d.app.ID.String() {
		d.Report(Broken, "token", fmt.Sprintf("the token belongs to application %s, not to %s", d.app.ID, d.App), "use --app "+d.app.ID.String())
		return false
	}
	d.Report(Healthy, "token", fmt.Sprintf("application %s (%s)", d.app.Name, d.app.ID), "")
	d.checkClock("service", a.Header.Get("Date"))
	return true
}

// checkClock compares the clock of a server with that of this machine.
func (d *App) checkClock(of, date string) {
	name := "clock"
	then, err := http.ParseTime(date)
	if err != nil {
		d.Report(Skipped, name, "the "+of+" does not tell its time", "")
		return
	}
	skew := d.Clock.Now().Sub(then).Round(time.Second) // the header has whole seconds
	if skew.Abs() > maxSkew {
		d.Report(Broken, name, fmt.Sprintf("the clock of the %s differs by %v", of, skew.Abs()), "set the clocks of both machines, for example with NTP")
		return
	}
	d.Report(Healthy, name, "the "+of+" has the time of this machine", "")
}

// checkCommands checks that the application has commands.
func (d *App) checkCommands(ctx context.Context) {
	scopes := []command.Scope{{Application: d.app.ID}}
	if d.Guild != "" {
		guild, err := snowflake.Parse[snowflake.Guild](d.Guild)
		if err != nil {
			d.Report(Broken, "commands", fmt.Sprintf("--guild %q: %v", d.Guild, err), "use the id of a guild")
			return
		}
		scopes = append(scopes, command.Scope{Application: d.app.ID, Guild: guild})
	}
	for _, scope := range scopes {
		list, err := d.Client.Commands(ctx, scope)
		if err != nil {
			d.Report(Broken, "commands", err.Error(), "install the app in the guild")
			return
		}
		d.commands = append(d.commands, list...)
	}
	if len(d.commands) == 0 {
		d.Report(Broken, "commands", "the application has no commands", "bellhop commands push commands.yaml")
		return
	}
	names := make([]string, len(d.commands))
	for i, c := range d.commands {
		names[i] = definitions.Title(c.Type, c.Name)
	}
	d.Report(Healthy, "commands", terminal.Plural(len(names), "command")+": "+strings.Join(names, ", "), "")
}

// checkPermissions checks that the user can use each command in the channel.
func (d *App) checkPermissions(ctx context.Context) {
	if d.As == "" {
		d.Report(Skipped, "permissions", "no user given: add --as USER --in CHANNEL", "")
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
			d.Report(Broken, "permissions", remote.Describe(err).Error(), "correct --as and --in; the service needs dev controls")
			return
		}
		var e struct {
			Allowed     bool   `json:"allowed"`
			Explanation string `json:"explanation"`
		}
		if err := json.Unmarshal(response, &e); err != nil {
			d.Report(Broken, "permissions", err.Error(), "use the --base-url of a Bellhop")
			return
		}
		verdict, fix := Healthy, ""
		if !e.Allowed {
			verdict, fix = Broken, "give the user a role with the permissions, or change the permissions of the command"
		}
		d.Report(verdict, "permissions", fmt.Sprintf("%s for %s: %s", name, d.As, e.Explanation), fix)
	}
}

// checkAnswer invokes a command. It tests the way through the gateway too.
func (d *App) checkAnswer(ctx context.Context) {
	if d.Try == "" {
		d.Report(Skipped, "answer", "no command given: add --try '/roll sides:6'", "")
		return
	}
	body, err := json.Marshal(map[string]string{"as": d.As, "in": d.In, "command": d.Try})
	if err != nil {
		d.Report(Broken, "answer", err.Error(), "")
		return
	}
	q := remote.Request{Method: http.MethodPost, URL: remote.Root(d.BaseURL) + "/_dev/invoke", ContentType: "application/json", Body: body}
	response, err := q.Send(ctx)
	if err != nil {
		d.Report(Broken, "answer", remote.Describe(err).Error(), "correct the command of --try")
		return
	}
	v, err := jsonbody.Parse(response)
	if err != nil {
		d.Report(Broken, "answer", err.Error(), "")
		return
	}
	took := v.Get("timings_ms").Get("answered").Text()
	if outcome := v.Get("outcome").Text(); outcome != "failed" {
		d.Report(Healthy, "answer", fmt.Sprintf("%s: %s after %s ms", d.Try, outcome, took), "")
		return
	}
	d.Report(Broken, "answer", fmt.Sprintf("%s failed: %s", d.Try, cmp.Or(v.Get("reason").Text(), "no reason")),
		"start the bot, and answer each interaction within 3 seconds")
}
