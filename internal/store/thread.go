package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Thread holds what a thread has beside the fields of other channels.
type Thread struct {
	// Since is when the thread was created, archived or unarchived, or when its AutoArchive was changed last.
	Since       time.Time       `json:"since"`
	AutoArchive int             `json:"auto_archive"` // minutes
	Locked      bool            `json:"locked,omitzero"`
	Invitable   bool            `json:"invitable,omitzero"` // of a private thread: members can add others
	Tags        []snowflake.Tag `json:"tags,omitzero"`
	Due         time.Time       `json:"due,omitzero"` // when to check whether to archive the thread; zero: never
	// Starter means that the thread began with a message. The number of its messages leaves that one out.
	Starter bool `json:"starter,omitzero"`
}

// threadColumns returns the columns of a thread: the parent, when it was archived, and when it is due. They are NULL for a
// channel without a Thread.
func (c *Channel) threadColumns() (parent, archived, due any) {
	switch t := c.Thread; {
	case t == nil:
		return nil, nil, nil
	case c.Archived:
		return key(c.Parent), micros(t.Since), nil
	default:
		return key(c.Parent), nil, microsOrNull(t.Due)
	}
}

// ThreadMember is a member of a thread.
type ThreadMember struct {
	Thread snowflake.Channel
	User   snowflake.User
	Joined time.Time
}

// ThreadMembers are the members of a thread, ordered by user.
type ThreadMembers []ThreadMember

// Find returns a member.
func (m ThreadMembers) Find(user snowflake.User) (ThreadMember, bool) {
	i, found := slices.BinarySearchFunc(m, user, func(m ThreadMember, user snowflake.User) int { return cmp.Compare(m.User, user) })
	if !found {
		return ThreadMember{}, false
	}
	return m[i], true
}

// Has reports whether a user is a member.
func (m ThreadMembers) Has(user snowflake.User) bool {
	_, found := m.Find(user)
	return found
}

func (m ThreadMember) subjects() []Subject { return []Subject{ThreadMembersSubject(m.Thread)} }

func (m ThreadMember) write(w *writes) {
	w.put(threadMembersTable, key(m.Thread), key(m.User), micros(m.Joined))
}

// ThreadMemberKey names a member of a thread.
func ThreadMemberKey(thread snowflake.Channel, user snowflake.User) Key {
	return Key{
		subs: []Subject{ThreadMembersSubject(thread)},
		rows: []rowKey{{threadMembersTable, []string{"thread_id", "user_id"}, []any{key(thread), key(user)}}},
	}
}

// ThreadMembersKey names all members of a thread.
func ThreadMembersKey(thread snowflake.Channel) Key {
	return Key{
		ends: []Subject{ThreadMembersSubject(thread)},
		rows: []rowKey{{threadMembersTable, []string{"thread_id"}, []any{key(thread)}}},
	}
}

// ThreadQueries reads threads and their members. Threads are channels.
type ThreadQueries struct{ *reader }

// Members returns the members of a thread, ordered by user.
func (q ThreadQueries) Members(thread snowflake.Channel) ([]ThreadMember, error) {
	q.read(ThreadMembersSubject(thread))
	return q.members([]string{"thread_id"}, key(thread))
}

// Joined returns the memberships of a user in threads.
func (q ThreadQueries) Joined(user snowflake.User) ([]ThreadMember, error) {
	return q.members([]string{"user_id"}, key(user))
}

func (q ThreadQueries) members(columns []string, value int64) ([]ThreadMember, error) {
	rows, err := q.rows(threadMembersTable, page{}, columns, value)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list := make([]ThreadMember, len(rows))
	for i, row := range rows {
		list[i] = ThreadMember{snowflake.Channel(row.int(0)), snowflake.User(row.int(1)), fromMicros(row.int(2))}
	}
	return list, nil
}

// Archived returns up to limit archived threads of a channel that were archived before a time, the newest first.
func (q ThreadQueries) Archived(parent snowflake.Channel, before time.Time, limit int) ([]Channel, error) {
	q.read(ThreadsSubject(parent))
	return q.threads(" WHERE parent_id = ? AND archived < ? ORDER BY archived DESC, id DESC", limit, key(parent), micros(before))
}

// ArchivedBelow returns up to limit archived threads of a channel with ids below before, the largest id first.
func (q ThreadQueries) ArchivedBelow(parent, before snowflake.Channel, limit int) ([]Channel, error) {
	q.read(ThreadsSubject(parent))
	return q.threads(" WHERE parent_id = ? AND archived IS NOT NULL AND id < ? ORDER BY id DESC", limit, key(parent), key(before))
}

// Of returns up to limit threads of a channel, active and archived ones.
func (q ThreadQueries) Of(parent snowflake.Channel, limit int) ([]Channel, error) {
	q.read(ThreadsSubject(parent))
	return q.threads(" WHERE parent_id = ? ORDER BY id", limit, key(parent))
}

// threads returns up to limit threads that a condition selects, without damaged ones.
func (q ThreadQueries) threads(condition string, limit int, args ...any) ([]Channel, error) {
	rows, err := q.limited(channelsTable, limit, channelsTable.all+condition, args)
	if err != nil {
		return nil, err
	}
	return decodeAll[Channel](channelsTable, rows)
}

// DueThread is a thread to look at, at the time Due, because it may have to be archived.
type DueThread = DueRecord[snowflake.Channel]

// Due returns up to limit threads, ordered by Due.
func (q ThreadQueries) Due(limit int) ([]DueThread, error) {
	return dueRecords[snowflake.Channel](q.reader, "SELECT id, due FROM channels WHERE due IS NOT NULL ORDER BY due LIMIT ?", limit)
}

// dueRecords returns the records that a query of ids and times selects.
func dueRecords[ID ~uint64](r *reader, query string, limit int, args ...any) ([]DueRecord[ID], error) {
	var due []DueRecord[ID]
	err := r.q.Query(query, append(args, int64(max(limit, 0))), func(row Row) error {
		due = append(due, DueRecord[ID]{ID(row.int(0)), fromMicros(row.int(1))})
		return nil
	})
	return due, err
}
