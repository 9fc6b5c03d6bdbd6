package provision_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestApplyKeepsOtherRecords(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	before := d.export(t)
	d.Now.Time = lab.Start.Add(time.Hour)
	applied := d.ApplyText(t, `
users: [{id: 201, username: bill}]
guilds:
  - id: 300
    name: Labs
    owner: 200
    roles: [{id: 302}]
    members: [{user: 201, nick: Bill}]
`)
	want := before
	want.Users[1].Username = "bill"
	g := &want.Guilds[0]
	g.Name = "Labs"
	g.Roles = append(g.Roles, world.Role{ID: 302, Name: "role-302", Position: 1})
	for i := range g.Members {
		if g.Members[i].User == 201 {
			g.Members[i].Nick = "Bill" // JoinedAt stays
		}
	}
	if diff := cmp.Diff(want, d.export(t)); diff != "" {
		t.Errorf("Apply() (-want +got):\n%s", diff)
	}
	if applied.Changed != 4 {
		t.Errorf("Changed = %d, want 4: a user, a guild, a role, a member", applied.Changed)
	}
	if !d.Accepts(t, "user-bob") {
		t.Error("a user without a token in the file lost its token")
	}
}

func TestFailedApplyChangesNothing(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	before := d.export(t)
	broken := errors.New("broken")
	d.onActivities = func(*store.Tx, store.Application) error { return broken }
	_, err := d.Apply(t.Context(), lab.Parse(t, `
users: [{id: 200, username: eve, token: stolen}]
applications: [{id: 100, name: Noise, activities: true}]
`))
	if !errors.Is(err, broken) {
		t.Fatalf("Apply() = %v, want %v", err, broken)
	}
	if diff := cmp.Diff(before, d.export(t)); diff != "" {
		t.Errorf("a failed Apply() changed (-before +after):\n%s", diff)
	}
	if d.Accepts(t, "stolen") || !d.Accepts(t, "user-ada") {
		t.Error("a failed Apply() changed tokens")
	}
	if u := lab.Get[*store.User](t)(d.Users.User(t.Context(), 200)); u.Username != "ada" {
		t.Errorf("User() = %+v after a failed Apply()", u)
	}
}

func TestCreatedSecrets(t *testing.T) {
	t.Parallel()
	const bare = "users: [{id: 200, username: ada}]\napplications: [{id: 100, name: Echo}]"
	d := open(t)
	applied := d.ApplyText(t, bare)
	bot, user, secret := applied.BotTokens[100], applied.UserTokens[200], applied.ClientSecrets[100]
	if !d.Accepts(t, "Bot "+bot.Reveal()) || !d.Accepts(t, user.Reveal()) {
		t.Error("the created tokens are not accepted")
	}
	app := *lab.Get[*store.Application](t)(d.Applications.Application(t.Context(), 100))
	if !auth.Matches(app.SecretHash, secret.Reveal()) {
		t.Error("the application does not have the created client secret")
	}

	t.Run("once", func(t *testing.T) {
		if again := d.ApplyText(t, bare); again.BotTokens != nil || again.UserTokens != nil || again.ClientSecrets != nil {
			t.Errorf("second Apply() created %+v", again)
		}
		if !d.Accepts(t, "Bot "+bot.Reveal()) || !d.Accepts(t, user.Reveal()) {
			t.Error("the created tokens are not accepted any more")
		}
	})

	t.Run("a given token replaces all others", func(t *testing.T) {
		given := d.ApplyText(t, `
users: [{id: 200, username: ada, token: fixed-user}]
applications: [{id: 100, name: Echo, bot_token: fixed-bot, client_secret: fixed-secret}]`)
		if given.BotTokens != nil || given.UserTokens != nil || given.ClientSecrets != nil {
			t.Errorf("Apply() created %+v besides the given tokens", given)
		}
		for header, want := range map[string]bool{
			"Bot fixed-bot": true, "fixed-user": true, "Bot " + bot.Reveal(): false, user.Reveal(): false,
		} {
			if got := d.Accepts(t, header); got != want {
				t.Errorf("%q accepted: %v, want %v", header, got, want)
			}
		}
		changed := lab.Get[*store.Application](t)(d.Applications.Application(t.Context(), 100))
		if !auth.Matches(changed.SecretHash, "fixed-secret") || auth.Matches(changed.SecretHash, secret.Reveal()) {
			t.Error("the application does not have the given client secret")
		}
		if diff := cmp.Diff(app.SigningKey, changed.SigningKey); diff != "" || len(app.SigningKey) != 32 {
			t.Errorf("the signing key changed:\n%s", diff)
		}
	})

	t.Run("a token that is not in the file stays", func(t *testing.T) {
		d.ApplyText(t, bare)
		if !d.Accepts(t, "Bot fixed-bot") || !d.Accepts(t, "fixed-user") {
			t.Error("a token that is not in the file was revoked")
		}
	})
}

