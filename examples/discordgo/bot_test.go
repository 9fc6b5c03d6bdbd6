package main

import (
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/bwmarrin/discordgo"
)

const echo = snowflake.Application(1100000000000000100) // of the demo world

// start runs the bot against a new server. Its dice always show the highest number.
func start(t *testing.T) *bellhoptest.Server {
	t.Helper()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	session, err := discordgo.New("Bot " + srv.BotToken(echo))
	if err != nil {
		t.Fatal(err)
	}
	session.Client = srv.Redirect()
	if err := (Bot{Roll: func(sides int) int { return sides }}).Start(session, echo.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

func TestRoll(t *testing.T) {
	t.Parallel()
	srv := start(t)
	for line, want := range map[string]string{
		"/roll":          "You rolled a 6.",
		"/roll sides:20": "You rolled a 20.",
	} {
		if got := srv.Invoke(t, "bob", "Lab/general", line); got.Outcome != "answered" || got.Text() != want {
			t.Errorf("%s is %s: %q, want %q", line, got.Outcome, got.Text(), want)
		}
	}
}

// TestRollMany waits for the deferred answer.
func TestRollMany(t *testing.T) {
	t.Parallel()
	srv := start(t)
	got := srv.Use(t, client.Invocation{As: "ada", In: "Lab/general", Command: "/roll dice:3", Wait: "final"})
	if got.Text() != "You rolled 6, 6, 6." {
		t.Errorf("three dice: %s %q", got.Outcome, got.Text())
	}
}

// TestReconnects closes the bot's connection. The library resumes, and the bot answers again.
func TestReconnects(t *testing.T) {
	t.Parallel()
	srv := start(t)
	if hit := srv.Fault(t, client.Fault{Application: echo, Disconnect: 4000}); hit.Struck != 1 {
		t.Fatalf("%d connections were closed, want 1", hit.Struck)
	}
	for {
		got := srv.Invoke(t, "bob", "Lab/general", "/roll")
		if got.Outcome == "answered" {
			return
		}
		if t.Context().Err() != nil {
			t.Fatalf("the bot is still away: %+v", got)
		}
	}
}
