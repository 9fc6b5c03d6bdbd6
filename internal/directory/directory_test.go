package directory_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/testkit/lab"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// fixture is a directory with its own store.
type fixture struct{ *lab.Fixture }

func open(t testing.TB) *fixture {
	t.Helper()
	return &fixture{lab.Open(t)}
}

// newFixture returns a directory with an empty cache.
func newFixture(db store.Store) *fixture { return &fixture{lab.New(db)} }

func (d *fixture) export(t testing.TB) world.World {
	t.Helper()
	w, err := provision.Export(t.Context(), d.Directory)
	if err != nil {
		t.Fatalf("Export() = %v", err)
	}
	return w
}

func TestReads(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	ctx := t.Context()

	t.Run("a user", func(t *testing.T) {
		t.Parallel()
		want := &store.User{ID: 200, Username: "ada", Locale: "de"}
		if diff := cmp.Diff(want, lab.Get[*store.User](t)(d.Users.User(ctx, 200))); diff != "" {
			t.Errorf("User() (-want +got):\n%s", diff)
		}
	})
	t.Run("a bot", func(t *testing.T) {
		t.Parallel()
		want := &store.User{ID: 100, Username: "Echo", Locale: "en-US", Bot: true}
		if diff := cmp.Diff(want, lab.Get[*store.User](t)(d.Users.User(ctx, 100))); diff != "" {
			t.Errorf("User() (-want +got):\n%s", diff)
		}
	})
	t.Run("an application", func(t *testing.T) {
		t.Parallel()
		a := lab.Get[*store.Application](t)(d.Applications.Application(ctx, 100))
		if a.Name != "Echo" || a.Owner != 200 || a.RequestsPerSecond != 50 || len(a.SigningKey) != 32 ||
			!auth.Matches(a.SecretHash, "secret-echo") || !cmp.Equal(a.IntegrationTypes, []uint8{0, 1}) {
			t.Errorf("Application() = %+v", a)
		}
	})
	t.Run("a guild has the @everyone role", func(t *testing.T) {
		t.Parallel()
		guild := store.Guild{ID: 300, Name: "Lab", Owner: 200, PreferredLocale: "en-US", Everyone: 2107735977479745}
		roles := []store.Role{
			{ID: 300, Guild: 300, Name: "@everyone", Permissions: 2107735977479745},
			{ID: 301, Guild: 300, Name: "mods", Permissions: 32, Position: 1},
		}
		got := lab.Get[*directory.GuildState](t)(d.Guilds.State(ctx, 300))
		if diff := cmp.Diff(guild, got.Guild) + cmp.Diff(roles, got.Roles); diff != "" {
			t.Errorf("State() (-want +got):\n%s", diff)
		}
	})
	t.Run("other records", func(t *testing.T) {
		t.Parallel()
		if c := lab.Get[*store.Channel](t)(d.Channels.Channel(ctx, 311)); c.Name != "general" || c.Parent != 310 || len(c.Overwrites) != 4 {
			t.Errorf("Channel() = %+v", c)
		}
		if c := lab.Get[[]store.Channel](t)(d.Guilds.Channels(ctx, 300)); len(c) != 3 {
			t.Errorf("Channels() = %+v", c)
		}
		want := store.Member{Guild: 300, User: 200, Nick: "Countess", Roles: []snowflake.Role{301}, JoinedAt: lab.Start}
		if diff := cmp.Diff(want, lab.Get[store.Member](t)(d.Guilds.Member(ctx, 300, 200))); diff != "" {
			t.Errorf("Member() (-want +got):\n%s", diff)
		}
		if m := lab.Get[[]store.Member](t)(d.Guilds.Members(ctx, 300, 100, 1)); len(m) != 1 || m[0].User != 200 {
			t.Errorf("Members() = %+v", m)
		}
		if m := lab.Get[[]store.Member](t)(d.Users.Memberships(ctx, 100, 0, 10)); len(m) != 1 || m[0].Guild != 300 {
			t.Errorf("Memberships() = %+v", m)
		}
		installed := store.Install{Application: 100, Guild: 300, Scopes: []string{"applications.commands", "bot"}, InstalledAt: lab.Start}
		for range 2 {
			if diff := cmp.Diff(installed, lab.Get[store.Install](t)(d.Guilds.Install(ctx, 300, 100))); diff != "" {
				t.Errorf("Install() (-want +got):\n%s", diff)
			}
		}
		if i := lab.Get[[]store.Install](t)(d.Guilds.Installs(ctx, 300)); len(i) != 1 {
			t.Errorf("Installs() = %+v", i)
		}
		if i := lab.Get[[]store.Install](t)(d.Applications.InstalledGuilds(ctx, 100, 0, 10)); len(i) != 1 {
			t.Errorf("InstalledGuilds() = %+v", i)
		}
		if i := lab.Get[store.Install](t)(d.Users.Install(ctx, 201, 100)); i.User != 201 || len(i.Scopes) != 1 {
			t.Errorf("Users.Install() = %+v", i)
		}
		if i := lab.Get[[]store.Install](t)(d.Users.Installs(ctx, 201)); len(i) != 1 {
			t.Errorf("Users.Installs() = %+v", i)
		}
		if u := lab.Get[[]store.User](t)(d.Users.List(ctx, 0, 10)); len(u) != 2 {
			t.Errorf("Users.List() = %+v", u)
		}
		if a := lab.Get[[]store.Application](t)(d.Applications.List(ctx, 0, 10)); len(a) != 1 {
			t.Errorf("Applications.List() = %+v", a)
		}
		if g := lab.Get[[]store.Guild](t)(d.Guilds.List(ctx, 0, 10)); len(g) != 1 {
			t.Errorf("Guilds.List() = %+v", g)
		}
	})
	t.Run("a direct-message channel", func(t *testing.T) {
		t.Parallel()
		dm := store.Channel{ID: 400, Type: 1, Recipients: []snowflake.User{200, 201}}
		d.Seed(t, dm)
		if diff := cmp.Diff(dm, lab.Get[store.Channel](t)(d.Channels.Direct(ctx, dm.Recipients))); diff != "" {
			t.Errorf("Direct() (-want +got):\n%s", diff)
		}
		if c := lab.Get[[]directory.ChannelView](t)(d.Channels.Directs(ctx, 200)); len(c) != 1 {
			t.Errorf("Directs() = %+v", c)
		}
	})
}

