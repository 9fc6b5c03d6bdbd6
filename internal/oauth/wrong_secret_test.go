package oauth_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
)

// TestWrongClientSecretsAreAudited checks that a wrong client secret and a token of an application are in the audit log.
func TestWrongClientSecretsAreAudited(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Audit = &audit.Log{Store: d.db, Clock: d.clock, Wall: d.clock, IDs: store.NewIDs(0, d.clock.Now, time.Time{}), Logger: slog.New(slog.DiscardHandler)}
	for _, c := range []oauth.Client{echo, {ID: echo.ID, Secrets: []string{"wrong"}}} {
		_, err := d.Token(t.Context(), oauth.TokenRequest{Client: c, GrantType: oauth.ClientCredentials})
		if (err == nil) != (c.Secrets[0] != "wrong") {
			t.Errorf("Token() with the secret %q = %v", c.Secrets[0], err)
		}
	}
	list, err := d.Audit.List(t.Context(), store.AuditFilter{}, 10)
	if err != nil || len(list) != 2 || list[0].Action != "client.signin_failed" || list[0].Target != "application/"+echo.ID {
		t.Fatalf("audit log %+v, %v, want an entry about the wrong secret", list, err)
	}
	issued := list[1]
	if issued.Action != "token.create" || issued.Actor != "application:"+echo.ID || issued.Target != "application/"+echo.ID+"/access-token" ||
		string(issued.After) != `{"scopes":["identify"]}` {
		t.Errorf("audit log %+v, want an entry about the token", issued)
	}
}
