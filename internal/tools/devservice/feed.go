package devservice

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/tools/definitions"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// Feed prints each interaction as one line when it has its first answer or failed. A goroutine prints, so that a terminal
// that does not scroll delays no answer.
type Feed struct {
	out   io.Writer
	style terminal.Style
	clock clock.Clock
	lines chan feedLine
}

type feedLine struct {
	dispatch.Ended

	at time.Time
}

// maxWaiting is the number of lines that wait for a slow terminal. The feed drops the lines after them.
const maxWaiting = 256

// NewFeed returns a feed that prints to out.
func NewFeed(out io.Writer, style terminal.Style, c clock.Clock) *Feed {
	return &Feed{out: out, style: style, clock: c, lines: make(chan feedLine, maxWaiting)}
}

// Add adds an interaction. It does not block.
func (f *Feed) Add(e dispatch.Ended) {
	select {
	case f.lines <- feedLine{e, f.clock.Now()}:
	default:
	}
}

// Run prints lines until ctx ends. It reads the names of users and applications from d.
func (f *Feed) Run(ctx context.Context, d *directory.Directory) {
	for {
		select {
		case <-ctx.Done():
			return
		case l := <-f.lines:
			user, app := l.User.String(), l.Application.String()
			if u, err := d.Users.User(ctx, l.User); err == nil {
				user = u.Username
			}
			if a, err := d.Applications.Application(ctx, l.Application); err == nil {
				app = a.Name
			}
			if _, err := io.WriteString(f.out, f.format(l, user, app)); err != nil {
				return
			}
		}
	}
}

// format returns the line of an interaction: time, user, command, app, outcome and milliseconds.
func (f *Feed) format(l feedLine, user, app string) string {
	outcome := string(l.Result)
	if l.Result == "failed" {
		outcome = f.style.Red(outcome)
	} else {
		outcome = f.style.Green(outcome)
	}
	line := fmt.Sprintf("%s  %-10s %-20s %-12s %s %d ms", f.style.Dim(l.at.Format(time.TimeOnly)),
		terminal.Printable(user), terminal.Printable(l.what()), terminal.Printable(app), outcome, l.Took.Milliseconds())
	if l.Detail != "" {
		line += ": " + terminal.Printable(l.Detail)
	}
	return line + "\n"
}

// what returns what the user used, for example "/roll" or "component of /roll".
func (l feedLine) what() string {
	command := ""
	if l.Path != "" {
		command = strings.TrimSpace(definitions.Title(l.Command, l.Path))
	}
	switch {
	case l.Kind == "command":
		return cmp.Or(command, "command")
	case command == "":
		return l.Kind
	}
	return l.Kind + " of " + command
}
