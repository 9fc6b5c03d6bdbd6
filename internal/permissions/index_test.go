package permissions_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// TestGuildIndex checks for one command at a time which members have it in their guild index. Ada owns the guild, Dora
// is a moderator who sees one more channel, Cleo is a minor.
func TestGuildIndex(t *testing.T) {
	t.Parallel()
	everyone := permission.Entry{ID: permission.Everyone(guild), Type: permission.ForRole}
	allChannels := permission.Entry{ID: permission.AllChannels(guild), Type: permission.ForChannel}
	all := []snowflake.User{ada, bob, cleo, dora}
	for _, tt := range []struct {
		name  string
		body  string // of a command of Echo
		local bool   // a guild command instead of a global one
		sets  []permission.Entry
		app   []permission.Entry
		want  []snowflake.User
	}{
		{name: "for everyone", body: slash("c", ""), want: all},
		{name: "of the guild", body: slash("c", ""), local: true, want: all},
		{name: "a user command", body: `{"type":2,"name":"c"}`, want: all},
		{name: "not for guilds", body: slash("c", `,"contexts":[1,2]`)},
		{name: "not for installs in guilds", body: slash("c", `,"integration_types":[1]`)},
		{name: "age-restricted", body: slash("c", `,"nsfw":true`), want: []snowflake.User{ada, bob, dora}},
		{name: "for administrators", body: slash("c", `,"default_member_permissions":"0"`), want: []snowflake.User{ada}},
		{name: "for administrators and members with an entry", body: slash("c", `,"default_member_permissions":"0"`), sets: []permission.Entry{forUser(bob, true)}, want: []snowflake.User{ada, bob}},
		{name: "an entry for the app does not count", body: slash("c", `,"default_member_permissions":"0"`), app: []permission.Entry{forUser(bob, true)}, want: []snowflake.User{ada}},
		{name: "for members with MANAGE_GUILD", body: slash("c", `,"default_member_permissions":"32"`), want: []snowflake.User{ada, dora}},
		{name: "for members with a permission in one channel", body: slash("c", `,"default_member_permissions":"4"`), want: []snowflake.User{ada, dora}},
		{name: "denied to everyone", body: slash("c", ""), sets: []permission.Entry{everyone}, want: []snowflake.User{ada}},
		{name: "denied to everyone but moderators", body: slash("c", ""), sets: []permission.Entry{everyone, forRole(mods, true)}, want: []snowflake.User{ada, dora}},
		{name: "denied in all channels", body: slash("c", ""), sets: []permission.Entry{allChannels}, want: []snowflake.User{ada}},
		{name: "denied in all channels but one", body: slash("c", ""), sets: []permission.Entry{allChannels, forChannel(general, true)}, want: all},
		{name: "denied in all channels but a hidden one", body: slash("c", ""), sets: []permission.Entry{allChannels, forChannel(hidden, true)}, want: []snowflake.User{ada, dora}},
		{name: "the app denied in all channels, the command allowed in one", body: slash("c", ""), app: []permission.Entry{allChannels}, sets: []permission.Entry{forChannel(dark, true)}, want: all},
		{name: "the app denied to a user", body: slash("c", ""), app: []permission.Entry{forUser(bob, false)}, want: []snowflake.User{ada, cleo, dora}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := openLab(t)
			in := snowflake.Guild(0)
			if tt.local {
				in = guild
			}
			c := d.create(t, echo, in, tt.body)
			d.put(t, echo, c.ID, tt.sets...)
			d.put(t, echo, snowflake.Command(echo), tt.app...)
			var got []snowflake.User
			for range 2 { // the second time from the cache
				got = nil
				for _, user := range all {
					if len(d.guildIndex(t, user).Commands) > 0 {
						got = append(got, user)
					}
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Authentication 6: visible to (-want +got):\n%s", diff)
			}
		})
	}
}

// TestIndexHasIcon checks that an index names the icon of an application, and follows its changes.
func TestIndexHasIcon(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	d.create(t, echo, 0, slash("c", ""))
	if icon := d.guildIndex(t, ada).Applications[0].Icon; icon != nil {
		t.Errorf("the icon of an application without one is %q", *icon)
	}
	hash := "6b7fa434f92a8b80aab02d9bf1a12e49"
	if err := d.Directory.Update(t.Context(), func(tx *directory.Tx) error {
		record, err := tx.Directory.Application(echo)
		if err != nil {
			return err
		}
		record.Icon = hash
		return directory.ApplicationKind.Put(tx, record)
	}); err != nil {
		t.Fatal(err)
	}
	if icon := d.guildIndex(t, ada).Applications[0].Icon; icon == nil || *icon != hash {
		t.Errorf("the icon is %v, want %q", icon, hash)
	}
}

