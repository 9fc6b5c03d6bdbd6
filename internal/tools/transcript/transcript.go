// Package transcript prints what an app answered as text: messages, modals, choices and components.
package transcript

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// Outcome prints the result of an invocation, in the shape that the dev controls answer.
func Outcome(out io.Writer, v jsonbody.Value) error {
	p := &terminal.Printer{Out: out}
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

// Said prints what a person did in a channel and what apps answered, in the shape that the dev controls answer. It prints
// without instead of a message if there is none.
func Said(out io.Writer, v jsonbody.Value, without string) error {
	p := &terminal.Printer{Out: out}
	if m := v.Get("message"); m.IsSet() {
		p.Line("message %s", m.Get("id").Text())
		printMessage(p, m)
	} else {
		p.Line("%s", without)
	}
	for _, m := range v.Get("answers").Items() {
		printMessage(p, m)
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
		p.Line("    embed: %s", terminal.Join(" - ", e.Get("title").Text(), e.Get("description").Text()))
	}
	for _, a := range m.Get("attachments").Items() {
		p.Line("    file: %s, %s bytes, %s", a.Get("filename").Text(), a.Get("size").Text(), a.Get("url").Text())
	}
	for _, r := range m.Get("reactions").Items() {
		p.Line("    reaction: %s %s", r.Get("emoji").Get("name").Text(), r.Get("count").Text())
	}
	printPoll(p, m.Get("poll"))
	printComponents(p, m.Get("components"))
}

// printPoll prints the question of a poll and its answers with their numbers and votes.
func printPoll(p *terminal.Printer, poll jsonbody.Value) {
	if !poll.IsSet() {
		return
	}
	p.Line("    poll: %s", poll.Get("question").Get("text").Text())
	votes := map[string]string{}
	for _, c := range poll.Get("results").Get("answer_counts").Items() {
		votes[c.Get("id").Text()] = c.Get("count").Text()
	}
	for _, a := range poll.Get("answers").Items() {
		id := a.Get("answer_id").Text()
		p.Line("      %s. %s: %s", id, a.Get("poll_media").Get("text").Text(), cmp.Or(votes[id], "0"))
	}
}

// printComponents prints the interactive components and the texts of a list, nested ones included.
func printComponents(p *terminal.Printer, list jsonbody.Value) {
	for _, c := range list.Items() {
		if id := c.Get("custom_id").Text(); id != "" {
			p.Line("    [%s] %s", terminal.Join(" ", c.Get("label").Text(), c.Get("placeholder").Text()), id)
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
