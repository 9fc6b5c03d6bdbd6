package interaction_test

import (
	"bytes"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const userPermissions, botPermissions = 2147601408, 442368

// joined is when the members of the tests joined their guild.
var joined = time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)

var (
	ops = wire.PartialChannel{
		ID: 900000000000000010, Guild: 900000000000000001, Type: wire.GuildText, Name: "ops",
		Permissions: userPermissions, AppPermissions: botPermissions,
	}
	rhea   = wire.User{ID: 700000000000000001, Username: "rhea", GlobalName: "Rhea"}
	theo   = wire.User{ID: 42, Username: "theo"}
	helper = wire.User{ID: 1200000000000000001, Username: "Helper", Bot: true}
	member = wire.Member{
		User: rhea, JoinedAt: wire.Time(joined), Permissions: userPermissions,
	}
	dmOwners = interaction.Owners{ByGuild: true}
)

// inGuild returns the interaction of the specification's sample with other data.
func inGuild(kind interaction.Type, data interaction.Data) interaction.Interaction {
	return interaction.Interaction{
		ID: 1300000000000000101, Application: 1200000000000000001, Type: kind, Token: "aW50",
		Guild: &wire.PartialGuild{ID: 900000000000000001, Locale: "en-US"}, Channel: &ops, Member: &member,
		AppPermissions: botPermissions, Locale: "de", Context: command.InGuild,
		Owners: interaction.Owners{ByGuild: true, Guild: 900000000000000001}, Data: data,
	}
}

// direct returns an interaction outside of guilds.
func direct(kind interaction.Type, context command.Context, data interaction.Data) interaction.Interaction {
	i := inGuild(kind, data)
	i.Guild, i.Member, i.User, i.Context = nil, nil, &rhea, context
	i.Channel = &wire.PartialChannel{ID: 910, Type: wire.DM, LastMessage: 911, Recipients: []wire.User{helper}}
	i.Owners = dmOwners
	if context == command.InPrivateChannel {
		i.Channel = &wire.PartialChannel{ID: 912, Type: wire.GroupDM, Name: "Crew", Recipients: []wire.User{theo, rhea}}
		i.AppPermissions, i.Owners = 180224, interaction.Owners{User: rhea.ID}
	}
	return i
}

// deploy returns a global command.
func deploy(kind command.Type, name string) command.Command {
	return command.Command{ID: 1300000000000000007, Version: 1300000000000000008, Type: kind, Name: name, Scope: command.Scope{Application: 1200000000000000001}}
}

