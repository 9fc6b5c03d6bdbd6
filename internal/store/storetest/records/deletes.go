package records

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

var deleteRules = []check.Rule{
	{Name: "a user takes memberships, installs, direct-message channels and credentials", Run: deleteOf(
		check.Each(store.Tx.DeleteUser, 200),
		"user 200", "member 300/200 [301 302]", "member 301/200 [301]", "membership 200/300", "membership 200/301",
		"user install 200/100", "user install 200/101", "channel 500", "direct 200/500", "direct 201/500",
		"credential 2 of 0/200", "credential 3 of 100/200",
	)},
	{Name: "a guild takes roles, channels, members, installs, commands and permission sets", Run: deleteOf(
		check.Each(store.Tx.DeleteGuild, 300),
		"guild 300", "role 300/301", "role 300/302", "channel 310", "member 300/200 [301 302]", "member 300/201 [302]",
		"member 300/100 []", "membership 200/300", "membership 201/300", "membership 100/300",
		"guild install 300/100", "guild install 300/101", "installed 100/300", "installed 101/300",
		"scope 100/300 at 1", "scope 101/300 at 1", "command 100/300/1002", "command 101/300/1012",
		"overwrites 100/300/1001", "overwrites 100/300/100", "overwrites 101/300/1011",
	)},
	{Name: "an application takes installs, commands, permission sets, credentials and its bot's memberships", Run: deleteOf(
		check.Each(store.Tx.DeleteApplication, 100),
		"application 100", "guild install 300/100", "guild install 301/100", "installed 100/300", "installed 100/301",
		"user install 200/100", "user install 201/100",
		"scope 100/0 at 1", "scope 100/300 at 1", "scope 100/301 at 1",
		"command 100/0/1001", "command 100/300/1002", "command 100/301/1003",
		"overwrites 100/300/1001", "overwrites 100/301/1001", "overwrites 100/300/100",
		"credential 1 of 100/0", "credential 3 of 100/200", "credential 4 of 100/201",
		"member 300/100 []", "membership 100/300",
	)},
	{Name: "a role takes its mention in members", Run: deleteOf(
		func(tx store.Tx) error { return tx.DeleteRole(300, 302) },
		"role 300/302",
		"member 300/200 [301 302]", "+member 300/200 [301]",
		"member 300/201 [302]", "+member 300/201 []",
	)},
	{Name: "a channel takes nothing else", Run: deleteOf(
		check.Each(store.Tx.DeleteChannel, 310),
		"channel 310",
	)},
	{Name: "a direct-message channel takes nothing else", Run: deleteOf(
		check.Each(store.Tx.DeleteChannel, 500),
		"channel 500", "direct 200/500", "direct 201/500",
	)},
	{Name: "a member takes nothing else", Run: deleteOf(
		func(tx store.Tx) error { return tx.DeleteMember(300, 200) },
		"member 300/200 [301 302]", "membership 200/300",
	)},
	{Name: "an install takes nothing else", Run: deleteOf(
		func(tx store.Tx) error {
			return errors.Join(tx.DeleteInstall(store.Install{Application: 100, Guild: 300}),
				tx.DeleteInstall(store.Install{Application: 100, User: 201}))
		},
		"guild install 300/100", "installed 100/300", "user install 201/100",
	)},
	{Name: "an id of 0 or of nobody takes nothing", Run: deleteOf(
		func(tx store.Tx) error {
			return errors.Join(tx.DeleteUser(0), tx.DeleteApplication(0), tx.DeleteGuild(0), tx.DeleteRole(0, 0), tx.DeleteChannel(0),
				tx.DeleteUser(999), tx.DeleteApplication(999), tx.DeleteGuild(999), tx.DeleteRole(300, 999),
				tx.DeleteRole(999, 301), tx.DeleteChannel(999), tx.DeleteMember(300, 999), tx.DeleteMember(999, 200))
		},
	)},
	{Name: "clear takes everything but the nodes", Run: clearAll},
}

var (
	worldApps   = []snowflake.Application{100, 101}
	worldUsers  = []snowflake.User{200, 201, 100, 101} // the bots have the ids of their applications
	worldGuilds = []snowflake.Guild{300, 301}
)

