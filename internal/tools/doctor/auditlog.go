package doctor

import (
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/store"
)

// checkAuditLog verifies the chain of the audit log.
func (c *Data) checkAuditLog() error {
	if !slices.ContainsFunc(c.tables, func(t store.Table) bool { return t.Name == "audit_seals" }) ||
		!slices.ContainsFunc(c.tables, func(t store.Table) bool { return t.Name == "audit" }) {
		return nil // the missing table is reported
	}
	v := audit.Verification{
		Reader: store.NewReader(c.snapshot, nil), Sealer: c.Sealer, Heads: c.Heads, Note: c.Course.Note,
		Problem: func(kind, where string) {
			c.Course.Problem(kind, where, "find out who can write to the database, and compare the log with a backup or with the copy in your log system."+
				" To begin a new chain, stop the service and run: DELETE FROM audit_seals")
		},
	}
	return c.readable("audit log", v.Run())
}
