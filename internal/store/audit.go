package store

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// AuditEntry records who did what. It is part of the change that it describes, and never changes. It belongs to no
// subject, so that concurrent changes do not wait for each other.
type AuditEntry struct {
	ID      uint64         `json:"id,string"` // a snowflake
	Time    time.Time      `json:"time"`
	Actor   string         `json:"actor"`             // a kind and a name, such as "operator:ci" or "user:200"
	Via     string         `json:"via,omitempty"`     // the application through which a user acts
	Address string         `json:"address,omitempty"` // of the client; empty: the entry comes from the service itself
	Action  string         `json:"action"`            // such as "user.update"
	Target  string         `json:"target"`            // such as "guild/300/role/301"
	Before  jsontext.Value `json:"before,omitempty"`  // a JSON object without secrets; empty: there was none
	After   jsontext.Value `json:"after,omitempty"`   // the same after the change
}

func (AuditEntry) subjects() []Subject { return nil }

func (e AuditEntry) write(w *writes) {
	w.put(auditTable, key(e.ID), e.Actor, e.Action, e.Target, w.doc(e))
}

// AuditKey names an entry of the audit log.
func AuditKey(id uint64) Key {
	return Key{rows: []rowKey{{auditTable, []string{"id"}, []any{key(id)}}}}
}

// AuditFilter selects entries of the audit log. Empty fields select all.
type AuditFilter struct {
	Actor, Action, Target string
	// Before and After are ids. Entries with ids in between are selected; 0 means no bound.
	Before, After uint64
	// Oldest returns the oldest entries first.
	Oldest bool
}

// AuditQueries reads the audit log.
type AuditQueries struct{ *reader }

// List returns up to limit entries that a filter selects, newest first. It leaves out damaged entries.
func (q AuditQueries) List(f AuditFilter, limit int) ([]AuditEntry, error) {
	condition, args := " WHERE id > ?", []any{key(f.After)}
	if f.Before != 0 {
		condition, args = condition+" AND id < ?", append(args, key(f.Before))
	}
	for _, c := range []struct{ column, value string }{{"actor", f.Actor}, {"action", f.Action}, {"target", f.Target}} {
		if c.value != "" {
			condition, args = condition+" AND "+c.column+" = ?", append(args, c.value)
		}
	}
	order := " ORDER BY id DESC"
	if f.Oldest {
		order = " ORDER BY id"
	}
	rows, err := q.limited(auditTable, limit, auditTable.all+condition+order, args)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	found := make([]AuditEntry, len(rows))
	for i, row := range rows {
		if err := decode(row.bytes(4), &found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Outdated returns up to limit ids of the entries with ids below before, oldest first.
func (q AuditQueries) Outdated(before uint64, limit int) ([]uint64, error) {
	return ids[uint64](q.reader, "SELECT id FROM audit WHERE id < ? ORDER BY id LIMIT ?", key(before), int64(max(limit, 0)))
}

// AuditActor is an actor with the number of its entries.
type AuditActor struct {
	Actor   string
	Entries int
}

// Actors returns all actors of the audit log.
func (q AuditQueries) Actors() ([]AuditActor, error) {
	var found []AuditActor
	err := q.q.Query("SELECT actor, COUNT(*) FROM audit WHERE id > 0 GROUP BY actor ORDER BY actor", nil, func(row Row) error {
		found = append(found, AuditActor{row.text(0), int(row.int(1))})
		return nil
	})
	return found, err
}

// Excess returns up to limit ids of the entries of an actor, without the newest ones, which it keeps.
func (q AuditQueries) Excess(actor string, keep, limit int) ([]uint64, error) {
	return ids[uint64](q.reader, "SELECT id FROM audit WHERE actor = ? AND id > 0 ORDER BY id DESC LIMIT ? OFFSET ?", actor, int64(max(limit, 0)), int64(keep))
}