func TestInteractionGolden(t *testing.T) {
	t.Parallel()
	nested := []interaction.Option{{Type: command.SubCommand, Name: "start", Options: []interaction.Option{
		{Type: command.Channel, Name: "where", Value: jsonbody.StringOf("900000000000000010")},
	}}}
	scalars := []interaction.Option{
		{Type: command.String, Name: "text", Value: jsonbody.StringOf("<&>\u2028\"\\\n\x01é👍")},
		{Type: command.Integer, Name: "int", Value: parse(t, `9007199254740991`)},
		{Type: command.Number, Name: "num", Value: parse(t, `1.50e-7`)},
		{Type: command.Boolean, Name: "bool", Value: parse(t, `false`)},
	}
	guildCommand := deploy(command.ChatInput, "deploy")
	guildCommand.Scope.Guild = 900000000000000001
	timedOut := wire.Member{
		User: theo, Nick: "Tee", Roles: []snowflake.Role{5, 6}, JoinedAt: member.JoinedAt,
		TimeoutUntil: wire.Time(time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC)), PremiumSince: member.JoinedAt,
	}
	asked := (&message.Post{
		Webhook: 1200000000000000001,
		ID:      950, Type: message.ChatInput, Channel: ops.ID, Application: 1200000000000000001, Author: helper,
		Content: message.Content{Text: "Sure?"}, Created: joined,
	}).AppendJSON(nil)
	withMessage := func(i interaction.Interaction) interaction.Interaction {
		i.Message = asked
		return i
	}
	for _, tt := range []struct {
		name string
		give interaction.Interaction
	}{
		{"ping", interaction.Interaction{ID: 1, Application: 2, Type: interaction.Ping, Token: "t"}},
		{"command_chat_nested", inGuild(interaction.ApplicationCommand, interaction.CommandData{
			Command: deploy(command.ChatInput, "deploy"), Options: nested, Resolved: interaction.Resolved{Channels: []wire.PartialChannel{ops}},
		})},
		{"command_chat_scalars_of_guild", inGuild(interaction.ApplicationCommand, interaction.CommandData{Command: guildCommand, Options: scalars})},
		{"command_chat_resolved", inGuild(interaction.ApplicationCommand, interaction.CommandData{
			Command: deploy(command.ChatInput, "deploy"),
			Resolved: interaction.Resolved{
				Users: []wire.User{rhea, theo, helper, theo}, Members: []wire.Member{member, timedOut},
				Roles: []wire.Role{{ID: 6, Name: "bots", Managed: true, Tags: &wire.RoleTags{BotID: 1200000000000000001}}, {ID: 5, Name: "mods", Color: 255, Colors: wire.Colors{Primary: 255}, Hoist: true, Position: 3, Permissions: 32, Mentionable: true}},
				Channels: []wire.PartialChannel{{
					ID: 11, Guild: 900000000000000001, Type: wire.PublicThread, Name: "talk", Parent: 900000000000000010, Permissions: 1, AppPermissions: 2,
					Thread: &wire.ThreadMetadata{AutoArchiveDuration: 1440, Archived: true, ArchiveTimestamp: member.JoinedAt},
				}},
				Attachments: []wire.Attachment{{ID: 77, Filename: "a.png", ContentType: "image/png", Size: 12, URL: "http://cdn/a.png?x=1&y=2", Ephemeral: true}},
			},
		})},
		{"command_user", inGuild(interaction.ApplicationCommand, interaction.CommandData{
			Command: deploy(command.User, "High Five"), TargetUser: theo.ID,
			Resolved: interaction.Resolved{Users: []wire.User{theo}, Members: []wire.Member{timedOut}},
		})},
		{"command_message", inGuild(interaction.ApplicationCommand, interaction.CommandData{
			Command: deploy(command.Message, "Bookmark"), TargetMessage: 950,
			Resolved: interaction.Resolved{Messages: []interaction.ResolvedMessage{{ID: 950, JSON: asked}}},
		})},
		{"command_entry_point", inGuild(interaction.ApplicationCommand, interaction.CommandData{Command: deploy(command.PrimaryEntryPoint, "Launch")})},
		{"command_bot_dm", direct(interaction.ApplicationCommand, command.InBotDM, interaction.CommandData{Command: deploy(command.ChatInput, "deploy")})},
		{"command_private_channel", direct(interaction.ApplicationCommand, command.InPrivateChannel, interaction.CommandData{Command: deploy(command.ChatInput, "deploy")})},
		{"component_button", withMessage(inGuild(interaction.MessageComponent, interaction.ComponentData{
			ID: 2, Use: interaction.ComponentUse{Type: message.Button, CustomID: "ok"},
		}))},
		{"component_user_select", withMessage(inGuild(interaction.MessageComponent, interaction.ComponentData{
			ID: 3, Use: interaction.ComponentUse{Type: message.UserSelect, CustomID: "who", Values: []string{"42"}},
			Resolved: interaction.Resolved{Users: []wire.User{theo}},
		}))},
		{"component_select_empty", withMessage(inGuild(interaction.MessageComponent, interaction.ComponentData{
			ID: 4, Use: interaction.ComponentUse{Type: message.StringSelect, CustomID: "pick"},
		}))},
		{"autocomplete", inGuild(interaction.Autocomplete, interaction.CommandData{
			Command: deploy(command.ChatInput, "deploy"),
			Options: []interaction.Option{{Type: command.Integer, Name: "count", Value: jsonbody.StringOf("1"), Focused: true}},
		})},
		{"modal_submit", inGuild(interaction.ModalSubmit, interaction.ModalData{
			CustomID: "fb", Components: parse(t, `[{"type":18,"id":1,"component":{"type":4,"id":2,"custom_id":"txt","value":"Hi"}}]`),
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules.Golden(t, tt.name, tt.give.AppendJSON(nil), *update)
		})
	}
}