func TestGuildIndexNeedsMember(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	for _, tt := range []struct {
		user  snowflake.User
		guild snowflake.Guild
	}{{eve, guild}, {ada, 5}, {5, guild}} {
		if _, err := d.GuildIndex(t.Context(), tt.user, tt.guild, "en-US"); !errors.Is(err, permissions.ErrNoAccess) {
			t.Errorf("GuildIndex(%v, %v) = %v, want %v", tt.user, tt.guild, err, permissions.ErrNoAccess)
		}
	}
}

// TestGuildIndexMaps checks that an index contains only the entries that concern the user.
func TestGuildIndexMaps(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	c := d.create(t, echo, 0, slash("c", ""))
	d.create(t, game, 0, slash("plain", ""))
	everyone := permission.Entry{ID: permission.Everyone(guild), Type: permission.ForRole, Allow: true}
	allChannels := permission.Entry{ID: permission.AllChannels(guild), Type: permission.ForChannel, Allow: true}
	d.put(t, echo, c.ID, forUser(dora, true), forUser(bob, true), forRole(mods, false), everyone, allChannels, forChannel(hidden, false))
	d.put(t, echo, snowflake.Command(echo), forRole(mods, true))
	type maps = map[string]any
	channels := maps{"299": true, "312": false}
	for user, want := range map[snowflake.User][2]maps{
		dora: {{"user": true, "roles": maps{"300": true, "301": false}, "channels": channels}, {"roles": maps{"301": true}}},
		bob:  {{"user": true, "roles": maps{"300": true}, "channels": channels}, {}},
		cleo: {{"roles": maps{"300": true}, "channels": channels}, {}},
	} {
		x := d.guildIndex(t, user)
		if diff := cmp.Diff(want, [2]maps{x.Commands[0].Permissions, x.Applications[0].Permissions}); diff != "" {
			t.Errorf("maps for %v (-want +got):\n%s", user, diff)
		}
		if len(x.Commands[1].Permissions) != 0 {
			t.Errorf("a command without entries has %v", x.Commands[1].Permissions)
		}
	}
}

func TestGuildIndexLanguages(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	d.create(t, echo, 0, slash("color", `,"name_localizations":{"de":"farbe","en-GB":"colour"}`))
	d.create(t, game, 0, slash("plain", ""))
	for range 2 {
		for code, want := range map[locale.Code][2]string{"de": {"farbe", "color"}, "en-US": {"colour", "color"}, "ja": {"color", ""}} {
			body, err := d.GuildIndex(t.Context(), bob, guild, code)
			x := read(t, body, err)
			if got := [2]string{x.Commands[0].Name, x.Commands[0].NameDefault}; got != want {
				t.Errorf("Localization rules: in %s %q, want %q", code, got, want)
			}
			if x.Commands[1].Name != "plain" || x.Commands[1].NameDefault != "" {
				t.Errorf("in %s an unlocalized command reads %+v", code, x.Commands[1])
			}
		}
	}
}

