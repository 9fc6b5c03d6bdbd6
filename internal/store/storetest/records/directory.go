package records

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

var directoryRules = []check.Rule{
	{Name: "a user is kept, replaced and deleted", Run: userRecord},
	{Name: "an application is kept, replaced and deleted", Run: applicationRecord},
	{Name: "a guild is kept, replaced and deleted", Run: guildRecord},
	{Name: "a member is kept, replaced and deleted", Run: memberRecord},
	{Name: "an install in a guild is kept, replaced and deleted", Run: guildInstallRecord},
	{Name: "an install with a user is kept, replaced and deleted", Run: userInstallRecord},
	{Name: "users come in pages", Run: userPages},
	{Name: "applications come in pages", Run: applicationPages},
	{Name: "guilds come in pages", Run: guildPages},
	{Name: "members come in pages", Run: memberPages},
	{Name: "memberships come in pages", Run: membershipPages},
	{Name: "guilds with an install come in pages", Run: installedGuildPages},
	{Name: "installs of a place come in the order of applications", Run: installsOfPlaces},
	{Name: "members and installs are counted", Run: counts},
}

// record is what can be done with a record of one key.
type record[R any] struct {
	full, bare R // two records under that key: every member set, and only the least
	put        func(store.Tx, R) error
	get        func(store.Reader) (R, error)
	delete     func(store.Tx) error
}

// check walks through the life of a record.
func (c record[R]) check(t *testing.T, s store.Store) {
	t.Helper()
	check.Missing(t, s, c.get)
	check.Update(t, s, c.delete) // does nothing
	for _, want := range []R{c.bare, c.full, c.bare} {
		check.Update(t, s, func(tx store.Tx) error { return c.put(tx, want) })
		check.Shows(t, s, "the record that was put", c.get, want)
	}
	check.Update(t, s, c.delete)
	check.Missing(t, s, c.get)
}

func userRecord(t *testing.T, s store.Store) {
	record[store.User]{
		full: store.User{
			ID: 200, Username: "ada", GlobalName: "Ada ☃", Locale: locale.EnglishUK, Email: "ada@example.com", Minor: true,
		},
		bare:   store.User{ID: 200},
		put:    store.Tx.PutUser,
		get:    check.By(store.Reader.User, 200),
		delete: check.Each(store.Tx.DeleteUser, 200),
	}.check(t, s)
}

func applicationRecord(t *testing.T, s store.Store) {
	record[store.Application]{
		full: store.Application{
			ID: 100, Name: "Echo", Description: "says it again", Owner: 200, PublicClient: true,
			IntegrationTypes: []uint8{0, 1}, Activities: true, InteractionsEndpointURL: "https://example.com/i?a=1&b=<2>",
			RedirectURIs: []string{"http://127.0.0.1:9000/callback", ""}, RequestsPerSecond: 1200,
			SecretHash: []byte{0, 255, 1}, SigningKey: []byte("0123456789abcdef0123456789abcdef"),
			Tags: []string{"dice", "☃"}, Intents: 1 << 19,
			InstallParams: map[uint8]store.InstallParams{
				0: {Scopes: []string{"bot"}, Permissions: permission.All}, 1: {Scopes: []string{"applications.commands"}},
			},
		},
		bare:   store.Application{ID: 100},
		put:    store.Tx.PutApplication,
		get:    check.By(store.Reader.Application, 100),
		delete: check.Each(store.Tx.DeleteApplication, 100),
	}.check(t, s)
}

func guildRecord(t *testing.T, s store.Store) {
	record[store.Guild]{
		full: store.Guild{
			ID: 300, Name: "Lab", Owner: 200, PreferredLocale: locale.Spanish, Everyone: permission.Bits(1<<64 - 1),
		},
		bare:   store.Guild{ID: 300},
		put:    store.Tx.PutGuild,
		get:    check.By(store.Reader.Guild, 300),
		delete: check.Each(store.Tx.DeleteGuild, 300),
	}.check(t, s)
}