func TestOwnerChange(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	d.Seed(t, store.Credential{Hash: auth.Hash("own"), Kind: store.BearerToken, Application: 100})
	for _, owner := range []snowflake.User{200, 201, 200} {
		if _, err := d.PutApplication(t.Context(), world.Application{ID: 100, Name: "Echo", Owner: owner}); err != nil {
			t.Fatal(err)
		}
		if p, err := d.Auth.Authenticate(t.Context(), "Bearer own"); err != nil || p.User != owner {
			t.Errorf("the application's own token acts for %v, %v, want %v", p.User, err, owner)
		}
	}
}

func TestActivities(t *testing.T) {
	t.Parallel()
	d := open(t)
	var during []string
	d.onActivities = func(tx *store.Tx, app store.Application) error {
		kept, err := tx.Directory.Application(app.ID)
		during = append(during, fmt.Sprint(app.ID, " ", app.Activities, " ", kept.Activities))
		if err != nil {
			return err
		}
		return tx.Put(store.Quota{Scope: command.Scope{Application: app.ID}, Used: 1})
	}
	const off = "users: [{id: 200, username: ada}]\napplications: [{id: 100, name: Echo}, {id: 101, name: Two}]"
	const on = "users: [{id: 200, username: ada}]\napplications: [{id: 100, name: Echo, activities: true}, {id: 101, name: Two}]"
	for _, tt := range []struct {
		name, give     string
		wantOn, wantOf []snowflake.Application
		during         []string
	}{
		{"new without", off, nil, nil, nil},
		{"switched on", on, []snowflake.Application{100}, nil, []string{"100 true true"}},
		{"still on", on, nil, nil, nil},
		{"switched off", off, nil, []snowflake.Application{100}, []string{"100 false false"}},
	} {
		during = nil
		applied := d.ApplyText(t, tt.give)
		if !cmp.Equal(applied.ActivitiesOn, tt.wantOn) || !cmp.Equal(applied.ActivitiesOff, tt.wantOf) {
			t.Errorf("%s: on %v, off %v, want %v, %v", tt.name, applied.ActivitiesOn, applied.ActivitiesOff, tt.wantOn, tt.wantOf)
		}
		if !cmp.Equal(during, tt.during) {
			t.Errorf("%s: OnActivities got %v, want %v", tt.name, during, tt.during)
		}
	}
	t.Run("new application", func(t *testing.T) {
		fresh := open(t)
		if applied := fresh.ApplyText(t, on); !cmp.Equal(applied.ActivitiesOn, []snowflake.Application{100}) {
			t.Errorf("on %v, want 100", applied.ActivitiesOn)
		}
	})
}

func TestImpliedMembers(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, `
users: [{id: 200, username: ada}]
applications: [{id: 100, name: Echo}, {id: 101, name: Silent}, {id: 102, name: Plain}]
guilds:
  - id: 300
    roles: [{id: 301}]
    installs:
      - {application: 100, scopes: [bot], permissions: 8}
      - {application: 101, scopes: [bot]}
      - {application: 102}
`)
	joined := func(user snowflake.User, roles ...snowflake.Role) store.Member {
		return store.Member{Guild: 300, User: user, Roles: roles, JoinedAt: lab.Start}
	}
	want := []store.Member{joined(100, 9001), joined(101), joined(200)}
	if diff := cmp.Diff(want, lab.Get[[]store.Member](t)(d.Guilds.Members(t.Context(), 300, 0, 10))); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	role := store.Role{ID: 9001, Guild: 300, Name: "Echo", Permissions: 8, Position: 1, Managed: 100}
	if diff := cmp.Diff(role, lab.Get[*directory.GuildState](t)(d.Guilds.State(t.Context(), 300)).Roles[2]); diff != "" {
		t.Errorf("role of the bot (-want +got):\n%s", diff)
	}

	t.Run("the role gets the permissions of the install", func(t *testing.T) {
		d.ApplyText(t, "guilds: [{id: 300, owner: 200, installs: [{application: 100, scopes: [bot], permissions: 16}]}]")
		if r := lab.Get[*directory.GuildState](t)(d.Guilds.State(t.Context(), 300)).Roles; len(r) != 3 || r[2].Permissions != 16 || r[2].ID != 9001 {
			t.Errorf("Roles = %+v, want the same role with 16", r)
		}
	})
	t.Run("a listed bot keeps its role", func(t *testing.T) {
		const listed = "guilds: [{id: 300, owner: 200, members: [{user: 100, roles: [301], nick: Beep}]}]"
		d.ApplyText(t, listed)
		if again := d.ApplyText(t, listed); again.Changed != 0 {
			t.Errorf("second Apply() changed %d records", again.Changed)
		}
		m := lab.Get[store.Member](t)(d.Guilds.Member(t.Context(), 300, 100))
		if m.Nick != "Beep" || !cmp.Equal(m.Roles, []snowflake.Role{301, 9001}) {
			t.Errorf("Member() = %+v", m)
		}
	})
	t.Run("deleting an install deletes the bot's role", func(t *testing.T) {
		if err := d.Guilds.DeleteInstall(t.Context(), 300, 100); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Guilds.Member(t.Context(), 300, 100); !errors.Is(err, directory.ErrUnknownMember) {
			t.Errorf("Member() = %v", err)
		}
		if r := lab.Get[*directory.GuildState](t)(d.Guilds.State(t.Context(), 300)).Roles; len(r) != 2 {
			t.Errorf("Roles = %+v", r)
		}
	})
}

