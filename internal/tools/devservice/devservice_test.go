package devservice

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// TestBannerFits checks that no line of the banner is wider than a terminal, with long tokens, and that a long list of users is
// cut.
func TestBannerFits(t *testing.T) {
	t.Parallel()
	w := world.Demo()
	applied := provision.Applied{UserTokens: map[snowflake.User]auth.Secret{}}
	for i := range 20 {
		id := snowflake.User(1_200_000_000_000_000_000 + i)
		w.Users = append(w.Users, world.User{ID: id, Username: fmt.Sprintf("guest-%d", i)})
		applied.UserTokens[id] = auth.Secret(strings.Repeat("x", 72))
	}
	var out strings.Builder
	b := Banner{Printer: terminal.Printer{Out: &out}, Base: "http://127.0.0.1:18080"}
	b.Start(w, applied, auth.Secret(strings.Repeat("A", 52)))
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > terminal.Columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"# and 13 more users", "\n  # " + strings.Repeat("x", 72), "/admin/v1:\n  # AAA"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the banner has no %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("escape sequences without a terminal: %q", out.String())
	}
}

// TestFeedLines checks the line of an interaction.
func TestFeedLines(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 30, 5, 0, time.UTC)
	for _, tt := range []struct {
		name string
		give dispatch.Ended
		want string
	}{
		{
			"answered",
			dispatch.Ended{Kind: "command", Command: command.ChatInput, Path: "roll", Result: dispatch.Answered, Took: 12 * time.Millisecond},
			"12:30:05  ada        /roll                Echo         answered 12 ms\n",
		},
		{
			"failed",
			dispatch.Ended{
				Kind: "command", Command: command.User, Path: "Report", Result: dispatch.Failed,
				Detail: "no answer\x1b[2J", Took: 3 * time.Second,
			},
			"12:30:05  ada        user command \"Report\" Echo         failed 3000 ms: no answer�[2J\n",
		},
		{
			"component",
			dispatch.Ended{Kind: "component", Command: command.ChatInput, Path: "roll again", Result: dispatch.Deferred},
			"12:30:05  ada        component of /roll again Echo         deferred 0 ms\n",
		},
		{
			"modal without a command",
			dispatch.Ended{Kind: "modal", Result: dispatch.Answered},
			"12:30:05  ada        modal                Echo         answered 0 ms\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := NewFeed(&strings.Builder{}, terminal.Style{}, clock.System{})
			if got := f.format(feedLine{tt.give, at}, "ada", "Echo"); got != tt.want {
				t.Errorf("format() = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestFeedDoesNotBlock checks that a feed that is not printed drops lines.
func TestFeedDoesNotBlock(t *testing.T) {
	t.Parallel()
	f := NewFeed(&strings.Builder{}, terminal.Style{}, clock.System{})
	for range maxWaiting + 10 {
		f.Add(dispatch.Ended{})
	}
	if len(f.lines) != maxWaiting {
		t.Errorf("%d lines wait, want %d", len(f.lines), maxWaiting)
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://127.0.0.1:8080": "http://127.0.0.1:8080",
		"http://0.0.0.0:8080":   "http://127.0.0.1:8080",
		"http://[::]:8080":      "http://127.0.0.1:8080",
		"http://10.0.0.7:8080":  "http://10.0.0.7:8080",
	} {
		if got := Reachable(base); got != want {
			t.Errorf("Reachable(%s) = %s, want %s", base, got, want)
		}
	}
}
