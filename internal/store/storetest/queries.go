package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// queryCase stores records, deletes some, and compares the results of queries.
type queryCase struct {
	name    string
	put     []store.Record
	delete  []store.Key
	queries []query
}

// query is a query and the result that it must have.
type query struct {
	name string
	get  func(store.Reader) (any, error)
	want any
	// snapshot is set when the query does not see the writes of the decision that runs it.
	snapshot bool
}

// queryRules runs every case in three ways: with the records stored before the deletes; with both in one decision,
// which also runs the queries; and with half of the records stored before that decision.
func queryRules() []rule {
	var rules []rule
	for _, c := range queryCases() {
		rules = append(rules,
			rule{c.name, func(t *testing.T, s store.Store) { c.run(t, s, len(c.put)) }},
			rule{c.name + ", in one decision", func(t *testing.T, s store.Store) { c.run(t, s, 0) }},
			rule{c.name + ", half in one decision", func(t *testing.T, s store.Store) { c.run(t, s, len(c.put)/2) }},
		)
	}
	return rules
}

// run stores the first records in a separate decision.
func (c queryCase) run(t *testing.T, s store.Store, first int) {
	put(t, s, c.put[:first]...)
	decide(t, s, func(tx *store.Tx) error {
		if err := tx.Put(c.put[first:]...); err != nil {
			return err
		}
		tx.Delete(c.delete...)
		return c.check(t, "in the decision: ", tx.Reader, false)
	})
	read(t, s, func(r store.Reader) (any, error) { return nil, c.check(t, "", r, true) })
}

func (c queryCase) check(t *testing.T, where string, r store.Reader, committed bool) error {
	t.Helper()
	for _, q := range c.queries {
		if q.snapshot && !committed {
			continue
		}
		got, err := q.get(r)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		same(t, where+q.name, got, q.want)
	}
	return nil
}

// q returns a query that sees the writes of its decision.
func q[T any](name string, want T, get func(store.Reader) (T, error)) query {
	return query{name: name, want: want, get: func(r store.Reader) (any, error) { return value(get(r)) }}
}

// snapshotQuery returns a query that does not see them.
func snapshotQuery[T any](name string, want T, get func(store.Reader) (T, error)) query {
	query := q(name, want, get)
	query.snapshot = true
	return query
}

// found reports whether a record exists.
func found[T any](get func(store.Reader) (T, error)) func(store.Reader) (bool, error) {
	return func(r store.Reader) (bool, error) {
		list, err := optional(get(r))
		return len(list) > 0, err
	}
}

// idsOf returns the ids of records.
func idsOf[T any, ID ~uint64](id func(T) ID, list []T, err error) ([]ID, error) {
	var found []ID
	for _, r := range list {
		found = append(found, id(r))
	}
	return found, err
}

// pages returns queries for pages of a list that has exactly the ids 7, 20, 300, 301 and the largest one.
func pages[T any, ID ~uint64](name string, id func(T) ID, list func(r store.Reader, after ID, limit int) ([]T, error)) []query {
	ids := pageIDs[ID]()
	var queries []query
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
		queries = append(queries, q(fmt.Sprintf("%s: %d after %d", name, tt.limit, tt.after), tt.want, func(r store.Reader) ([]ID, error) {
			page, err := list(r, tt.after, tt.limit)
			return idsOf(id, page, err)
		}))
	}
	return queries
}

func pageIDs[ID ~uint64]() []ID { return []ID{7, 20, 300, 301, snowflake.Max} }

// each returns records with the ids of pages, in another order.
func each[ID ~uint64](record func(id ID) []store.Record) []store.Record {
	var records []store.Record
	for _, i := range []int{3, 0, 4, 2, 1} {
		records = append(records, record(pageIDs[ID]()[i])...)
	}
	return records
}

func queryCases() []queryCase {
	var all []queryCase
	all = append(all, pageCases()...)
	all = append(all, commandQueryCases()...)
	all = append(all, directoryQueryCases()...)
	all = append(all, lobbyQueryCases()...)
	all = append(all, messageQueryCases()...)
	all = append(all, channelQueryCases()...)
	all = append(all, auditQueryCases()...)
	return append(all, grantQueryCases()...)
}