// TestIndexUpdates changes everything that an index depends on, with the index in the cache.
func TestIndexUpdates(t *testing.T) {
	t.Parallel()
	patch := func(ctx context.Context, d *fixture, c *command.Command, text string) error {
		_, err := d.Commands.Patch(ctx, c.Scope, command.Env{Guild: !c.Scope.Global()}, c.ID, []byte(text))
		return err
	}
	for _, tt := range []struct {
		name   string
		change func(ctx context.Context, t *testing.T, d *fixture, c *command.Command) error
		want   []string
	}{
		{"a command is created", func(_ context.Context, t *testing.T, d *fixture, _ *command.Command) error {
			d.create(t, echo, guild, slash("new", ""))
			return nil
		}, []string{"c", "new", "other"}},
		{"a command is deleted", func(ctx context.Context, _ *testing.T, d *fixture, c *command.Command) error {
			return d.Commands.Delete(ctx, c.Scope, c.ID)
		}, []string{"other"}},
		{"a command is renamed", func(ctx context.Context, _ *testing.T, d *fixture, c *command.Command) error {
			return patch(ctx, d, c, `{"name":"d"}`)
		}, []string{"d", "other"}},
		{"a set is stored", func(_ context.Context, t *testing.T, d *fixture, c *command.Command) error {
			d.put(t, echo, c.ID, forUser(bob, false))
			return nil
		}, []string{"other"}},
		{"a rename deletes a set", func(ctx context.Context, t *testing.T, d *fixture, c *command.Command) error {
			d.put(t, echo, c.ID, forUser(bob, false))
			d.guildIndex(t, bob)
			return patch(ctx, d, c, `{"name":"d"}`)
		}, []string{"d", "other"}},
		{"deleting a role deletes its entry", func(ctx context.Context, t *testing.T, d *fixture, c *command.Command) error {
			if _, err := d.provision().PutMember(ctx, guild, world.Member{User: bob, Roles: []snowflake.Role{mods}}); err != nil {
				return err
			}
			d.put(t, echo, c.ID, forRole(mods, false))
			same(t, "the index of a denied role", d.guildIndex(t, bob).names(), "other")
			return d.Directory.Guilds.DeleteRole(ctx, guild, mods)
		}, []string{"c", "other"}},
		{"an install is deleted", func(ctx context.Context, _ *testing.T, d *fixture, _ *command.Command) error {
			return d.Directory.Guilds.DeleteInstall(ctx, guild, game)
		}, []string{"c"}},
		{"an application is deleted", func(ctx context.Context, _ *testing.T, d *fixture, _ *command.Command) error {
			return d.Directory.Applications.Delete(ctx, game)
		}, []string{"c"}},
		{"activities are switched off", func(ctx context.Context, t *testing.T, d *fixture, _ *command.Command) error {
			d.create(t, game, 0, `{"type":4,"name":"go","handler":2}`)
			same(t, "the index with Activities", d.guildIndex(t, bob).names(), "c", "other", "go")
			_, err := d.provision().PutApplication(ctx, world.Application{ID: game, Name: "Game", Owner: ada})
			return err
		}, []string{"c", "other"}},
		{"the only channels are hidden", func(ctx context.Context, _ *testing.T, d *fixture, _ *command.Command) error {
			_, err := d.provision().PutGuild(ctx, world.Guild{ID: guild, Name: "Lab", Owner: ada, Everyone: new(permission.Bits)})
			return err
		}, nil},
		{"a member is timed out", func(ctx context.Context, _ *testing.T, d *fixture, _ *command.Command) error {
			_, err := d.provision().PutMember(ctx, guild, world.Member{User: bob, TimeoutUntil: start.AddDate(0, 0, 1)})
			return err
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := openLab(t)
			c := d.create(t, echo, 0, slash("c", ""))
			d.create(t, game, 0, slash("other", ""))
			same(t, "the index before", d.guildIndex(t, bob).names(), "c", "other")
			if err := tt.change(t.Context(), t, d, c); err != nil {
				t.Fatal(err)
			}
			same(t, "the index after", d.guildIndex(t, bob).names(), tt.want...)
		})
	}
}

// TestIndexFromCache checks that repeated requests do not read the store.
func TestIndexFromCache(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	c := d.create(t, echo, 0, slash("c", ""))
	d.create(t, game, guild, slash("other", ""))
	ask := func() {
		d.guildIndex(t, bob)
		d.channelIndex(t, bob, general)
		d.channelIndex(t, bob, withEcho)
		body, err := d.Search(t.Context(), bob, thread, permissions.Search{Type: command.ChatInput, Limit: 25}, "de")
		read(t, body, err)
		body, err = d.UserIndex(t.Context(), bob, "de")
		read(t, body, err)
	}
	for _, entries := range [][]permission.Entry{nil, {forUser(bob, true)}} {
		d.put(t, echo, c.ID, entries...)
		ask()
		before := d.db.reads.Load()
		ask()
		if n := d.db.reads.Load() - before; n != 0 {
			t.Errorf("with entries %v there were %d reads of the store", entries, n)
		}
	}
}

func TestChannelIndex(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	d.create(t, echo, 0, slash("usual", ""))
	d.create(t, echo, 0, slash("everywhere", `,"integration_types":[0,1],"contexts":[0,1,2]`))
	d.create(t, echo, 0, slash("direct", `,"contexts":[1]`))
	d.create(t, echo, guild, slash("local", ""))
	d.create(t, echo, 0, slash("adult", `,"nsfw":true`))
	d.create(t, echo, 0, slash("ban", `,"default_member_permissions":"4"`))
	d.create(t, tool, 0, slash("mine", `,"integration_types":[1],"contexts":[0,1,2]`))
	d.create(t, tool, 0, slash("theirs", `,"integration_types":[0]`))
	for _, tt := range []struct {
		name    string
		user    snowflake.User
		channel snowflake.Channel
		want    []string
	}{
		{"a guild channel, with the user's installs", bob, general, []string{"usual", "everywhere", "local", "mine"}},
		{"a thread", bob, thread, []string{"mine"}}, // members may not send in threads; a user-installed app does not need that
		{"an age-restricted channel", bob, dark, []string{"usual", "everywhere", "local", "mine", "adult"}},
		{"an age-restricted channel for a minor", cleo, dark, []string{"usual", "everywhere", "local"}},
		{"a channel that gives a right", dora, hidden, []string{"usual", "everywhere", "local", "ban"}},
		{"a bot", bob, withEcho, []string{"usual", "everywhere", "direct", "adult", "ban"}},
		{"a bot that is not installed", dora, withTool, []string{"theirs"}},
		{"another person", bob, withBob, []string{"everywhere", "mine"}},
		{"another person without installs", ada, withBob, nil},
		{"a group", bob, group, []string{"everywhere", "mine"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			same(t, "the index", d.channelIndex(t, tt.user, tt.channel).names(), tt.want...)
		})
	}
	for _, tt := range []struct {
		user    snowflake.User
		channel snowflake.Channel
		want    error
	}{
		{bob, hidden, permissions.ErrNoAccess},
		{eve, general, permissions.ErrNoAccess},
		{eve, withBob, permissions.ErrNoAccess},
		{bob, 5, directory.ErrUnknownChannel},
	} {
		if _, err := d.ChannelIndex(t.Context(), tt.user, tt.channel, "de"); !errors.Is(err, tt.want) {
			t.Errorf("ChannelIndex(%v, %v) = %v, want %v", tt.user, tt.channel, err, tt.want)
		}
	}
}

