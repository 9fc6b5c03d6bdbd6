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
				snapshotQuery("Nth()", 2, func(r store.Reader) (int, error) { id, err := r.Audit.Nth(2); return int(id), err }),
				snapshotQuery("Nth() of fewer", 0, func(r store.Reader) (int, error) { id, err := r.Audit.Nth(4); return int(id), err }),
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
