package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/tools/transcript"
	"github.com/go-json-experiment/json/jsontext"
)

// invokeOptions are the flags of "bellhop invoke".
type invokeOptions struct {
	As           string        `placeholder:"USER" help:"User who invokes the command: id or username. Default: the first user who is in a guild."`
	In           string        `placeholder:"CHANNEL" help:"Channel: id, or names as in GUILD/CHANNEL. Default: the first channel that the user sees."`
	Autocomplete string        `placeholder:"OPTION" help:"Request autocomplete choices for this option instead."`
	Wait         string        `default:"answer" enum:"answer,final,none" help:"What to wait for. answer: the first response of the app. final: also the result of a deferred response. none: nothing."`
	Timeout      time.Duration `placeholder:"DURATION" help:"How long to wait, such as 30s. Default: a minute, and 16m with --wait final, because an app has 15 minutes for a deferred response."`

	Press  []string          `placeholder:"BUTTON" sep:"none" help:"Press a button of the answer: its label or custom id. Repeat the flag to press more buttons, one after the other."`
	Submit map[string]string `placeholder:"FIELD=VALUE" mapsep:"none" help:"Submit the form that the app opens: a label or custom id and its value. Repeat the flag for more fields."`

	JSON    bool       `name:"json" help:"Print the whole result as JSON."`
	Service devService `embed:""`
	Command string     `arg:"" help:"The command as a user types it: '/roll sides:6', '/say text:\"two words\"', '/kick who:<@200>'. A user or message command has no slash: 'Report <@200>'."`
}

// errFailed means that the invocation failed. Run has printed the details.
var errFailed = errors.New("the invocation failed")

// Run invokes the command, presses buttons, submits a form, and prints each response of the app. It fails if the app does
// not respond.
func (o invokeOptions) Run(ctx context.Context, s streams) error {
	if o.Timeout < 0 {
		return usageError{errors.New("--timeout: want a time above 0")}
	}
	before, err := remote.Gaps(ctx, o.Service.BaseURL, 0)
	if err != nil {
		return remote.Describe(err)
	}
	failed := false
	err = remote.Invocation{
		BaseURL: o.Service.BaseURL, As: o.As, In: o.In, Command: o.Command, Autocomplete: o.Autocomplete, Wait: o.Wait, Timeout: o.Timeout,
		Press: o.Press, Submit: o.Submit,
	}.Run(ctx, func(a remote.Answer) error {
		failed = a.Failed()
		if o.JSON {
			return printJSON(s, a.JSON)
		}
		return transcript.Outcome(s.out, a.Outcome)
	})
	if err == nil && !o.JSON {
		err = o.printGaps(ctx, s, before)
	}
	if err == nil && failed {
		return errFailed
	}
	return err
}

// printJSON prints a response with one member per line.
func printJSON(s streams, response []byte) error {
	text := jsontext.Value(response)
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("response of the service: %w", err)
	}
	_, err := fmt.Fprintf(s.out, "%s\n", text)
	return err
}

// printGaps prints the operations that were called since and that the service does not have. before are the gaps of before.
func (o invokeOptions) printGaps(ctx context.Context, s streams, before []remote.Gap) error {
	gaps, err := remote.GapsAfter(ctx, o.Service.BaseURL, before)
	p := terminal.Printer{Out: s.out}
	for _, g := range gaps {
		p.Line("  gap: Bellhop does not serve %s %s (%s)", g.Method, g.Path, g.Name)
	}
	return errors.Join(err, p.Err)
}
