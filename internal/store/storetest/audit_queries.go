package storetest

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

func auditQueryCases() []queryCase {
	entry := func(id uint64, actor, action, target string) store.AuditEntry {
		return store.AuditEntry{
			ID: id, Time: noon.Add(time.Duration(id) * time.Second), Actor: actor, Address: "192.0.2.1", Action: action, Target: target,
			Before: []byte(`{"name":"a"}`), After: []byte(`{"name":"b"}`),
		}
	}
	first, second := entry(1, "operator:ci", "user.update", "user/200"), entry(2, "user:200", "signin", "user/200")
	third := store.AuditEntry{ID: 3, Time: noon, Actor: "operator:ci", Action: "guild.delete", Target: "guild/300"}
	list := func(name string, f store.AuditFilter, limit int, want ...store.AuditEntry) query {
		return snapshotQuery(name, want, func(r store.Reader) ([]store.AuditEntry, error) { return r.Audit.List(f, limit) })
	}
	inLab := func(id uint64, user snowflake.User, action int, target snowflake.Target) store.GuildEntry {
		return store.GuildEntry{ID: id, Guild: 300, User: user, Action: action, Target: target}
	}
	kick, ban := inLab(11, 200, 20, 201), inLab(12, 100, 22, 201)
	kick.Changes, kick.Options, kick.Reason = []byte(`[{"key":"nick","old_value":"a"}]`), map[string]string{"count": "1"}, "raid"
	update := inLab(13, 200, 1, 0)
	ofGuild := func(name string, f store.GuildAuditFilter, limit int, want ...store.GuildEntry) query {
		return snapshotQuery(name, want, func(r store.Reader) ([]store.GuildEntry, error) { return r.Audit.OfGuild(300, f, limit) })
	}
	outdated := func(name string, limit int, want ...store.GuildEntry) query {
		return snapshotQuery(name, want, func(r store.Reader) ([]store.GuildEntry, error) { return r.Audit.OutdatedOfGuilds(13, limit) })
	}
	files := []store.StoredFile{
		{ID: 1, Application: 100, Guild: 300, Size: 10}, {ID: 2, Application: 100, Size: 5}, {ID: 3, Application: 101, Guild: 300, Size: 1},
	}
	stored := func(name string, app snowflake.Application, guild snowflake.Guild, want int64) query {
		return snapshotQuery(name, want, func(r store.Reader) (int64, error) { return r.Messages.StoredBytes(app, guild) })
	}
	return []queryCase{
		{
			name:   "the audit log",
			put:    []store.Record{second, first, third, entry(4, "operator:ci", "user.update", "user/201")},
			delete: []store.Key{store.AuditKey(4), store.AuditKey(99)},
			queries: []query{
				list("newest first", store.AuditFilter{}, 9, third, second, first), list("a page", store.AuditFilter{Before: 3}, 1, second),
				list("oldest first", store.AuditFilter{After: 1, Oldest: true}, 9, second, third), list("none", store.AuditFilter{}, 0),
				list("by actor", store.AuditFilter{Actor: "operator:ci"}, 9, third, first),
				list("by action", store.AuditFilter{Action: "signin"}, 9, second),
				list("by target", store.AuditFilter{Target: "user/200", After: 1}, 9, second),
				snapshotQuery("Outdated()", []uint64{1, 2}, func(r store.Reader) ([]uint64, error) { return r.Audit.Outdated(3, 9) }),
				snapshotQuery("Outdated() of one", []uint64{1}, func(r store.Reader) ([]uint64, error) { return r.Audit.Outdated(3, 1) }),
				snapshotQuery("Actors()", []store.AuditActor{{Actor: "operator:ci", Entries: 2}, {Actor: second.Actor, Entries: 1}}, func(r store.Reader) ([]store.AuditActor, error) { return r.Audit.Actors() }),
				snapshotQuery("Excess()", []uint64{1}, func(r store.Reader) ([]uint64, error) { return r.Audit.Excess("operator:ci", 1, 9) }),
				snapshotQuery("Excess() of fewer", []uint64(nil), func(r store.Reader) ([]uint64, error) { return r.Audit.Excess("operator:ci", 2, 9) }),
			},
		},
		{
			name: "the audit log of a guild",
			put: []store.Record{
				ban, kick, update, inLab(14, 200, 20, 202),
				store.GuildEntry{ID: 10, Guild: 301, User: 200, Action: 20},
				store.GuildEntry{ID: 15, Guild: 302, User: 200, Action: 20},
			},
			delete: []store.Key{store.GuildEntryKey(300, 14), store.GuildEntryKey(300, 99), store.GuildEntriesKey(302)},
			queries: []query{
				ofGuild("newest first", store.GuildAuditFilter{}, 9, update, ban, kick), ofGuild("a page", store.GuildAuditFilter{Before: 13}, 1, ban),
				ofGuild("oldest first", store.GuildAuditFilter{After: 11, Oldest: true}, 9, ban, update),
				ofGuild("by user", store.GuildAuditFilter{User: 200}, 9, update, kick), ofGuild("by action", store.GuildAuditFilter{Action: 22}, 9, ban),
				ofGuild("by target", store.GuildAuditFilter{Target: 201}, 9, ban, kick),
				outdated("OutdatedOfGuilds()", 9, store.GuildEntry{ID: 10, Guild: 301}, store.GuildEntry{ID: 11, Guild: 300}, store.GuildEntry{ID: 12, Guild: 300}),
				outdated("OutdatedOfGuilds() of one", 1, store.GuildEntry{ID: 10, Guild: 301}),
				snapshotQuery("NthOfGuilds()", 12, func(r store.Reader) (int, error) { id, err := r.Audit.NthOfGuilds(2); return int(id), err }),
				snapshotQuery("NthOfGuilds() of fewer", 0, func(r store.Reader) (int, error) { id, err := r.Audit.NthOfGuilds(5); return int(id), err }),
			},
		},
		{
			name:   "stored files",
			put:    []store.Record{files[2], files[0], files[1], store.StoredFile{ID: 4, Application: 100, Guild: 300, Size: 7}},
			delete: []store.Key{store.StoredFileKey(store.StoredFile{ID: 4, Application: 100, Guild: 300})},
			queries: []query{
				stored("of an application", 100, 0, 15), stored("of a guild", 0, 300, 11), stored("of all", 0, 0, 16),
				stored("of an application without files", 102, 0, 0),
				q("StoredFiles()", files[1:], func(r store.Reader) ([]store.StoredFile, error) { return r.Messages.StoredFiles(1, 9) }),
			},
		},
	}
}