func pageCases() []queryCase {
	user := func(id snowflake.User) []store.Record { return []store.Record{store.User{ID: id}} }
	app := func(id snowflake.Application) []store.Record { return []store.Record{store.Application{ID: id}} }
	guild := func(id snowflake.Guild) []store.Record { return []store.Record{store.Guild{ID: id}} }
	member := func(id snowflake.User) []store.Record {
		return []store.Record{store.Member{Guild: 300, User: id}, store.Member{Guild: 301, User: id - 1}}
	}
	membership := func(id snowflake.Guild) []store.Record {
		return []store.Record{store.Member{Guild: id, User: 200}, store.Member{Guild: id - 1, User: 201}}
	}
	install := func(id snowflake.Guild) []store.Record {
		return []store.Record{
			store.Install{Application: 100, Guild: id},
			store.Install{Application: 101, Guild: id - 1},
			store.Install{Application: 100, User: snowflake.User(id)},
		}
	}
	return []queryCase{
		{
			name: "users in pages", put: each(user), delete: []store.Key{store.UserKey(0), store.UserKey(8)},
			queries: pages("Users()", func(u store.User) snowflake.User { return u.ID },
				func(r store.Reader, after snowflake.User, limit int) ([]store.User, error) {
					return r.Directory.Users(after, limit)
				}),
		},
		{name: "applications in pages", put: each(app), queries: pages("Applications()",
			func(a store.Application) snowflake.Application { return a.ID },
			func(r store.Reader, after snowflake.Application, limit int) ([]store.Application, error) {
				return r.Directory.Applications(after, limit)
			})},
		{name: "guilds in pages", put: each(guild), queries: pages("Guilds()", func(g store.Guild) snowflake.Guild { return g.ID },
			func(r store.Reader, after snowflake.Guild, limit int) ([]store.Guild, error) {
				return r.Directory.Guilds(after, limit)
			})},
		{name: "members in pages", put: each(member), queries: pages("Members()", func(m store.Member) snowflake.User { return m.User },
			func(r store.Reader, after snowflake.User, limit int) ([]store.Member, error) {
				return r.Directory.Members(300, after, limit)
			})},
		{name: "memberships in pages", put: each(membership), queries: pages("Memberships()",
			func(m store.Member) snowflake.Guild { return m.Guild },
			func(r store.Reader, after snowflake.Guild, limit int) ([]store.Member, error) {
				return r.Directory.Memberships(200, after, limit)
			})},
		{name: "installs in pages", put: each(install), queries: pages("InstalledGuilds()",
			func(i store.Install) snowflake.Guild { return i.Guild },
			func(r store.Reader, after snowflake.Guild, limit int) ([]store.Install, error) {
				return r.Directory.InstalledGuilds(100, after, limit)
			})},
	}
}

func set(app snowflake.Application, guild snowflake.Guild, id snowflake.Command) store.OverwriteSet {
	return store.OverwriteSet{Guild: guild, Application: app, ID: id, Entries: []store.OverwriteEntry{{ID: snowflake.Target(id), Type: 1}}}
}

