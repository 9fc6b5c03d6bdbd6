package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/tools/transcript"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// invokeOptions are the flags of "bellhop invoke".
type invokeOptions struct {
	As           string        `required:"" placeholder:"USER" help:"User who invokes the command: id or username."`
	In           string        `required:"" placeholder:"CHANNEL" help:"Channel: id, or names as in GUILD/CHANNEL."`
	Autocomplete string        `placeholder:"OPTION" help:"Request autocomplete choices for this option instead."`
	Wait         string        `default:"answer" enum:"answer,final,none" help:"What to wait for. answer: the first response of the app. final: also the result of a deferred response. none: nothing."`
	Timeout      time.Duration `placeholder:"DURATION" help:"How long to wait, such as 30s. Default: a minute, and 16m with --wait final, because an app has 15 minutes for a deferred response."`

	JSON    bool   `name:"json" help:"Print the whole result as JSON."`
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service with dev controls, http://127.0.0.1:8080 by default."`
	Command string `arg:"" help:"The command as a user types it: '/roll sides:6', '/say text:\"two words\"', '/kick who:<@200>'. A user or message command has no slash: 'Report <@200>'."`
}

// finalTimeout is a little longer than an app may take for a deferred response.
const finalTimeout = 16 * time.Minute

// errFailed means that the invocation failed. Run has printed the details.
var errFailed = errors.New("the invocation failed")

// Run invokes the command and prints the response of the app. It fails if the app does not respond.
func (o invokeOptions) Run(ctx context.Context, s streams) error {
	body, err := json.Marshal(map[string]string{
		"as": o.As, "in": o.In, "command": o.Command, "autocomplete": o.Autocomplete, "wait": o.Wait,
	})
	if err != nil {
		return err
	}
	q := remote.Request{
		Method: http.MethodPost, URL: remote.Root(o.BaseURL) + "/_dev/invoke", ContentType: "application/json", Body: body,
	}
	switch {
	case o.Timeout < 0:
		return usageError{errors.New("--timeout: want a time above 0")}
	case o.Timeout > 0:
		q.Timeout = o.Timeout
	case o.Wait == "final":
		q.Timeout = finalTimeout
	}
	before, err := remote.Gaps(ctx, o.BaseURL, 0)
	if err != nil {
		return remote.Describe(err)
	}
	response, err := q.Send(ctx)
	if errors.Is(err, context.DeadlineExceeded) && o.Timeout > 0 {
		return fmt.Errorf("the app did not answer within %v: see Traffic in the console", o.Timeout)
	}
	if err != nil {
		return remote.Describe(err)
	}
	v, err := jsonbody.Parse(response)
	if err != nil {
		return fmt.Errorf("response of the service: %w", err)
	}
	if o.JSON {
		text := jsontext.Value(response)
		if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
			return fmt.Errorf("response of the service: %w", err)
		}
		_, err = fmt.Fprintf(s.out, "%s\n", text)
	} else {
		err = errors.Join(transcript.Outcome(s.out, v), o.printGaps(ctx, s, before))
	}
	if err == nil && v.Get("outcome").Text() == "failed" {
		return errFailed
	}
	return err
}

// printGaps prints the operations that were called since and that the service does not have. before are the gaps of before.
func (o invokeOptions) printGaps(ctx context.Context, s streams, before []remote.Gap) error {
	var last uint64
	if len(before) > 0 {
		last = before[0].ID
	}
	gaps, err := remote.Gaps(ctx, o.BaseURL, last)
	p := terminal.Printer{Out: s.out}
	for _, g := range gaps {
		p.Line("  gap: Bellhop does not serve %s %s (%s)", g.Method, g.Path, g.Name)
	}
	return errors.Join(err, p.Err)
}