func memberRecord(t *testing.T, s store.Store) {
	record[store.Member]{
		full: store.Member{
			Guild: 300, User: 200, Nick: "Countess", Roles: []snowflake.Role{301, 302}, JoinedAt: check.Noon,
			TimeoutUntil: check.Noon.Add(time.Hour),
		},
		bare:   store.Member{Guild: 300, User: 200},
		put:    store.Tx.PutMember,
		get:    func(r store.Reader) (store.Member, error) { return r.Member(300, 200) },
		delete: func(tx store.Tx) error { return tx.DeleteMember(300, 200) },
	}.check(t, s)
}

func guildInstallRecord(t *testing.T, s store.Store) {
	record[store.Install]{
		full: store.Install{
			Application: 100, Guild: 300, Scopes: []string{"bot", "applications.commands"},
			Permissions: permission.All, InstalledAt: check.Noon,
		},
		bare: store.Install{Application: 100, Guild: 300},
		put:  store.Tx.PutInstall,
		get: func(r store.Reader) (store.Install, error) {
			if _, err := r.UserInstall(300, 100); err == nil {
				return store.Install{}, errors.New("user 300 has what guild 300 installed")
			}
			return r.GuildInstall(300, 100)
		},
		delete: func(tx store.Tx) error { return tx.DeleteInstall(store.Install{Application: 100, Guild: 300}) },
	}.check(t, s)
}

func userInstallRecord(t *testing.T, s store.Store) {
	record[store.Install]{
		full:   store.Install{Application: 100, User: 200, Scopes: []string{"applications.commands"}, InstalledAt: check.Noon},
		bare:   store.Install{Application: 100, User: 200},
		put:    store.Tx.PutInstall,
		get:    func(r store.Reader) (store.Install, error) { return r.UserInstall(200, 100) },
		delete: func(tx store.Tx) error { return tx.DeleteInstall(store.Install{Application: 100, User: 200}) },
	}.check(t, s)
}

// inPages checks a list with ids above after and at most limit of them. Its store holds exactly the ids 7, 20, 300, 301 and
// the largest one.
func inPages[R any, ID ~uint64](
	t *testing.T, s store.Store, put func(store.Tx, ID) error,
	list func(store.Reader, ID, int) ([]R, error), id func(R) ID,
) {
	t.Helper()
	ids := []ID{7, 20, 300, 301, snowflake.Max}
	check.Update(t, s, func(tx store.Tx) error {
		for _, i := range []int{3, 0, 4, 2, 1} {
			if err := put(tx, ids[i]); err != nil {
				return err
			}
		}
		return nil
	})
	for _, tt := range []struct {
		after ID
		limit int
		want  []ID
	}{
		{0, 10, ids},
		{0, 5, ids},
		{0, 2, ids[:2]},
		{6, 1, ids[:1]},
		{7, 1, ids[1:2]},
		{20, 2, ids[2:4]},
		{19, 3, ids[1:4]},
		{301, 9, ids[4:]},
		{snowflake.Max, 9, nil},
		{0, 0, nil},
		{0, -1, nil},
	} {
		page := check.Read(t, s, func(r store.Reader) ([]R, error) { return list(r, tt.after, tt.limit) })
		var got []ID
		for _, r := range page {
			got = append(got, id(r))
		}
		check.Same(t, fmt.Sprintf("page of %d after %d", tt.limit, tt.after), got, tt.want)
	}
}

func userPages(t *testing.T, s store.Store) {
	inPages(t, s, func(tx store.Tx, id snowflake.User) error { return tx.PutUser(store.User{ID: id}) },
		store.Reader.Users, func(u store.User) snowflake.User { return u.ID })
}

func applicationPages(t *testing.T, s store.Store) {
	inPages(t, s, func(tx store.Tx, id snowflake.Application) error { return tx.PutApplication(store.Application{ID: id}) },
		store.Reader.Applications, func(a store.Application) snowflake.Application { return a.ID })
}

