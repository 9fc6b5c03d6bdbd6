package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
)

func TestLobbyOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		dev  bool
		want lobbies.Settings
	}{
		{nil, false, lobbies.Settings{Users: lobbies.Strict, MaxPerUser: lobby.MaxLobbiesPerUser}},
		{nil, true, lobbies.Settings{MaxPerUser: lobby.MaxLobbiesPerUser}},
		{[]string{"--lobby-users=auto"}, false, lobbies.Settings{MaxPerUser: lobby.MaxLobbiesPerUser}},
		{[]string{"--lobby-users=strict"}, true, lobbies.Settings{Users: lobbies.Strict, MaxPerUser: lobby.MaxLobbiesPerUser}},
		{[]string{"--lobby-activity=connections", "--lobbies-per-user=7"}, true, lobbies.Settings{Activity: lobby.Connections, MaxPerUser: 7}},
	} {
		var o lobbyOptions
		parser, err := kong.New(&o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		if got, err := o.settings(tt.dev); err != nil || got != tt.want {
			t.Errorf("%v, dev %v: settings() = %+v, %v, want %+v", tt.args, tt.dev, got, err, tt.want)
		}
	}
}
