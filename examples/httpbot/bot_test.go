package main

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
)

const echo = snowflake.Application(1100000000000000100) // of the demo world

// start runs the bot against a new server. Its dice always show the highest number.
func start(t *testing.T) *bellhoptest.Server {
	t.Helper()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	if err := Register(t.Context(), srv.Bot(echo), echo); err != nil {
		t.Fatal(err)
	}
	srv.Connect(t, echo, Bot{Key: srv.VerifyKey(t, echo), Roll: func(sides int) int { return sides }})
	return srv
}

func TestRoll(t *testing.T) {
	t.Parallel()
	srv := start(t)
	for line, want := range map[string]string{
		"/roll":          "You rolled a 6 of 6.",
		"/roll sides:20": "You rolled a 20 of 20.",
		"/roll sides:1":  "A die has at least two sides.",
	} {
		if got := srv.Invoke(t, "bob", "Lab/general", line); got.Outcome != "answered" || got.Text() != want {
			t.Errorf("%s is %s: %q, want %q", line, got.Outcome, got.Text(), want)
		}
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	srv := start(t)
	choices := srv.Autocomplete(t, "bob", "Lab/general", "/roll sides:", "sides")
	if len(choices) != 2 || choices[0].Name != "a coin" {
		t.Errorf("suggestions %+v, want a coin and a die", choices)
	}
}

// TestForged checks that the bot rejects requests without a valid signature.
func TestForged(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	address := srv.Connect(t, echo, Bot{Key: srv.VerifyKey(t, echo)})
	resp, err := http.Post(address, "application/json", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a forged interaction is answered %d, want 401", resp.StatusCode)
	}
}

// TestSlowService registers the bot's commands while the service returns 429.
func TestSlowService(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	srv.Fault(t, client.Fault{Method: http.MethodPut, RateLimit: 0.01, Count: 2})
	if err := Register(t.Context(), srv.Bot(echo), echo); err != nil {
		t.Errorf("Register() = %v, want it to try again", err)
	}
	if refused := srv.Requests(t, url.Values{"status": {"429"}}); len(refused) != 2 {
		t.Errorf("%d requests were refused, want 2", len(refused))
	}
}
