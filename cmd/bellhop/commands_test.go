package main

import (
	"context"
	"net/http"
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
