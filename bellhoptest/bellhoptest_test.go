package bellhoptest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// one is a testing.TB for one iteration of a benchmark. end runs its cleanup functions.
type one struct {
	testing.TB

	cleanups []func()
}

func (o *one) Cleanup(fn func()) { o.cleanups = append(o.cleanups, fn) }

func (o *one) end() {
	for _, fn := range slices.Backward(o.cleanups) { // as the testing package does
		fn()
	}
}

// BenchmarkStart measures the cost of a server per test.
func BenchmarkStart(b *testing.B) {
	w := bellhoptest.DemoWorld()
	b.ReportAllocs()
	for b.Loop() {
		o := &one{TB: b}
		bellhoptest.Start(o, w)
		b.StopTimer()
		o.end()
		b.StartTimer()
	}
}

// noted is a testing.TB that keeps what is logged and what fails.
type noted struct {
	one

	logged, failed string
}

func (n *noted) Logf(format string, args ...any)   { n.logged += fmt.Sprintf(format, args...) }
func (n *noted) Errorf(format string, args ...any) { n.failed += fmt.Sprintf(format, args...) }

// The operations that a bot has called and that the service does not have are logged, or fail the test.
func TestGaps(t *testing.T) {
	t.Parallel()
	for _, fail := range []bool{false, true} {
		n := &noted{one: one{TB: t}}
		srv := bellhoptest.Config{World: bellhoptest.DemoWorld(), FailOnGaps: fail}.Start(n)
		if _, err := srv.Bot(echo).Do(t.Context(), client.Request{Method: "GET", Path: "/guilds/1100000000000000300/templates"}); err != nil {
			t.Fatal(err)
		}
		n.end()
		text := n.logged
		if fail {
			text = n.failed
		}
		if !strings.Contains(text, "does not serve list_guild_templates") || n.failed != "" && !fail {
			t.Errorf("FailOnGaps %t: logged %q, failed %q", fail, n.logged, n.failed)
		}
	}
}

const (
	echo = snowflake.Application(1100000000000000100)
	ada  = snowflake.User(1100000000000000200)
)

func TestStart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "another", "a third"} {
		t.Run(name+" server of its own", func(t *testing.T) {
			t.Parallel()
			srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
			scope := command.Scope{Application: echo}
			if _, created, err := srv.Bot(echo).CreateCommand(t.Context(), scope, command.Definition{Name: "roll", Description: "Roll dice"}); err != nil || !created {
				t.Fatalf("CreateCommand() = %v, %v", created, err)
			}
			list, err := srv.Bot(echo).Commands(t.Context(), scope)
			if err != nil || len(list) != 1 {
				t.Errorf("Commands() = %v, %v, want one", list, err)
			}
			if !strings.HasPrefix(srv.URL, "http://127.0.0.1:") || srv.BaseURL != srv.URL+"/api/v10" {
				t.Errorf("addresses %s and %s", srv.URL, srv.BaseURL)
			}
		})
	}
}

func TestWorlds(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]bellhoptest.World{
		"a struct": {
			Users:        []bellhoptest.User{{ID: 200, Username: "ada"}},
			Applications: []bellhoptest.Application{{ID: 100, Name: "Dice"}},
		},
		"a file": bellhoptest.ReadWorld(t, `
users: [{id: "200", username: ada}]
applications: [{id: "100", name: Dice}]
`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := bellhoptest.Start(t, w)
			app, err := srv.Bot(100).Application(t.Context())
			if err != nil || app.Name != "Dice" {
				t.Errorf("Application() = %+v, %v, want Dice", app, err)
			}
			if srv.BotToken(100) == "" || srv.UserToken(200) == "" {
				t.Error("the server did not create the missing tokens")
			}
		})
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	before := srv.Now(t)
	lobby, err := srv.Bot(echo).Lobbies().Create(t.Context(), client.LobbyInput{IdleTimeoutSeconds: 60})
	if err != nil {
		t.Fatal(err)
	}
	bearer := srv.Bearer(t, echo, ada, "identify")
	if got := srv.Lobby(t, lobby.ID); got == nil || got.ID != lobby.ID {
		t.Fatalf("Lobby() = %v, want %v", got, lobby)
	}
	if passed := srv.Advance(t, time.Minute).Sub(before); passed < time.Minute {
		t.Errorf("%v passed, want a minute", passed)
	}
	if got := srv.Lobby(t, lobby.ID); got != nil {
		t.Errorf("Lobby() = %v after its idle time, want none", got)
	}
	if _, err := bearer.Guilds(t.Context(), 0, 1); !client.IsStatus(err, 403) {
		t.Errorf("a token without the scope for guilds: %v", err)
	}
	srv.Advance(t, 7*24*time.Hour)
	if _, err := bearer.Guilds(t.Context(), 0, 1); !client.IsStatus(err, 401) {
		t.Errorf("a token after a week: %v, want 401", err)
	}
	srv.Reset(t)
	if passed := srv.Now(t).Sub(before); passed > time.Hour {
		t.Errorf("after a reset the clock is %v ahead", passed)
	}
}

func TestLimitsAndLog(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	t.Run("server", func(t *testing.T) {
		srv := bellhoptest.Config{World: bellhoptest.DemoWorld(), Limits: true, Log: &log}.Start(t)
		a, err := srv.Bot(echo).Do(t.Context(), client.Request{Method: "GET", Path: "/applications/@me"})
		if err != nil || a.Header.Get("X-RateLimit-Limit") == "" {
			t.Errorf("Do() = %v, %v, want headers of limits", a, err)
		}
	})
	if !strings.Contains(log.String(), `"route":"/applications/@me"`) {
		t.Errorf("the log lacks the request:\n%s", log.String())
	}
}
