package permissions_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

// TestIndexMatchesDecisions gives a guild random channels and entries. For every member, the guild index must contain
// exactly the commands that the member can use in some channel; a channel index and a search exactly those that the
// member can use there.
func TestIndexMatchesDecisions(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	for i, more := range []string{
		"", `,"nsfw":true`, `,"default_member_permissions":"0"`, `,"default_member_permissions":"32"`, `,"default_member_permissions":"4"`,
		`,"contexts":[1]`, `,"integration_types":[1]`, `,"integration_types":[0,1],"default_member_permissions":"36"`,
	} {
		d.create(t, echo, 0, slash(fmt.Sprintf("g%d", i), more))
	}
	d.create(t, echo, guild, slash("l0", ""))
	d.create(t, echo, guild, `{"type":2,"name":"l1"}`)
	d.create(t, game, 0, slash("plain", ""))
	rapid.Check(t, func(r *rapid.T) {
		d.shuffle(t, r)
		for _, user := range []snowflake.User{bob, cleo, dora} {
			var somewhere []string
			for _, channel := range []snowflake.Channel{general, hidden, dark, thread} {
				here := d.usable(t, user, channel)
				for _, name := range here {
					if !slices.Contains(somewhere, name) {
						somewhere = append(somewhere, name)
					}
				}
				d.compare(t, user, channel, here)
			}
			// The user's own install allows a command that the guild does not have.
			somewhere = slices.DeleteFunc(somewhere, func(name string) bool { return name == "g6" })
			same(t, fmt.Sprintf("the guild's index for %v", user), d.guildIndex(t, user).names(), somewhere...)
		}
		if t.Failed() {
			r.FailNow() // rapid prints and stores the drawn values
		}
	})
}

// shuffle gives the guild random channels, permissions and entries.
func (d *fixture) shuffle(t *testing.T, r *rapid.T) {
	t.Helper()
	const mayUse = permission.ViewChannel | permission.SendMessages | permission.UseApplicationCommands | permission.SendMessagesInThreads
	rights := rapid.SampledFrom([]permission.Bits{0, permission.ViewChannel, permission.SendMessages, permission.UseApplicationCommands, permission.BanMembers, permission.ManageGuild})
	overwrite := func(id snowflake.Target, kind int) world.Overwrite {
		return world.Overwrite{ID: id, Type: kind, Allow: rights.Draw(r, "allow"), Deny: rights.Draw(r, "deny")}
	}
	g := world.Guild{ID: guild, Name: "Lab", Owner: ada}
	everyone := mayUse | rights.Draw(r, "everyone")
	g.Everyone = &everyone
	for _, id := range []snowflake.Channel{general, hidden, dark} {
		g.Channels = append(g.Channels, world.Channel{
			ID: id, Name: "c" + id.String(), NSFW: id == dark,
			Overwrites: []world.Overwrite{overwrite(snowflake.Target(guild), 0), overwrite(snowflake.Target(mods), 0), overwrite(snowflake.Target(bob), 1)},
		})
	}
	if _, err := d.provision().PutGuild(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	subjects := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) permission.Entry {
		e := rapid.SampledFrom([]permission.Entry{
			forUser(bob, true), forUser(dora, true), forRole(mods, true), forChannel(general, true), forChannel(dark, true),
			{ID: permission.Everyone(guild), Type: permission.ForRole},
			{ID: permission.AllChannels(guild), Type: permission.ForChannel},
		}).Draw(r, "subject")
		e.Allow = rapid.Bool().Draw(r, "allow")
		return e
	}), 0, 4)
	d.put(t, echo, snowflake.Command(echo), subjects.Draw(r, "app")...)
	commands, err := d.Commands.GuildCommands(t.Context(), echo, guild)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(commands.Global.Commands, commands.Guild.Commands) {
		if rapid.Bool().Draw(r, "has a set") {
			d.put(t, echo, c.ID, subjects.Draw(r, c.Name)...)
		}
	}
}

// usable returns the commands that a user can use in a channel, by one decision per command.
func (d *fixture) usable(t *testing.T, user snowflake.User, channel snowflake.Channel) []string {
	t.Helper()
	s, err := d.Invoker(t.Context(), user, channel)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, app := range []snowflake.Application{echo, game} {
		commands, err := d.Commands.GuildCommands(t.Context(), app, guild)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range slices.Concat(commands.Global.Commands, commands.Guild.Commands) {
			if _, decision, err := d.Decide(t.Context(), s, app, c.ID); err != nil {
				t.Fatal(err)
			} else if decision.Allowed {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// compare checks a channel index and a search against the usable commands.
func (d *fixture) compare(t *testing.T, user snowflake.User, channel snowflake.Channel, want []string) {
	t.Helper()
	s, err := d.Invoker(t.Context(), user, channel)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Sees() {
		if len(want) > 0 {
			t.Errorf("%v can use %v in channel %v, which is hidden", user, want, channel)
		}
		return
	}
	same(t, fmt.Sprintf("the index for %v in %v", user, channel), d.channelIndex(t, user, channel).names(), want...)
	slashes := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return name == "l1" })
	found := d.search(t, user, channel, permissions.Search{Type: 1, Limit: permissions.MaxResults}, "en-US")
	same(t, fmt.Sprintf("a search of %v in %v", user, channel), found.names(), slashes...)
}