func TestReset(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	d.ApplyText(t, "users: [{id: 299, username: guest, token: user-guest}]")
	if !d.Accepts(t, "user-guest") {
		t.Fatal("the guest is missing")
	}
	applied, err := d.Reset(t.Context(), lab.Parse(t, lab.World))
	if err != nil {
		t.Fatal(err)
	}
	if applied.Changed == 0 {
		t.Error("Reset() changed nothing")
	}
	fresh := open(t)
	fresh.ApplyText(t, lab.World)
	if diff := cmp.Diff(fresh.export(t), d.export(t)); diff != "" {
		t.Errorf("Reset() (-fresh +reset):\n%s", diff)
	}
	if d.Accepts(t, "user-guest") || !d.Accepts(t, "Bot bot-echo") {
		t.Error("the tokens are not those of the world")
	}

	t.Run("keeps created secrets of records in the world", func(t *testing.T) {
		t.Parallel()
		const bare = `
users: [{id: 200, username: ada}, {id: 201, username: bob, token: user-bob}]
applications: [{id: 100, name: Echo, activities: true}, {id: 101, name: Two, bot_token: bot-two}]`
		d := open(t)
		created := d.ApplyText(t, bare)
		before := *lab.Get[*store.Application](t)(d.Applications.Application(t.Context(), 100))
		d.ApplyText(t, "users: [{id: 202, username: cleo, token: user-cleo}, {id: 201, username: bill, token: user-bill}]")
		launched := 0
		d.onActivities = func(*store.Tx, store.Application) error { launched++; return nil }
		again, err := d.Reset(t.Context(), lab.Parse(t, bare))
		if err != nil {
			t.Fatal(err)
		}
		if len(again.BotTokens)+len(again.UserTokens)+len(again.ClientSecrets) != 0 {
			t.Errorf("Reset() created %+v again", again)
		}
		for header, want := range map[string]bool{
			"Bot " + created.BotTokens[100].Reveal(): true, created.UserTokens[200].Reveal(): true, "Bot bot-two": true,
			"user-bob": true, "user-bill": false, "user-cleo": false,
		} {
			if got := d.Accepts(t, header); got != want {
				t.Errorf("%q accepted: %v, want %v", header, got, want)
			}
		}
		if diff := cmp.Diff(before, *lab.Get[*store.Application](t)(d.Applications.Application(t.Context(), 100))); diff != "" {
			t.Errorf("application (-before +after):\n%s", diff)
		}
		if launched != 1 {
			t.Errorf("OnActivities was called %d times, want 1: Reset removes the commands", launched)
		}
	})

	t.Run("an invalid world changes nothing", func(t *testing.T) {
		before := d.export(t)
		for _, w := range []world.World{
			{Users: []world.User{{}}}, {UserInstalls: []world.UserInstall{{User: 200, Application: 100}}},
		} {
			if _, err := d.Reset(t.Context(), w); err == nil {
				t.Error("Reset() accepted an invalid world")
			}
		}
		if diff := cmp.Diff(before, d.export(t), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Reset() (-before +after):\n%s", diff)
		}
	})
}
