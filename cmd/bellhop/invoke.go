package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// invokeOptions are the flags of "bellhop invoke".
type invokeOptions struct {
	As           string `required:"" placeholder:"USER" help:"User who invokes the command: id or username."`
	In           string `required:"" placeholder:"CHANNEL" help:"Channel: id, or names as in GUILD/CHANNEL."`
	Autocomplete string `placeholder:"OPTION" help:"Request autocomplete choices for this option instead."`
	Wait         string `default:"answer" enum:"answer,final,none" help:"What to wait for. answer: the first response of the app. final: also the result of a deferred response. none: nothing."`
	JSON         bool   `name:"json" help:"Print the whole result as JSON."`
	BaseURL      string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service with dev controls, http://127.0.0.1:8080 by default."`
	Command      string `arg:"" help:"The command as a user types it: '/roll sides:6', '/say text:\"two words\"', '/kick who:<@200>'. A user or message command has no slash: 'Report <@200>'."`
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
	if o.Wait == "final" {
		q.Timeout = finalTimeout
	}
	response, err := q.Send(ctx)
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
		err = printOutcome(&terminal.Printer{Out: s.out}, v)
	}
	if err == nil && v.Get("outcome").Text() == "failed" {
		return errFailed
	}
	return err
}

// printOutcome prints the result of an invocation.
func printOutcome(p *terminal.Printer, v jsonbody.Value) error {
	took := v.Get("timings_ms")
	times := fmt.Sprintf("checked after %s ms", took.Get("checked").Text())
	if delivered := took.Get("delivered").Text(); delivered != "0" { // 0: the app has not received it
		times += fmt.Sprintf(", delivered after %s ms", delivered)
	}
	switch outcome := v.Get("outcome").Text(); outcome {
	case "":
		p.Line("sent: interaction %s", v.Get("interaction").Get("id").Text())
	case "failed":
		p.Line("failed after %s ms: %s (%s)", took.Get("answered").Text(), v.Get("reason").Text(), times)
	default:
		p.Line("%s after %s ms (%s)", outcome, took.Get("answered").Text(), times)
	}
	for _, m := range v.Get("messages").Items() {
		printMessage(p, m)
	}
	for _, c := range v.Get("choices").Items() {
		p.Line("  %s = %s", c.Get("name").Text(), c.Get("value").Text())
	}
	if modal := v.Get("modal"); modal.IsSet() {
		p.Line("  modal %q (%s)", modal.Get("title").Text(), modal.Get("custom_id").Text())
		printComponents(p, modal.Get("components"))
	}
	if a := v.Get("activity"); a.IsSet() {
		p.Line("  activity %s %s", a.Get("instance_id").Text(), a.Get("url").Text())
	}
	return p.Err
}

// Flags of a message.
const (
	ephemeral = 1 << 6
	loading   = 1 << 7
)

func printMessage(p *terminal.Printer, m jsonbody.Value) {
	author := m.Get("author").Get("username").Text()
	var flags int64
	_, _ = fmt.Sscan(m.Get("flags").Text(), &flags) // a message without flags has 0
	if flags&ephemeral != 0 {
		author += " (ephemeral)"
	}
	text := m.Get("content").Text()
	if flags&loading != 0 {
		text = "is thinking…"
	}
	p.Line("  %s: %s", author, strings.ReplaceAll(text, "\n", "\n    "))
	for _, e := range m.Get("embeds").Items() {
		p.Line("    embed: %s", join(" - ", e.Get("title").Text(), e.Get("description").Text()))
	}
	for _, a := range m.Get("attachments").Items() {
		p.Line("    file: %s, %s bytes, %s", a.Get("filename").Text(), a.Get("size").Text(), a.Get("url").Text())
	}
	printComponents(p, m.Get("components"))
}

// printComponents prints the interactive components and the texts of a list, nested ones included.
func printComponents(p *terminal.Printer, list jsonbody.Value) {
	for _, c := range list.Items() {
		if id := c.Get("custom_id").Text(); id != "" {
			p.Line("    [%s] %s", join(" ", c.Get("label").Text(), c.Get("placeholder").Text()), id)
		} else if text := c.Get("content").Text(); text != "" {
			p.Line("    %s", text)
		}
		if label := c.Get("label").Text(); label != "" && c.Get("component").IsSet() {
			p.Line("    %s", label)
		}
		printComponents(p, c.Get("components"))
		for _, member := range []string{"component", "accessory"} {
			if inner := c.Get(member); inner.IsSet() {
				printComponents(p, jsonbody.ListOf(inner))
			}
		}
	}
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, separator)
}
