package client_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	echo = snowflake.Application(1100000000000000100)
	lab  = snowflake.Guild(1100000000000000300)
	ada  = snowflake.User(1100000000000000200)
	bob  = snowflake.User(1100000000000000201)

	general = snowflake.Channel(1100000000000000311)
)

func TestCommands(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx, c := t.Context(), srv.Bot(echo)
	for name, scope := range map[string]command.Scope{"global": {Application: echo}, "guild": {Application: echo, Guild: lab}} {
		t.Run(name, func(t *testing.T) {
			roll := command.Definition{
				Name: "roll", Description: "Roll dice",
				Options: []command.Option{{Type: command.Integer, Name: "sides", Description: "How many"}},
			}
			made, created, err := c.CreateCommand(ctx, scope, roll)
			if err != nil || !created || made.Scope != scope || made.Options[0].Name != "sides" {
				t.Fatalf("CreateCommand() = %+v, %v, %v", made, created, err)
			}
			if _, created, err = c.CreateCommand(ctx, scope, roll); err != nil || created {
				t.Errorf("CreateCommand() again = %v, %v, want it overwritten", created, err)
			}
			changed, err := c.EditCommand(ctx, scope, made.ID, map[string]any{"description": "Roll many dice"})
			if err != nil || changed.Description != "Roll many dice" || changed.ID != made.ID {
				t.Errorf("EditCommand() = %+v, %v", changed, err)
			}
			list, err := c.OverwriteCommands(ctx, scope, []client.Item{
				{ID: made.ID, Definition: command.Definition{Name: "throw", Description: "Roll dice"}},
				{Definition: command.Definition{Type: command.User, Name: "Show Card"}},
			})
			if err != nil || len(list) != 2 || list[0].ID != made.ID || list[0].Name != "throw" {
				t.Fatalf("OverwriteCommands() = %+v, %v, want the first renamed", list, err)
			}
			read, err := c.Command(ctx, scope, list[1].ID)
			if err != nil || read.Type != command.User || len(read.Raw) == 0 {
				t.Errorf("Command() = %+v, %v", read, err)
			}
			if err := c.DeleteCommand(ctx, scope, read.ID); err != nil {
				t.Error(err)
			}
			if _, err := c.Command(ctx, scope, read.ID); !client.IsCode(err, 10063) {
				t.Errorf("Command() of a deleted one = %v", err)
			}
			if all, err := c.Commands(ctx, scope); err != nil || len(all) != 1 {
				t.Errorf("Commands() = %+v, %v, want one", all, err)
			}
		})
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx := t.Context()
	made, _, err := srv.Bot(echo).CreateCommand(ctx, command.Scope{Application: echo}, command.Definition{Name: "roll", Description: "x"})
	if err != nil {
		t.Fatal(err)
	}
	editor := srv.Bearer(t, echo, ada, "applications.commands.permissions.update")
	entries := []client.PermissionEntry{{ID: snowflake.Target(bob), Type: permission.ForUser, Allow: false}}
	set, err := editor.SetCommandPermissions(ctx, echo, lab, made.ID, entries)
	if err != nil || !slices.Equal(set.Entries, entries) {
		t.Fatalf("SetCommandPermissions() = %+v, %v", set, err)
	}
	if got, err := srv.Bot(echo).CommandPermissions(ctx, echo, lab, made.ID); err != nil || got.ID != made.ID || got.Guild != lab {
		t.Errorf("CommandPermissions() = %+v, %v", got, err)
	}
	if got, err := srv.Bot(echo).GuildPermissions(ctx, echo, lab); err != nil || len(got) != 1 {
		t.Errorf("GuildPermissions() = %+v, %v, want one", got, err)
	}
	if _, err := srv.Bot(echo).SetCommandPermissions(ctx, echo, lab, made.ID, nil); !client.IsCode(err, 20001) {
		t.Errorf("a bot sets permissions: %v", err)
	}
}

func TestLobbies(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx, c := t.Context(), srv.Bot(echo)
	made, err := c.Lobbies().Create(ctx, client.LobbyInput{Metadata: map[string]string{"map": "dust"}, Members: []client.LobbyMember{{ID: ada}}})
	if err != nil || made.Metadata["map"] != "dust" || made.Member(ada) == nil || made.Member(bob) != nil {
		t.Fatalf("CreateLobby() = %+v, %v", made, err)
	}
	put, err := c.Lobbies().PutMember(ctx, made.ID, bob, client.LobbyMember{Flags: client.CanLinkLobby, Metadata: map[string]string{"a": "b"}})
	if err != nil || put.ID != bob || put.Flags != client.CanLinkLobby {
		t.Errorf("PutLobbyMember() = %+v, %v", put, err)
	}
	edited, err := c.Lobbies().Edit(ctx, made.ID, client.LobbyInput{Members: []client.LobbyMember{{ID: bob}}})
	if err != nil || edited.Member(ada) != nil || edited.Metadata["map"] != "dust" {
		t.Errorf("EditLobby() = %+v, %v, want bob alone", edited, err)
	}
	if err := c.Lobbies().RemoveMember(ctx, made.ID, bob); err != nil {
		t.Error(err)
	}
	if read, err := c.Lobbies().Get(ctx, made.ID); err != nil || len(read.Members) != 0 {
		t.Errorf("Lobby() = %+v, %v, want nobody", read, err)
	}
	if err := c.Lobbies().Delete(ctx, made.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.Lobbies().Get(ctx, made.ID); !client.IsStatus(err, http.StatusNotFound) {
		t.Errorf("Lobby() of a deleted one = %v", err)
	}
	player := srv.Bearer(t, echo, ada, "lobbies.write")
	joined, err := player.Lobbies().Join(ctx, client.LobbyJoin{
		Secret: "a secret", Metadata: map[string]string{"map": "mill"}, MemberMetadata: map[string]string{"team": "red"}, Flags: 1,
	})
	if err != nil || joined.Member(ada) == nil || joined.Metadata["map"] != "mill" || joined.Members[0].Metadata["team"] != "red" || joined.Flags != 1 {
		t.Fatalf("JoinLobby() = %+v, %v", joined, err)
	}
	if err := player.Lobbies().Leave(ctx, joined.ID); err != nil {
		t.Error(err)
	}
	many, err := c.Lobbies().EditMembers(ctx, joined.ID, []client.LobbyBulk{
		{LobbyMember: client.LobbyMember{ID: bob, AdditionalName: "Vex"}}, {LobbyMember: client.LobbyMember{ID: ada}, Remove: true},
	})
	if err != nil || len(many) != 1 || many[0].ID != bob || many[0].AdditionalName != "Vex" {
		t.Errorf("BulkLobbyMembers() = %+v, %v, want bob alone", many, err)
	}
}

// TestLobbyTalk links a lobby to a channel as a member, sends messages and invites the member.
func TestLobbyTalk(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	ctx, c, player := t.Context(), srv.Bot(echo), srv.Bearer(t, echo, ada, "lobbies.write")
	made, err := c.Lobbies().Create(ctx, client.LobbyInput{Members: []client.LobbyMember{{ID: ada, Flags: client.CanLinkLobby}}})
	if err != nil {
		t.Fatal(err)
	}
	if linked, err := player.Lobbies().Link(ctx, made.ID, general); err != nil || linked.LinkedChannel == nil {
		t.Fatalf("LinkLobby() = %+v, %v", linked, err)
	}
	said, err := player.Lobbies().SendMessage(ctx, made.ID, "hi", map[string]string{"mood": "fine"})
	if err != nil || said.Content != "hi" || said.Author.ID != ada || said.Channel != general || said.Metadata["mood"] != "fine" {
		t.Fatalf("SendLobbyMessage() = %+v, %v", said, err)
	}
	if err := c.Lobbies().ModerateMessage(ctx, made.ID, said.ID, map[string]string{"verdict": "fine"}); err != nil {
		t.Error(err)
	}
	list, err := player.Lobbies().Messages(ctx, made.ID, 10)
	if err != nil || len(list) != 1 || list[0].ID != said.ID || list[0].Moderation["verdict"] != "fine" || list[0].Application != echo {
		t.Errorf("LobbyMessages() = %+v, %v", list, err)
	}
	for user, by := range map[snowflake.User]*client.Client{0: player, ada: c} {
		code, err := by.Lobbies().Invite(ctx, made.ID, user)
		if err != nil || code == "" {
			t.Fatalf("InviteFromLobby() = %q, %v", code, err)
		}
		if err := srv.User(ada).AcceptInvite(ctx, code); err != nil {
			t.Errorf("AcceptInvite() = %v", err)
		}
	}
	if unlinked, err := player.Lobbies().Link(ctx, made.ID, 0); err != nil || unlinked.LinkedChannel != nil {
		t.Errorf("LinkLobby() = %+v, %v, want no channel", unlinked, err)
	}
}

func TestApplication(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	app, err := srv.Bot(echo).Application(t.Context())
	if err != nil || app.ID != echo || len(app.VerifyKey) != 64 {
		t.Fatalf("Application() = %+v, %v", app, err)
	}
	if env := app.Env(false); len(env.Supported) != 2 || env.Embedded || env.Guild {
		t.Errorf("Env() = %+v, want both installs and no Activities", env)
	}
	if app, err = srv.Bot(echo).SetInteractionsEndpoint(t.Context(), ""); err != nil || app.InteractionsEndpointURL != "" {
		t.Errorf("SetInteractionsEndpoint() = %+v, %v", app, err)
	}
	guilds, err := srv.Bot(echo).Guilds(t.Context(), 0, 10)
	if err != nil || len(guilds) != 1 || guilds[0].ID != lab {
		t.Errorf("Guilds() = %+v, %v, want Lab", guilds, err)
	}
	if guilds, err = srv.Bot(echo).Guilds(t.Context(), lab, 10); err != nil || len(guilds) != 0 {
		t.Errorf("Guilds() behind Lab = %+v, %v, want none", guilds, err)
	}
	secrets, err := srv.Bot(echo).Dev().ApplyWorld(t.Context(), `applications: [{id: "5", name: Second, owner: "1100000000000000200"}]`)
	if err != nil || secrets.BotTokens[5] == "" {
		t.Errorf("ApplyWorld() = %+v, %v, want the token of the new app", secrets, err)
	}
}