func commandQueryCases() []queryCase {
	global, guild, other := command.Scope{Application: 100}, command.Scope{Application: 100, Guild: 300}, command.Scope{Application: 101, Guild: 300}
	commands := func(scope command.Scope, want ...store.Command) query {
		var list []command.Command
		for _, c := range want {
			list = append(list, c.Command)
		}
		return q(fmt.Sprint("Commands() of ", scope), list, func(r store.Reader) ([]command.Command, error) { return r.Commands.Commands(scope) })
	}
	a, b, c, d := chatCommand(global, 9, "a"), chatCommand(global, 4, "b"), chatCommand(guild, 6, "a"), chatCommand(other, 5, "a")
	quotas := []store.Record{store.Quota{Scope: guild, Used: 1}, store.Quota{Scope: other}, store.Quota{Scope: global}}
	scopes := func(want ...command.Scope) []command.Scope { return want }
	return []queryCase{
		{
			name: "commands of a scope", put: []store.Record{a, c, b, d, chatCommand(guild, 7, "x"), chatCommand(global, 8, "x")},
			delete:  []store.Key{store.CommandKey(guild, 7), store.CommandKey(global, 8), store.CommandKey(global, 99)},
			queries: []query{commands(global, b, a), commands(guild, c), commands(other, d), commands(command.Scope{Application: 300, Guild: 100})},
		},
		{
			name: "commands with another name", put: []store.Record{a, b, c, chatCommand(global, 9, "other"), chatCommand(global, 4, "a")},
			queries: []query{commands(global, chatCommand(global, 4, "a"), chatCommand(global, 9, "other")), commands(guild, c)},
		},
		{
			name: "a scope with its commands", put: append([]store.Record{a, b, c, d}, quotas...), delete: []store.Key{store.ScopeKey(guild)},
			queries: []query{
				commands(global, b, a), commands(guild), commands(other, d),
				q("Quota()", store.Quota{Scope: guild}, func(r store.Reader) (store.Quota, error) { return r.Commands.Quota(guild) }),
				q("CommandScope()", other, func(r store.Reader) (command.Scope, error) { return r.Commands.CommandScope(d.ID) }),
				q("CommandScope() finds a deleted command", false, func(r store.Reader) (bool, error) {
					_, err := r.Commands.CommandScope(c.ID)
					return err == nil, nil
				}),
				q("ScopesOf()", scopes(global), func(r store.Reader) ([]command.Scope, error) { return r.Commands.ScopesOf(100) }),
				q("ScopesIn()", scopes(other), func(r store.Reader) ([]command.Scope, error) { return r.Commands.ScopesIn(300) }),
			},
		},
		{
			name:   "permission sets",
			put:    []store.Record{set(101, 300, 3), set(100, 300, 4), set(100, 301, 4), set(100, 300, 2), set(99, 300, 5), set(100, 302, 9), set(100, 300, 8)},
			delete: []store.Key{store.OverwritesKey(100, 302), store.OverwriteSetKey(100, 300, 8)},
			queries: []query{
				q("Overwrites()", []store.OverwriteSet{set(100, 300, 2), set(100, 300, 4)},
					func(r store.Reader) ([]store.OverwriteSet, error) { return r.Commands.Overwrites(100, 300) }),
				q("GuildOverwrites()", []store.OverwriteSet{set(99, 300, 5), set(100, 300, 2), set(100, 300, 4), set(101, 300, 3)},
					func(r store.Reader) ([]store.OverwriteSet, error) { return r.Commands.GuildOverwrites(300) }),
				q("OverwritesOf()", []store.OverwriteSet{set(100, 300, 2), set(100, 300, 4)},
					func(r store.Reader) ([]store.OverwriteSet, error) { return r.Commands.OverwritesOf(100, 2) }),
				q("CommandOverwrites()", []store.OverwriteSet{set(100, 300, 4), set(100, 301, 4)},
					func(r store.Reader) ([]store.OverwriteSet, error) { return r.Commands.CommandOverwrites(100, 4) }),
			},
		},
	}
}

func direct(id snowflake.Channel, users ...snowflake.User) store.Channel {
	return store.Channel{ID: id, Type: 1, Recipients: users}
}