func TestUserAndApplicationIndex(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	d.create(t, echo, 0, slash("usual", `,"integration_types":[0]`))
	d.create(t, echo, 0, slash("everywhere", `,"integration_types":[0,1],"contexts":[0,1,2]`))
	d.create(t, echo, 0, slash("guilds", `,"integration_types":[0],"contexts":[0]`))
	d.create(t, echo, 0, slash("mine", `,"integration_types":[1],"contexts":[0]`))
	d.create(t, echo, 0, slash("adult", `,"integration_types":[1],"nsfw":true`))
	d.create(t, echo, guild, slash("local", ""))
	d.create(t, tool, 0, slash("tool", `,"integration_types":[1]`))
	d.apply(t, `user_installs: [{user: 202, application: 100}]`)
	for user, want := range map[snowflake.User][]string{
		bob: {"everywhere", "mine", "adult", "tool"}, cleo: {"everywhere", "mine"}, dora: nil,
	} {
		body, err := d.UserIndex(t.Context(), user, "en-US")
		same(t, "the user's index", read(t, body, err).names(), want...)
	}
	for user, want := range map[snowflake.User][]string{
		bob: {"everywhere", "mine", "adult", "usual"}, cleo: {"everywhere", "mine", "usual"}, dora: {"usual", "everywhere"},
	} {
		body, err := d.ApplicationIndex(t.Context(), user, echo, "en-US")
		same(t, "the application's index", read(t, body, err).names(), want...)
	}
	if _, err := d.ApplicationIndex(t.Context(), bob, 5, "en-US"); !errors.Is(err, directory.ErrUnknownApplication) {
		t.Errorf("ApplicationIndex() = %v", err)
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	c := d.create(t, echo, 0, slash("c", `,"default_member_permissions":"32"`))
	local := d.create(t, echo, guild, slash("local", ""))
	d.put(t, echo, c.ID, forUser(bob, true))
	for _, tt := range []struct {
		name    string
		user    snowflake.User
		channel snowflake.Channel
		app     snowflake.Application
		id      snowflake.Command
		want    string
		err     error
	}{
		{name: "by an entry", user: bob, channel: general, app: echo, id: c.ID, want: "allowed by an entry"},
		{name: "by default", user: dora, channel: general, app: echo, id: c.ID, want: "allowed by default"},
		{name: "not by default", user: cleo, channel: general, app: echo, id: c.ID, want: "denied by default"},
		{name: "a guild command", user: cleo, channel: general, app: echo, id: local.ID, want: "allowed by default"},
		{name: "not a member", user: eve, channel: general, app: echo, id: c.ID, want: "hidden channel"},
		{name: "with the bot", user: bob, channel: withEcho, app: echo, id: c.ID, want: "outside of guilds"},
		{name: "a guild command outside of the guild", user: bob, channel: withEcho, app: echo, id: local.ID, err: registry.ErrUnknownCommand},
		{name: "of another application", user: bob, channel: general, app: game, id: c.ID, err: registry.ErrUnknownCommand},
		{name: "an unknown application", user: bob, channel: general, app: 5, id: c.ID, err: directory.ErrUnknownApplication},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := d.Invoker(t.Context(), tt.user, tt.channel)
			if err != nil {
				t.Fatal(err)
			}
			found, got, err := d.Decide(t.Context(), s, tt.app, tt.id)
			if !errors.Is(err, tt.err) || got.Reason != tt.want {
				t.Errorf("Decide() = %v, %v, want %v, %v", got.Reason, err, tt.want, tt.err)
			}
			if err == nil && found.ID != tt.id {
				t.Errorf("Decide() found %v, want %v", found.ID, tt.id)
			}
		})
	}
}
