package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// invokeOptions are the flags of "bellhop invoke".
type invokeOptions struct {
	As           string `required:"" placeholder:"USER" help:"Who uses the command: an id or a username."`
	In           string `required:"" placeholder:"CHANNEL" help:"Where: a channel's id, or the names of guild and channel with a slash between."`
	Autocomplete string `placeholder:"OPTION" help:"Ask the app what to suggest for this option instead."`
	Wait         string `default:"answer" enum:"answer,final,none" help:"What to wait for: the first answer, a deferred answer filled in (final), or none."`
	JSON         bool   `name:"json" help:"Print all that came back as JSON."`
	BaseURL      string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"Address of a running service with dev controls."`
	Command      string `arg:"" help:"The command as typed: '/roll sides:6', '/say text:\"two words\"', '/kick who:<@200>', or 'Report <@200>' for one without a slash."`
}

// finalTime is how long a deferred answer can take, and a little more.
const finalTime = 16 * time.Minute

// errFailed says that the invocation came to nothing; what is known about it was printed.
var errFailed = errors.New("the invocation failed")

// Run uses the command, prints what the app answered and fails when it did not.
func (o invokeOptions) Run(ctx context.Context, s streams) error {
	body, err := json.Marshal(map[string]string{
		"as": o.As, "in": o.In, "command": o.Command, "autocomplete": o.Autocomplete, "wait": o.Wait,
	})
	if err != nil {
		return err
	}
	ask := request{
		method: http.MethodPost, url: place{BaseURL: o.BaseURL}.root() + "/_dev/invoke", contentType: "application/json", body: body,
	}
	if o.Wait == "final" {
		ask.wait = finalTime
	}
	answer, err := ask.send(ctx)
	if err != nil {
		return refusal(err)
	}
	v, err := jsonbody.Parse(answer)
	if err != nil {
		return fmt.Errorf("answer of the service: %w", err)
	}
	if o.JSON {
		text := jsontext.Value(answer)
		if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
			return fmt.Errorf("answer of the service: %w", err)
		}
		_, err = fmt.Fprintf(s.out, "%s\n", text)
	} else {
		err = printOutcome(&printer{out: s.out}, v)
	}
	if err == nil && v.Get("outcome").Text() == "failed" {
		return errFailed
	}
	return err
}

// refusal returns what the service objects to, in its words alone where it has some.
func refusal(err error) error {
	e, ok := errors.AsType[*statusError](err)
	if !ok {
		return err
	}
	v, parseErr := jsonbody.Parse(e.body)
	if parseErr != nil || v.Get("message").Text() == "" {
		return err
	}
	lines := findings(nil, "", v.Get("errors"))
	if len(lines) == 0 {
		return fmt.Errorf("%s (%s, code %s)", v.Get("message").Text(), e.status, v.Get("code").Text())
	}
	return errors.New(strings.Join(lines, "\n"))
}

// notUnderstood is the finding on a line that never reached the service: its words say all there is to say.
const notUnderstood = "DEV_NOT_UNDERSTOOD"

// findings lists what stands in a tree of errors, each with its path.
func findings(lines []string, path string, tree jsonbody.Value) []string {
	for _, m := range tree.Members() {
		if m.Name != "_errors" {
			lines = findings(lines, strings.TrimPrefix(path+"."+m.Name, "."), m.Value)
			continue
		}
		for _, e := range m.Value.Items() {
			line := path + ": " + e.Get("message").Text()
			if code := e.Get("code").Text(); code != notUnderstood {
				line += " (" + code + ")"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func printOutcome(p *printer, v jsonbody.Value) error {
	took := v.Get("timings_ms")
	times := fmt.Sprintf("checked after %s ms, delivered after %s ms", took.Get("checked").Text(), took.Get("delivered").Text())
	switch outcome := v.Get("outcome").Text(); outcome {
	case "":
		p.line("sent: interaction %s", v.Get("interaction").Get("id").Text())
	case "failed":
		p.line("failed after %s ms: %s (%s)", took.Get("answered").Text(), v.Get("reason").Text(), times)
	default:
		p.line("%s after %s ms (%s)", outcome, took.Get("answered").Text(), times)
	}
	for _, m := range v.Get("messages").Items() {
		printMessage(p, m)
	}
	for _, c := range v.Get("choices").Items() {
		p.line("  %s = %s", c.Get("name").Text(), c.Get("value").Text())
	}
	if modal := v.Get("modal"); modal.IsSet() {
		p.line("  modal %q (%s)", modal.Get("title").Text(), modal.Get("custom_id").Text())
		printComponents(p, modal.Get("components"))
	}
	if a := v.Get("activity"); a.IsSet() {
		p.line("  activity %s %s", a.Get("instance_id").Text(), a.Get("url").Text())
	}
	return p.err
}

// Flags of a message that a person sees.
const (
	ephemeral = 1 << 6
	loading   = 1 << 7
)

func printMessage(p *printer, m jsonbody.Value) {
	who := m.Get("author").Get("username").Text()
	var flags int64
	_, _ = fmt.Sscan(m.Get("flags").Text(), &flags) // a message without has none
	if flags&ephemeral != 0 {
		who += " (only for who used it)"
	}
	text := m.Get("content").Text()
	if flags&loading != 0 {
		text = "is thinking…"
	}
	p.line("  %s: %s", who, strings.ReplaceAll(text, "\n", "\n    "))
	for _, e := range m.Get("embeds").Items() {
		p.line("    embed: %s", join(" - ", e.Get("title").Text(), e.Get("description").Text()))
	}
	for _, a := range m.Get("attachments").Items() {
		p.line("    file: %s, %s bytes, %s", a.Get("filename").Text(), a.Get("size").Text(), a.Get("url").Text())
	}
	printComponents(p, m.Get("components"))
}

// printComponents shows what can be pressed or filled in, and texts, however deep they stand.
func printComponents(p *printer, list jsonbody.Value) {
	for _, c := range list.Items() {
		if id := c.Get("custom_id").Text(); id != "" {
			p.line("    [%s] %s", join(" ", c.Get("label").Text(), c.Get("placeholder").Text()), id)
		} else if text := c.Get("content").Text(); text != "" {
			p.line("    %s", text)
		}
		if label := c.Get("label").Text(); label != "" && c.Get("component").IsSet() {
			p.line("    %s", label)
		}
		printComponents(p, c.Get("components"))
		for _, one := range []string{"component", "accessory"} {
			if inner := c.Get(one); inner.IsSet() {
				printComponents(p, jsonbody.ListOf(inner))
			}
		}
	}
}

// join puts a separator between the texts that are there.
func join(separator string, texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, separator)
}