func TestMissing(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	ctx := t.Context()
	for name, tt := range map[string]struct {
		want error
		read func() error
	}{
		"user":            {directory.ErrUnknownUser, func() error { _, err := d.Users.User(ctx, 999); return err }},
		"application":     {directory.ErrUnknownApplication, func() error { _, err := d.Applications.Application(ctx, 999); return err }},
		"guild":           {directory.ErrUnknownGuild, func() error { _, err := d.Guilds.State(ctx, 999); return err }},
		"channel":         {directory.ErrUnknownChannel, func() error { _, err := d.Channels.Channel(ctx, 999); return err }},
		"direct channel":  {directory.ErrUnknownChannel, func() error { _, err := d.Channels.Direct(ctx, []snowflake.User{1}); return err }},
		"direct channels": {directory.ErrUnknownUser, func() error { _, err := d.Channels.Directs(ctx, 999); return err }},
		"channels of":     {directory.ErrUnknownGuild, func() error { _, err := d.Guilds.Channels(ctx, 999); return err }},
		"member":          {directory.ErrUnknownMember, func() error { _, err := d.Guilds.Member(ctx, 300, 999); return err }},
		"members of":      {directory.ErrUnknownGuild, func() error { _, err := d.Guilds.Members(ctx, 999, 0, 1); return err }},
		"memberships of":  {directory.ErrUnknownUser, func() error { _, err := d.Users.Memberships(ctx, 999, 0, 1); return err }},
		"guild install":   {directory.ErrNotInstalled, func() error { _, err := d.Guilds.Install(ctx, 300, 999); return err }},
		"user install":    {directory.ErrNotInstalled, func() error { _, err := d.Users.Install(ctx, 200, 100); return err }},
		"installs in":     {directory.ErrUnknownGuild, func() error { _, err := d.Guilds.Installs(ctx, 999); return err }},
		"installs of":     {directory.ErrUnknownUser, func() error { _, err := d.Users.Installs(ctx, 999); return err }},
		"guilds of":       {directory.ErrUnknownApplication, func() error { _, err := d.Applications.InstalledGuilds(ctx, 999, 0, 1); return err }},
		"delete user":     {directory.ErrUnknownUser, func() error { return d.Users.Delete(ctx, 100) }},
		"delete app":      {directory.ErrUnknownApplication, func() error { return d.Applications.Delete(ctx, 200) }},
		"delete guild":    {directory.ErrUnknownGuild, func() error { return d.Guilds.Delete(ctx, 999) }},
		"delete role":     {directory.ErrUnknownRole, func() error { return d.Guilds.DeleteRole(ctx, 300, 300) }},
		"delete channel":  {directory.ErrUnknownChannel, func() error { return d.Guilds.DeleteChannel(ctx, 300, 999) }},
		"foreign channel": {directory.ErrUnknownChannel, func() error { return d.Guilds.DeleteChannel(ctx, 999, 311) }},
		"delete member":   {directory.ErrUnknownMember, func() error { return d.Guilds.DeleteMember(ctx, 300, 999) }},
		"delete install":  {directory.ErrNotInstalled, func() error { return d.Guilds.DeleteInstall(ctx, 300, 999) }},
		"delete user's":   {directory.ErrNotInstalled, func() error { return d.Users.DeleteInstall(ctx, 200, 100) }},
		"role, no guild":  {directory.ErrUnknownGuild, func() error { _, err := d.PutRole(ctx, 999, world.Role{ID: 1}); return err }},
		"remove owner":    {directory.ErrOwner, func() error { return d.Guilds.DeleteMember(ctx, 300, 200) }},
		"delete owner":    {directory.ErrOwner, func() error { return d.Users.Delete(ctx, 200) }},
		"empty page":      {nil, func() error { _, err := d.Users.List(ctx, 0, 0); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // from the store, and from the cache
				if err := tt.read(); !errors.Is(err, tt.want) {
					t.Errorf("error = %v, want %v", err, tt.want)
				}
			}
		})
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	before := d.Store.Reads.Load()
	for range 10 {
		lab.Get[*store.Application](t)(d.Applications.Application(t.Context(), 100))
		lab.Get[*store.User](t)(d.Users.User(t.Context(), 200))
		lab.Get[store.Install](t)(d.Guilds.Install(t.Context(), 300, 100))
	}
	if n := d.Store.Reads.Load() - before; n != 4 {
		t.Errorf("%d reads of the store, want one for each record and one for the tombstones", n)
	}

	// The next read sees every kind of write.
	steps := []struct {
		name  string
		write func() error
		seen  func() bool
	}{
		{
			"apply", func() error {
				_, err := d.Apply(t.Context(), lab.Parse(t, "users: [{id: 200, username: eve}]"))
				return err
			},
			func() bool { return lab.Get[*store.User](t)(d.Users.User(t.Context(), 200)).Username == "eve" },
		},
		{
			"put a user", func() error { _, err := d.PutUser(t.Context(), world.User{ID: 200, Username: "ada"}); return err },
			func() bool { return lab.Get[*store.User](t)(d.Users.User(t.Context(), 200)).Username == "ada" },
		},
		{"rename an application", func() error {
			_, err := d.PutApplication(t.Context(), world.Application{ID: 100, Name: "Noise", Owner: 200})
			return err
		}, func() bool {
			return lab.Get[*store.Application](t)(d.Applications.Application(t.Context(), 100)).Name == "Noise" && lab.Get[*store.User](t)(d.Users.User(t.Context(), 100)).Username == "Noise"
		}},
		{
			"create a guild", func() error { _, err := d.PutGuild(t.Context(), world.Guild{ID: 999, Owner: 200}); return err },
			func() bool {
				_, err := d.Guilds.Install(t.Context(), 999, 100)
				return errors.Is(err, directory.ErrNotInstalled)
			},
		},
		{"install", func() error {
			_, err := d.PutGuildInstall(t.Context(), 999, world.GuildInstall{Application: 100})
			return err
		}, func() bool { _, err := d.Guilds.Install(t.Context(), 999, 100); return err == nil }},
		{
			"uninstall", func() error { return d.Guilds.DeleteInstall(t.Context(), 999, 100) },
			func() bool {
				_, err := d.Guilds.Install(t.Context(), 999, 100)
				return errors.Is(err, directory.ErrNotInstalled)
			},
		},
		{
			"remove a bot", func() error { return d.Guilds.DeleteMember(t.Context(), 300, 100) },
			func() bool {
				_, err := d.Guilds.Install(t.Context(), 300, 100)
				return errors.Is(err, directory.ErrNotInstalled)
			},
		},
		{"install again", func() error {
			_, err := d.PutGuildInstall(t.Context(), 300, world.GuildInstall{Application: 100})
			return err
		}, func() bool { _, err := d.Guilds.Install(t.Context(), 300, 100); return err == nil }},
		{
			"delete a guild", func() error { return d.Guilds.Delete(t.Context(), 300) },
			func() bool {
				_, err := d.Guilds.Install(t.Context(), 300, 100)
				return errors.Is(err, directory.ErrNotInstalled)
			},
		},
		{"delete an application", func() error { return d.Applications.Delete(t.Context(), 100) }, func() bool {
			_, err := d.Applications.Application(t.Context(), 100)
			_, bot := d.Users.User(t.Context(), 100)
			return errors.Is(err, directory.ErrUnknownApplication) && errors.Is(bot, directory.ErrUnknownUser) && !d.Accepts(t, "Bot bot-echo")
		}},
		{"reset to nothing", func() error { _, err := d.Reset(t.Context(), world.World{}); return err }, func() bool {
			_, err := d.Applications.Application(t.Context(), 100)
			_, user := d.Users.User(t.Context(), 200)
			return errors.Is(err, directory.ErrUnknownApplication) && errors.Is(user, directory.ErrUnknownUser) && !d.Accepts(t, "user-bob")
		}},
		{
			"reset to the start", func() error { _, err := d.Reset(t.Context(), lab.Parse(t, lab.World)); return err },
			func() bool {
				return lab.Get[*store.User](t)(d.Users.User(t.Context(), 201)).Username == "bob" && d.Accepts(t, "user-bob")
			},
		},
		{"delete a user", func() error { return d.Users.Delete(t.Context(), 201) }, func() bool {
			_, err := d.Users.User(t.Context(), 201)
			return errors.Is(err, directory.ErrUnknownUser) && !d.Accepts(t, "user-bob")
		}},
		{"reset", func() error { _, err := d.Reset(t.Context(), lab.Parse(t, lab.World)); return err }, func() bool {
			_, err := d.Guilds.Install(t.Context(), 300, 100)
			return err == nil && lab.Get[*store.User](t)(d.Users.User(t.Context(), 201)).Username == "bob" && d.Accepts(t, "Bot bot-echo")
		}},
	}
	for _, s := range steps {
		for _, header := range []string{"Bot bot-echo", "user-bob"} { // fills the cache before the step
			d.Accepts(t, header)
		}
		for _, id := range []snowflake.User{100, 200, 201} {
			if _, err := d.Users.User(t.Context(), id); err != nil && !errors.Is(err, directory.ErrUnknownUser) {
				t.Fatal(err)
			}
		}
		if err := s.write(); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if !s.seen() {
			t.Errorf("%s: the next read does not see it", s.name)
		}
	}
}

func BenchmarkApplication(b *testing.B) {
	d := open(b)
	d.ApplyText(b, lab.World)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Applications.Application(ctx, 100); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGuildInstall(b *testing.B) {
	d := open(b)
	d.ApplyText(b, lab.World)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Guilds.Install(ctx, 300, 100); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReset(b *testing.B) {
	d := open(b)
	w := world.Demo()
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Reset(ctx, w); err != nil {
			b.Fatal(err)
		}
	}
}