func directoryQueryCases() []queryCase {
	role := func(guild snowflake.Guild, id snowflake.Role) store.Role { return store.Role{Guild: guild, ID: id} }
	channel := func(guild snowflake.Guild, id snowflake.Channel) store.Channel {
		return store.Channel{Guild: guild, ID: id}
	}
	roles := func(guild snowflake.Guild, want ...store.Role) query {
		return q(fmt.Sprint("Roles() of ", guild), want, func(r store.Reader) ([]store.Role, error) { return r.Directory.Roles(guild) })
	}
	channels := func(guild snowflake.Guild, want ...store.Channel) query {
		return q(fmt.Sprint("Channels() of ", guild), want, func(r store.Reader) ([]store.Channel, error) { return r.Directory.Channels(guild) })
	}
	directs := func(user snowflake.User, want ...store.Channel) query {
		return q(fmt.Sprint("DirectChannels() of ", user), want, func(r store.Reader) ([]store.Channel, error) { return r.Directory.DirectChannels(user) })
	}
	between := func(want bool, users ...snowflake.User) query {
		return q(fmt.Sprint("DirectChannel() of ", users), want, found(func(r store.Reader) (store.Channel, error) { return r.Directory.DirectChannel(users) }))
	}
	member := func(user snowflake.User, roles ...snowflake.Role) store.Member {
		return store.Member{Guild: 300, User: user, Roles: roles}
	}
	with := func(role snowflake.Role, limit int, want ...store.Member) query {
		return q(fmt.Sprint("MembersWith() ", role), want, func(r store.Reader) ([]store.Member, error) { return r.Directory.MembersWith(300, role, limit) })
	}
	inGuild := func(app snowflake.Application, guild snowflake.Guild) store.Install {
		return store.Install{Application: app, Guild: guild}
	}
	byUser := func(app snowflake.Application, user snowflake.User) store.Install {
		return store.Install{Application: app, User: user}
	}
	return []queryCase{
		{
			name:    "roles of a guild",
			put:     []store.Record{role(300, 20), role(301, 20), role(300, 7), role(300, 8)},
			delete:  []store.Key{store.RoleKey(300, 8), store.RoleKey(300, 99)},
			queries: []query{roles(300, role(300, 7), role(300, 20)), roles(301, role(301, 20)), roles(302)},
		},
		{
			name: "channels of a guild",
			put:  []store.Record{channel(300, 310), channel(300, 4000), channel(300, 9), channel(301, 5), direct(6, 200, 201), channel(301, 4000)},
			queries: []query{
				channels(300, channel(300, 9), channel(300, 310)), channels(301, channel(301, 5), channel(301, 4000)), channels(0), channels(302),
			},
		},
		{
			name:   "a guild with its roles",
			put:    []store.Record{store.Guild{ID: 300}, role(300, 20), store.Guild{ID: 301}, role(301, 20), direct(6, 200, 201)},
			delete: []store.Key{store.GuildKey(300)},
			queries: []query{
				roles(300), roles(301, role(301, 20)), directs(200, direct(6, 200, 201)),
				q("Guild()", false, found(func(r store.Reader) (store.Guild, error) { return r.Directory.Guild(300) })),
			},
		},
		{
			name: "direct-message channels",
			put: []store.Record{
				direct(502, 200, 202), direct(501, 200, 201), direct(40, 200, 201, 202), direct(503, 201, 203), channel(300, 310), direct(502, 202, 204),
			},
			delete: []store.Key{store.ChannelKey(direct(501, 200, 201))},
			queries: []query{
				directs(200, direct(40, 200, 201, 202)), directs(201, direct(40, 200, 201, 202), direct(503, 201, 203)),
				directs(202, direct(40, 200, 201, 202), direct(502, 202, 204)), directs(205),
				between(true, 200, 201, 202), between(true, 201, 203), between(true, 202, 204), between(false, 200, 202), between(false, 200, 201),
				between(false, 20, 201), between(false),
			},
		},
		{
			name:   "members with a role",
			put:    []store.Record{member(202, 301), member(200, 301, 302), member(203, 301), member(201, 302), member(202, 302)},
			delete: []store.Key{store.MemberKey(300, 203)},
			queries: []query{
				with(301, 9, member(200, 301, 302)), with(302, 9, member(200, 301, 302), member(201, 302), member(202, 302)),
				with(302, 2, member(200, 301, 302), member(201, 302)), with(303, 9),
				snapshotQuery("RoleCounts()", map[snowflake.Role]int{301: 1, 302: 3}, func(r store.Reader) (map[snowflake.Role]int, error) { return r.Directory.RoleCounts(300) }),
				snapshotQuery("MemberCount()", 3, func(r store.Reader) (int, error) { return r.Directory.MemberCount(300) }),
			},
		},
		{
			name: "installs",
			put: []store.Record{
				inGuild(70, 300), byUser(71, 200), inGuild(9, 300), inGuild(100, 300), byUser(10, 200), inGuild(5, 301), inGuild(100, 302),
				byUser(100, 201), byUser(100, 200), inGuild(8, 300),
			},
			delete: []store.Key{store.InstallKey(inGuild(8, 300)), store.InstallKey(byUser(8, 200)), store.InstallKey(inGuild(70, 301))},
			queries: []query{
				q("GuildInstalls()", []store.Install{inGuild(9, 300), inGuild(70, 300), inGuild(100, 300)},
					func(r store.Reader) ([]store.Install, error) { return r.Directory.GuildInstalls(300) }),
				q("UserInstalls()", []store.Install{byUser(10, 200), byUser(71, 200), byUser(100, 200)},
					func(r store.Reader) ([]store.Install, error) { return r.Directory.UserInstalls(200) }),
				q("InstalledUsers()", []store.Install{byUser(100, 200)},
					func(r store.Reader) ([]store.Install, error) { return r.Directory.InstalledUsers(100, 1) }),
				snapshotQuery("InstallCount()", []int{2, 2}, func(r store.Reader) ([]int, error) {
					guilds, users, err := r.Directory.InstallCount(100)
					return []int{guilds, users}, err
				}),
			},
		},
		{
			name:   "tombstones",
			put:    []store.Record{store.Tombstone{Kind: store.KindUser, ID: 2}, store.Tombstone{Kind: store.KindGuild, ID: 5}, store.Tombstone{Kind: store.KindGuild, ID: 4}},
			delete: []store.Key{store.TombstoneKey(store.Tombstone{Kind: store.KindGuild, ID: 5})},
			queries: []query{q("Tombstones()", []store.Tombstone{{Kind: store.KindGuild, ID: 4}, {Kind: store.KindUser, ID: 2}},
				func(r store.Reader) ([]store.Tombstone, error) { return r.Directory.Tombstones() })},
		},
	}
}

