package guilds_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
)

// The deletion of an integration removes the application with its bot and the role of the bot. It is one change.
func TestDeleteIntegration(t *testing.T) {
	t.Parallel()
	s := open(t)
	list, err := s.Integrations(t.Context(), ada, lab)
	if err != nil || len(list) != 1 || list[0].ID != 100 {
		t.Fatalf("integrations %+v, %v, want the app 100", list, err)
	}
	if err := s.DeleteIntegration(t.Context(), ada, lab, 101); !errors.Is(err, directory.ErrNotInstalled) {
		t.Errorf("an app that is not installed: %v, want ErrNotInstalled", err)
	}
	s.take()
	ctx := audit.WithActor(t.Context(), &audit.Actor{User: 200, Reason: "unused"})
	if err := s.DeleteIntegration(ctx, ada, lab, 100); err != nil {
		t.Fatal(err)
	}
	const want = "GUILD_ROLE_DELETE INTEGRATION_DELETE GUILD_INTEGRATIONS_UPDATE GUILD_APPLICATION_COMMAND_INDEX_UPDATE GUILD_MEMBER_REMOVE GUILD_AUDIT_LOG_ENTRY_CREATE"
	if got := s.take(); got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	if log := s.log(t); len(log) != 1 || log[0] != "82 200 100  map[] unused" {
		t.Errorf("audit log %q", log)
	}
	if list, err := s.Integrations(t.Context(), ada, lab); err != nil || len(list) != 0 {
		t.Errorf("integrations %+v, %v, want none", list, err)
	}
}
