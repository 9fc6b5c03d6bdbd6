package registry_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestChangedPermissionsAreAudited checks that a change of the default permissions of a command is in the audit log, and that
// other changes are not.
func TestChangedPermissionsAreAudited(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Audit = &audit.Log{Store: d.store, Clock: d.clock, Wall: clock.System{}, IDs: store.NewIDs(3, d.clock.Now, time.Time{}), Logger: slog.New(slog.DiscardHandler)}
	patch := func(id snowflake.Command, body string) {
		t.Helper()
		if _, err := d.Patch(t.Context(), global, env(global), id, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	made := d.create(t, global, `{"name":"ban","description":"\"default_member_permissions\":\"1\",","default_member_permissions":"4"}`)
	patch(made.ID, `{"description":"Ban"}`)
	patch(made.ID, `{"default_member_permissions":null}`)
	list, err := d.Audit.List(t.Context(), store.AuditFilter{}, 9)
	if err != nil || len(list) != 1 {
		t.Fatalf("audit log %+v, %v, want one entry", list, err)
	}
	e := list[0]
	if e.Action != "command.permissions" || e.Target != "application/"+app.String()+"/command/"+made.ID.String() ||
		string(e.Before) != `{"name":"ban","default_member_permissions":"4"}` || string(e.After) != `{"name":"ban","default_member_permissions":null}` {
		t.Errorf("audit log %+v", e)
	}
}
