package sqlite

import "github.com/bellhop/bellhop/internal/store"

// Statements about the revision of a subject.
const (
	clearSubjects  = "DELETE FROM subjects WHERE kind <> ?"
	selectRevision = "SELECT revision FROM subjects WHERE kind = ? AND a = ? AND b = ?"
	deleteRevision = "DELETE FROM subjects WHERE kind = ? AND a = ? AND b = ?"
	upsertRevision = "INSERT INTO subjects (kind, a, b, revision) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (kind, a, b) DO UPDATE SET revision = excluded.revision"
)

// statements returns everything that a change does, in order: the rows, then the revisions of the subjects. The writer
// checks the expectations itself.
func statements(c *store.Change) ([]store.Statement, error) {
	list, err := c.Statements(len(c.Expect))
	if err != nil {
		return nil, err
	}
	if c.Clear {
		list = append(list, store.Statement{SQL: clearSubjects, Args: []any{int64(store.KindNode)}})
	}
	for _, e := range c.Expect {
		s := store.Statement{SQL: deleteRevision, Args: subjectArgs(e.Subject)}
		if !e.Ends {
			s.SQL, s.Args = upsertRevision, append(s.Args, int64(c.Revision))
		}
		list = append(list, s)
	}
	return list, nil
}

// subjectArgs returns the columns that name a subject, with room for a revision.
func subjectArgs(s store.Subject) []any {
	return append(make([]any, 0, 4), int64(s.Kind), int64(s.A), int64(s.B))
}