func guildPages(t *testing.T, s store.Store) {
	inPages(t, s, func(tx store.Tx, id snowflake.Guild) error { return tx.PutGuild(store.Guild{ID: id}) },
		store.Reader.Guilds, func(g store.Guild) snowflake.Guild { return g.ID })
}

func memberPages(t *testing.T, s store.Store) {
	inPages(t, s,
		func(tx store.Tx, id snowflake.User) error {
			return errors.Join(tx.PutMember(store.Member{Guild: 300, User: id}), tx.PutMember(store.Member{Guild: 301, User: id + 1}))
		},
		func(r store.Reader, after snowflake.User, limit int) ([]store.Member, error) {
			return r.Members(300, after, limit)
		},
		func(m store.Member) snowflake.User { return m.User })
}

func membershipPages(t *testing.T, s store.Store) {
	inPages(t, s,
		func(tx store.Tx, id snowflake.Guild) error {
			return errors.Join(tx.PutMember(store.Member{Guild: id, User: 200}), tx.PutMember(store.Member{Guild: id, User: 201}))
		},
		func(r store.Reader, after snowflake.Guild, limit int) ([]store.Member, error) {
			return r.Memberships(200, after, limit)
		},
		func(m store.Member) snowflake.Guild { return m.Guild })
}

func installedGuildPages(t *testing.T, s store.Store) {
	inPages(t, s,
		func(tx store.Tx, id snowflake.Guild) error {
			return errors.Join(tx.PutInstall(store.Install{Application: 100, Guild: id}),
				tx.PutInstall(store.Install{Application: 101, Guild: id}),
				tx.PutInstall(store.Install{Application: 100, User: snowflake.User(id)}))
		},
		func(r store.Reader, after snowflake.Guild, limit int) ([]store.Install, error) {
			return r.InstalledGuilds(100, after, limit)
		},
		func(i store.Install) snowflake.Guild { return i.Guild })
}

func installsOfPlaces(t *testing.T, s store.Store) {
	var guild, user []store.Install
	for _, app := range []snowflake.Application{70, 9, 100} {
		guild = append(guild, store.Install{Application: app, Guild: 300})
		user = append(user, store.Install{Application: app + 1, User: 200})
	}
	check.Update(t, s, func(tx store.Tx) error {
		for _, i := range append(slices.Clone(guild), user...) {
			if err := tx.PutInstall(i); err != nil {
				return err
			}
		}
		return tx.PutInstall(store.Install{Application: 5, Guild: 301})
	})
	byApplication := func(a, b store.Install) int { return cmp.Compare(a.Application, b.Application) }
	slices.SortFunc(guild, byApplication)
	slices.SortFunc(user, byApplication)
	check.Shows(t, s, "GuildInstalls()", check.By(store.Reader.GuildInstalls, 300), guild)
	check.Shows(t, s, "UserInstalls()", check.By(store.Reader.UserInstalls, 200), user)
	check.Shows(t, s, "GuildInstalls() of none", check.By(store.Reader.GuildInstalls, 200), nil)
}

func counts(t *testing.T, s store.Store) {
	count := func() (n [3]int) {
		check.View(t, s, func(r store.Reader) (err error) {
			if n[0], err = r.MemberCount(300); err != nil {
				return err
			}
			n[1], n[2], err = r.InstallCount(100)
			return err
		})
		return n
	}
	check.Same(t, "counts of nothing", count(), [3]int{})
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(
			tx.PutMember(store.Member{Guild: 300, User: 200}), tx.PutMember(store.Member{Guild: 300, User: 201}),
			tx.PutMember(store.Member{Guild: 301, User: 200}),
			tx.PutInstall(store.Install{Application: 100, Guild: 300}), tx.PutInstall(store.Install{Application: 100, Guild: 301}),
			tx.PutInstall(store.Install{Application: 100, Guild: 302}), tx.PutInstall(store.Install{Application: 100, User: 200}),
			tx.PutInstall(store.Install{Application: 101, Guild: 300}), tx.PutInstall(store.Install{Application: 101, User: 201}),
		)
	})
	check.Same(t, "counts of members, guilds and users", count(), [3]int{2, 3, 1})
}