// sample is the guild slash command in section 5.2 of the specification, with a complete token.
const sample = `{"id":"1300000000000000101","application_id":"1200000000000000001","type":2,"version":1,"token":"aW50",
 "guild_id":"900000000000000001","guild_locale":"en-US","guild":{"id":"900000000000000001","locale":"en-US","features":[]},
 "channel_id":"900000000000000010",
 "channel":{"id":"900000000000000010","guild_id":"900000000000000001","type":0,"name":"ops","position":0,"flags":0,"nsfw":false,
  "topic":null,"parent_id":null,"last_message_id":null,"last_pin_timestamp":null,"rate_limit_per_user":0,"permissions":"2147601408"},
 "member":{"user":{"id":"700000000000000001","username":"rhea","discriminator":"0","global_name":"Rhea","avatar":null,"public_flags":0},
  "nick":null,"avatar":null,"banner":null,"roles":[],"joined_at":"2024-05-01T10:00:00.000000+00:00","premium_since":null,
  "pending":false,"mute":false,"deaf":false,"flags":0,"communication_disabled_until":null,"permissions":"2147601408"},
 "app_permissions":"442368","locale":"de","context":0,"entitlements":[],"attachment_size_limit":10485760,
 "authorizing_integration_owners":{"0":"900000000000000001"},
 "data":{"id":"1300000000000000007","name":"deploy","type":1,"version":"1300000000000000008",
  "options":[{"type":1,"name":"start","options":[{"type":7,"name":"where","value":"900000000000000010"}]}],
  "resolved":{"channels":{"900000000000000010":{"id":"900000000000000010","type":0,"name":"ops","permissions":"2147601408","app_permissions":"442368"}}}}}`

// TestSample checks that the output has every member of the sample with its value. The other members are in sections S3
// (members) and 4.3 (resolved channels) of the specification.
func TestSample(t *testing.T) {
	t.Parallel()
	d := definition(t, `[{"type":1,"name":"start","description":"d","options":[{"type":7,"name":"where","description":"d"}]}]`)
	matched, err := interaction.MatchOptions(d, use(t, `[{"type":1,"name":"start","options":[{"type":7,"name":"where","value":"900000000000000010"}]}]`), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := interaction.Resolved{Channels: []wire.PartialChannel{ops}}
	if err := matched.Check(found); err != nil {
		t.Fatal(err)
	}
	got := inGuild(interaction.ApplicationCommand, interaction.CommandData{
		Command: deploy(command.ChatInput, "deploy"), Options: matched.Options, Resolved: found,
	}).AppendJSON(nil)
	var extra []string
	compare(t, "", parse(t, sample), parse(t, string(got)), &extra)
	const channel = "data.resolved.channels.900000000000000010."
	want := []string{
		"member.user.flags", "member.user.primary_guild", "member.avatar_decoration_data",
		channel + "guild_id", channel + "position", channel + "flags", channel + "nsfw", channel + "topic", channel + "parent_id",
		channel + "last_message_id", channel + "last_pin_timestamp", channel + "rate_limit_per_user",
	}
	if diff := cmp.Diff(want, extra); diff != "" {
		t.Errorf("additional members differ (-want +got):\n%s", diff)
	}
}

// compare reports the members of want that got lacks, and collects the paths that only got has.
func compare(t *testing.T, path string, want, got jsonbody.Value, extra *[]string) {
	t.Helper()
	if want.Kind() != got.Kind() || want.Text() != got.Text() || want.Kind() == jsonbody.Bool && want.String() != got.String() || len(want.Items()) != len(got.Items()) {
		t.Errorf("%s is %v, want %v", path, got, want)
		return
	}
	for i := range want.Items() {
		compare(t, path+".#", want.Items()[i], got.Items()[i], extra)
	}
	for _, m := range want.Members() {
		compare(t, strings.TrimPrefix(path+"."+m.Name, "."), m.Value, got.Get(m.Name), extra)
	}
	for _, m := range got.Members() {
		if want.Get(m.Name).Kind() == jsonbody.Absent {
			*extra = append(*extra, strings.TrimPrefix(path+"."+m.Name, "."))
		}
	}
}

func TestAppendJSONAppends(t *testing.T) {
	t.Parallel()
	i := inGuild(interaction.ApplicationCommand, interaction.CommandData{Command: deploy(command.ChatInput, "deploy")})
	if got := i.AppendJSON([]byte("x")); !bytes.Equal(got[1:], i.AppendJSON(nil)) || got[0] != 'x' {
		t.Errorf("AppendJSON(x) = %s", got)
	}
}
