package main

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/rogpeppe/go-internal/testscript"
)

const (
	demoEcho = snowflake.Application(1100000000000000100)
	demoLab  = snowflake.Guild(1100000000000000300)
	demoAda  = snowflake.User(1100000000000000200)
)

// TestCommandsScripts runs the scripts of testdata/commands, each with its own service.
func TestCommandsScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/commands",
		Setup: func(e *testscript.Env) error {
			srv := bellhoptest.Start(e.T().(testing.TB), bellhoptest.DemoWorld())
			e.Setenv("BELLHOP_BASE_URL", srv.BaseURL)
			e.Setenv("BELLHOP_TOKEN", srv.BotToken(demoEcho))
			e.Setenv("BELLHOP_APP", demoEcho.String())
			e.Setenv("LAB", demoLab.String())
			e.Setenv("BEARER", srv.Bearer(t, demoEcho, 0).Authorization)
			e.Values[service{}] = srv
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"permit": permit},
	})
}

// service is the key of the service in the values of a script.
type service struct{}

// permit adds a permission entry for a command in the guild: permit NAME [global].
func permit(ts *testscript.TestScript, _ bool, args []string) {
	srv := ts.Value(service{}).(*bellhoptest.Server)
	ctx := context.Background()
	scope := command.Scope{Application: demoEcho, Guild: demoLab}
	if len(args) > 1 {
		scope.Guild = 0
	}
	list, err := srv.Bot(demoEcho).Commands(ctx, scope)
	ts.Check(err)
	token, err := srv.Bot(demoEcho).Dev().MintToken(ctx, demoEcho, demoAda, "applications.commands.permissions.update")
	ts.Check(err)
	editor := &client.Client{BaseURL: srv.BaseURL, Authorization: "Bearer " + token.AccessToken, HTTP: http.DefaultClient}
	for _, c := range list {
		if c.Name == args[0] {
			_, err := editor.SetCommandPermissions(ctx, demoEcho, demoLab, c.ID, []client.PermissionEntry{
				{ID: snowflake.Target(demoAda), Type: permission.ForUser, Allow: true},
			})
			ts.Check(err)
			return
		}
	}
	ts.Fatalf("no command %s", args[0])
}

// TestCommandsMove moves definitions from another service into Bellhop, and from there into a second Bellhop.
func TestCommandsMove(t *testing.T) {
	t.Parallel()
	from, _ := shapesService(t)
	first, second := bellhoptest.Start(t, bellhoptest.DemoWorld()), bellhoptest.Start(t, bellhoptest.DemoWorld())
	file := filepath.Join(t.TempDir(), "commands.yaml")
	bellhop := func(want string, args ...string) {
		t.Helper()
		var out, errs strings.Builder
		if code := run(t.Context(), append([]string{"commands"}, args...), &out, &errs); code != exitOK || !strings.Contains(out.String(), want) {
			t.Fatalf("%v: exit code %d, want %q\n%s%s", args, code, want, out.String(), errs.String())
		}
	}
	echo := func(srv *bellhoptest.Server) []string {
		return []string{"--base-url", srv.BaseURL, "--token", srv.BotToken(demoEcho), "--app", demoEcho.String()}
	}
	bellhop("1 command", "pull", "--base-url", from, "--token", "secret-token", "--app", "845027738276462632", file)
	bellhop("the service has 1 command", append([]string{"push", "--yes", "--prune", file}, echo(first)...)...)
	bellhop("1 command", append([]string{"pull", file}, echo(first)...)...)
	bellhop("the service has 1 command", append([]string{"push", "--yes", "--prune", file}, echo(second)...)...)
	bellhop("Nothing to change", append([]string{"diff", file}, echo(second)...)...)
	list, err := second.Bot(demoEcho).Commands(t.Context(), command.Scope{Application: demoEcho})
	if err != nil || len(list) != 1 || list[0].Name != "room" || len(list[0].Options) != 2 || list[0].NameLocalizations["de"] != "zimmer" {
		t.Errorf("commands %+v, %v", list, err)
	}
}