// World writes two of everything, tied to each other in every way there is.
func World(tx store.Tx) error {
	var errs []error
	for _, id := range worldUsers[:2] {
		errs = append(errs, tx.PutUser(store.User{ID: id}))
	}
	for _, id := range worldApps {
		errs = append(errs, tx.PutApplication(store.Application{ID: id}),
			PutCommands(
				in(command.Scope{Application: id}, snowflake.Command(id)*10+1, "global"),
				in(command.Scope{Application: id, Guild: 300}, snowflake.Command(id)*10+2, "first"),
				in(command.Scope{Application: id, Guild: 301}, snowflake.Command(id)*10+3, "second"))(tx),
			tx.PutInstall(store.Install{Application: id, User: 200}),
			tx.PutInstall(store.Install{Application: id, User: 201}))
	}
	for _, id := range worldGuilds {
		errs = append(errs, tx.PutGuild(store.Guild{ID: id}),
			tx.PutRole(store.Role{Guild: id, ID: 301}), tx.PutRole(store.Role{Guild: id, ID: 302}),
			tx.PutChannel(store.Channel{Guild: id, ID: snowflake.Channel(id) + 10}),
			tx.PutInstall(store.Install{Application: 100, Guild: id}), tx.PutInstall(store.Install{Application: 101, Guild: id}))
	}
	errs = append(errs,
		tx.PutMember(store.Member{Guild: 300, User: 200, Roles: []snowflake.Role{301, 302}}),
		tx.PutMember(store.Member{Guild: 300, User: 201, Roles: []snowflake.Role{302}}),
		tx.PutMember(store.Member{Guild: 300, User: 100}),
		tx.PutMember(store.Member{Guild: 301, User: 200, Roles: []snowflake.Role{301}}),
		tx.PutMember(store.Member{Guild: 301, User: 201, Roles: []snowflake.Role{301, 302}}),
		tx.PutMember(store.Member{Guild: 301, User: 101}),
		tx.PutChannel(direct(500, 200, 201)), tx.PutChannel(direct(501, 201)))
	for _, s := range []store.OverwriteSet{set(300, 1001), set(301, 1001), set(300, 100), set(300, 1011)} {
		if s.ID == 1011 {
			s.Application = 101
		}
		errs = append(errs, tx.PutOverwrites(s))
	}
	for i, c := range []store.Credential{
		{Kind: store.BotToken, Application: 100},
		{Kind: store.UserToken, User: 200},
		{Kind: store.BearerToken, Application: 100, User: 200},
		{Kind: store.BearerToken, Application: 100, User: 201},
		{Kind: store.BearerToken, Application: 101},
		{Kind: store.AdminToken},
	} {
		c.Hash = store.TokenHash{byte(i + 1)}
		errs = append(errs, tx.PutCredential(c))
	}
	return errors.Join(errs...)
}

// deleteOf checks that a deletion from the world takes along exactly the given lines of its census; lines with a plus
// have to appear instead.
func deleteOf(do func(store.Tx) error, lines ...string) func(*testing.T, store.Store) {
	return func(t *testing.T, s store.Store) {
		t.Helper()
		check.Update(t, s, World)
		before := Census(t, s)
		check.Update(t, s, do)
		after := Census(t, s)
		var got []string
		for _, line := range before {
			if !slices.Contains(after, line) {
				got = append(got, line)
			}
		}
		for _, line := range after {
			if !slices.Contains(before, line) {
				got = append(got, "+"+line)
			}
		}
		want := slices.Clone(lines)
		slices.Sort(want)
		slices.Sort(got)
		check.Same(t, "what is gone", got, want)
	}
}

func clearAll(t *testing.T, s store.Store) {
	number := check.Told(t, s, func(tx store.Tx) (uint16, error) {
		number, _, err := tx.LeaseNode("holder", check.Noon, check.Noon.Add(1e9))
		return number, errors.Join(err, World(tx))
	})
	check.Update(t, s, store.Tx.Clear)
	check.Same(t, "what is left", Census(t, s), []string(nil))
	check.Shows(t, s, "Users()", func(r store.Reader) ([]store.User, error) { return r.Users(0, 10) }, nil)
	other := check.Told(t, s, func(tx store.Tx) (uint16, error) {
		other, _, err := tx.LeaseNode("other", check.Noon, check.Noon.Add(1e9))
		return other, errors.Join(err, tx.ExtendNode(number, "holder", check.Noon, check.Noon))
	})
	if other == number {
		t.Errorf("LeaseNode() = %d, which is held", other)
	}
	check.Update(t, s, World) // every place is free again
}
