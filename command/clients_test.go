package command_test

import (
	"bytes"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/google/go-cmp/cmp"
)

// Client libraries often send bodies that differ from the examples of the specification. Each body below comes from a
// library.

func TestClientsCreate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body, same string // same: a minimal body with the same meaning
		env              command.Env
	}{
		{
			"discordgo sends null lists and false flags on every option",
			`{"type":1,"name":"roll","description":"Roll dice","options":[
				{"type":3,"name":"label","description":"d","channel_types":null,"required":true,"options":null,"autocomplete":false,"choices":null},
				{"type":4,"name":"sides","description":"d","channel_types":null,"required":false,"options":null,"autocomplete":false,"choices":null,"min_value":2},
				{"type":6,"name":"who","description":"d","channel_types":null,"required":false,"options":null,"autocomplete":false,"choices":null}]}`,
			`{"name":"roll","description":"Roll dice","options":[{"type":3,"name":"label","description":"d","required":true},
				{"type":4,"name":"sides","description":"d","min_value":2},{"type":6,"name":"who","description":"d"}]}`,
			anyApp,
		},
		{
			"discordgo sends null lists and false flags on subcommands",
			`{"type":1,"name":"roll","description":"Roll dice","options":[
				{"type":1,"name":"now","description":"d","channel_types":null,"required":false,"options":null,"autocomplete":false,"choices":null}]}`,
			`{"name":"roll","description":"Roll dice","options":[{"type":1,"name":"now","description":"d"}]}`,
			anyApp,
		},
		{
			"discordgo sends null options on USER", `{"type":2,"name":"Card","description":"","options":null}`,
			`{"type":2,"name":"Card"}`, anyApp,
		},
		{
			"discordgo sends null options on MESSAGE", `{"type":3,"name":"Card","options":null,"default_member_permissions":"8"}`,
			`{"type":3,"name":"Card","default_member_permissions":8}`, inGuild,
		},
		{
			"arikawa sends both flags and an empty description on USER",
			`{"name":"Card","type":2,"description":"","default_permission":true,"dm_permission":true}`,
			`{"name":"Card","type":2,"default_permission":true}`, anyApp,
		},
		{
			"arikawa sends both flags in guilds", `{"name":"roll","type":1,"description":"d","default_permission":true,"dm_permission":true}`,
			`{"name":"roll","description":"d","default_permission":true}`, inGuild,
		},
		{
			"disgo sends an entry point without a description", `{"type":4,"name":"Launch","handler":2}`,
			`{"type":4,"name":"Launch","handler":2,"description":""}`, anyApp,
		},
		{
			"discord.js sends nulls for what is not set",
			`{"name":"roll","name_localizations":null,"description":"d","nsfw":false,"description_localizations":null,"type":1,
				"options":[],"default_member_permissions":null,"integration_types":[0,1],"contexts":null,"handler":null}`,
			`{"name":"roll","description":"d"}`, anyApp,
		},
		{
			"slash-create sends what it was given before",
			`{"id":"41771983423143937","application_id":"7","version":"8","name":"roll","description":"d","type":1,
				"default_member_permissions":null,"dm_permission":true,"nsfw":false}`,
			`{"name":"roll","description":"d"}`, anyApp,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, want := parse(t, tt.body, tt.env).Doc(), parse(t, tt.same, tt.env).Doc()
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("definition differs (-want +got):\n%s", diff)
			}
			items, err := command.ParseList([]byte(`[`+tt.body+`]`), tt.env)
			if err != nil || len(items) != 1 || !bytes.Equal(items[0].Doc(), want) {
				t.Errorf("in a list: %v, %v", items, err)
			}
		})
	}
}

func TestClientsAmend(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, old, body, want string }{
		{"disgo sends the type", chat(`"x":1`), `{"type":1,"nsfw":true}`, chat(`"nsfw":true`)},
		{"disgo sends the type of a menu", `{"type":3,"name":"A"}`, `{"type":3,"name":"B"}`, `{"type":3,"name":"B"}`},
		{
			"discordgo sends the whole object", withOption(`"type":3`), `{"type":1,"name":"do","description":"changed","options":null}`,
			chat(`"description":"changed"`),
		},
		{
			"arikawa sends both flags", chat(`"default_permission":true`), `{"description":"x","dm_permission":true,"default_permission":true}`,
			chat(`"description":"x","default_permission":true`),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := parse(t, tt.old, anyApp).Amend([]byte(tt.body), anyApp)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(parse(t, tt.want, anyApp).Doc()), string(d.Doc())); diff != "" {
				t.Errorf("definition differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSecondSyncWritesNothing checks that sending a command back as the API showed it changes nothing.
func TestSecondSyncWritesNothing(t *testing.T) {
	t.Parallel()
	for _, env := range []command.Env{anyApp, inGuild} {
		c, _ := register(t, full, env, 7)
		items, err := command.ParseList([]byte(`[`+string(c.AppendJSON(nil))+`]`), env)
		if err != nil {
			t.Fatal(err)
		}
		changes, err := command.Diff([]command.Command{c}, items)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"keep 7"}, words(changes)); diff != "" {
			t.Errorf("Versioning: changes differ (-want +got):\n%s", diff)
		}
	}
}