func length[T any](list []T, err error) (int, error) { return len(list), err }

func messageQueryCases() []queryCase {
	post := func(id snowflake.Message, channel snowflake.Channel, ephemeral bool) store.Message {
		return store.Message{ID: id, Channel: channel, Ephemeral: ephemeral, Content: []byte(`{}`), Files: []snowflake.Attachment{snowflake.Attachment(id) + 1000}}
	}
	ids := func(name string, list func(store.Reader) ([]store.Message, error), want ...snowflake.Message) query {
		return snapshotQuery(name, want, func(r store.Reader) ([]snowflake.Message, error) {
			messages, err := list(r)
			return idsOf(func(m store.Message) snowflake.Message { return m.ID }, messages, err)
		})
	}
	before := func(id snowflake.Message, limit int) func(store.Reader) ([]store.Message, error) {
		return func(r store.Reader) ([]store.Message, error) { return r.Messages.Before(310, id, limit) }
	}
	after := func(id snowflake.Message, limit int) func(store.Reader) ([]store.Message, error) {
		return func(r store.Reader) ([]store.Message, error) { return r.Messages.After(310, id, limit) }
	}
	edited := post(1, 310, false)
	edited.Files = nil
	interaction := func(id snowflake.Interaction, minutes int) store.Interaction {
		i := store.Interaction{ID: id}
		if minutes >= 0 {
			i.Due = noon.Add(time.Duration(minutes) * time.Minute)
		}
		return i
	}
	type interactions = []snowflake.Interaction
	return []queryCase{
		{
			name: "messages of channels",
			put: []store.Record{
				post(2, 310, false), post(1, 310, false), post(3, 310, true), post(4, 311, false), post(5, 310, false), post(6, 310, false),
				post(7, 310, true), post(8, 310, false), edited,
			},
			delete: []store.Key{store.MessageKey(7), store.MessageKey(8), store.MessageKey(99)},
			queries: []query{
				ids("newest", before(snowflake.Max, 2), 6, 5), ids("before 5", before(5, 9), 2, 1), ids("none", before(6, 0)),
				ids("after 1", after(1, 2), 2, 5), ids("after all", after(6, 2)),
				ids("ephemeral", func(r store.Reader) ([]store.Message, error) { return r.Messages.Ephemeral(9, 9) }, 3),
				snapshotQuery("InChannel()", 3, func(r store.Reader) (int, error) { return length(r.Messages.InChannel(310, 3)) }),
				q("FilesInUse()", []snowflake.Attachment{1001, 1003, 1006}, func(r store.Reader) ([]snowflake.Attachment, error) {
					return r.Messages.FilesInUse(1008, 1006, 1003, 1007, 1001, 7)
				}),
			},
		},
		{
			name:   "interactions that are due or old",
			put:    []store.Record{interaction(1, 2), interaction(2, 1), interaction(3, -1), interaction(4, -1), interaction(5, 0), interaction(6, -1)},
			delete: []store.Key{store.InteractionKey(5)},
			queries: []query{
				snapshotQuery("Due()", []store.DueInteraction{{ID: 2, Due: noon.Add(time.Minute)}, {ID: 1, Due: noon.Add(2 * time.Minute)}},
					func(r store.Reader) ([]store.DueInteraction, error) { return r.Interactions.Due(9) }),
				snapshotQuery("Due() of one", 1, func(r store.Reader) (int, error) { return length(r.Interactions.Due(1)) }),
				snapshotQuery("Old()", interactions{3, 4}, func(r store.Reader) (interactions, error) { return r.Interactions.Old(6, 9) }),
				snapshotQuery("Old() of one", interactions{3}, func(r store.Reader) (interactions, error) { return r.Interactions.Old(6, 1) }),
			},
		},
		{
			name: "old activities", put: []store.Record{store.Activity{Launch: 7}, store.Activity{Launch: 6}, store.Activity{Launch: 9}},
			queries: []query{
				snapshotQuery("OldActivities()", interactions{6, 7}, func(r store.Reader) (interactions, error) { return r.Interactions.OldActivities(9, 9) }),
			},
		},
	}
}
