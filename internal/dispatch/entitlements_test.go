package dispatch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Interactions, section 7: entitlements are those of the user and of the guild for the app. An app that sells nothing cannot answer that
// premium is required.
func TestEntitlements(t *testing.T) {
	t.Parallel()
	d := open(t, func(c *dispatch.Config) {
		c.Entitlements = func(_ context.Context, app *store.Application, user snowflake.User, in snowflake.Guild) ([]wire.Entitlement, error) {
			return []wire.Entitlement{
				{ID: 1, SKUID: 5, ApplicationID: app.ID, UserID: user, Type: 8, Starts: &wire.Time{}, Ends: &wire.Time{}},
				{ID: 2, SKUID: 6, ApplicationID: app.ID, GuildID: in, Type: 8, Starts: &wire.Time{}, Ends: &wire.Time{}},
			}, nil
		}
	})
	c := d.register(echo, 0, ping)
	a := d.endpoint(echo, respond(`{"type":10}`))
	out := d.invokeAndWait(ada, invokeBody(c, guild, general, ""))
	if out.Result != dispatch.Failed {
		t.Errorf("the answer of an app that sells nothing is %v, want a failure", out.Result)
	}
	want := `"entitlements":[{"id":"1","sku_id":"5","application_id":"` + echo.String() + `","user_id":"` + ada.String() +
		`","type":8,"deleted":false,"consumed":false,"starts_at":null,"ends_at":null},{"id":"2","sku_id":"6","application_id":"` + echo.String() +
		`","type":8,"deleted":false,"consumed":false,"starts_at":null,"ends_at":null,"guild_id":"` + guild.String() + `"}],`
	if bodies := a.bodies(); len(bodies) != 1 || !strings.Contains(string(bodies[0]), want) {
		t.Errorf("the app received %s, want %s", bodies, want)
	}
}

// Guilds, section 15: PREMIUM_REQUIRED is still accepted. The user gets an ephemeral message with a premium button.
func TestPremiumRequired(t *testing.T) {
	t.Parallel()
	d := open(t)
	err := store.Decide(t.Context(), d.db, func(tx *store.Tx) error {
		app, err := tx.Directory.Application(echo)
		if err != nil {
			return err
		}
		app.SKUs = []store.SKU{{ID: 5, Type: 5, Name: "Premium", Flags: 260}, {ID: 6, Type: 6, Name: "Group", Flags: 260}, {ID: 7, Type: 2, Name: "Hidden"}}
		return tx.Put(app)
	})
	if err != nil {
		t.Fatal(err)
	}
	c := d.register(echo, 0, ping)
	d.endpoint(echo, respond(`{"type":10,"data":{}}`))
	out := d.invokeAndWait(ada, invokeBody(c, guild, general, ""))
	if out.Result != dispatch.Answered || len(out.Messages) != 1 {
		t.Fatalf("outcome = %+v", out)
	}
	m := string(out.Messages[0])
	if !strings.Contains(m, `"flags":64`) || strings.Count(m, `"style":6`) != 1 || !strings.Contains(m, `"sku_id":"5"`) {
		t.Errorf("message %s, want an ephemeral one with a button for the SKU that is for sale", m)
	}
}
