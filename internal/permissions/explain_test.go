package permissions_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	d.create(t, echo, 0, slash("roll", `,"name_localizations":{"de":"würfeln"},"default_member_permissions":"0"`))
	d.create(t, game, 0, slash("roll", ""))
	d.create(t, tool, 0, slash("away", `,"integration_types":[0]`))
	d.create(t, echo, 0, `{"type":2,"name":"Role Of"}`)
	for _, tt := range []struct {
		name    string
		user    snowflake.User
		channel snowflake.Channel
		text    string
		app     snowflake.Application
		whose   snowflake.Application
		want    permission.Reason
		err     error
	}{
		{name: "what can be used comes first", user: bob, channel: general, text: "/roll", whose: game, want: permission.DefaultAllows},
		{name: "an application's own", user: bob, channel: general, text: "/roll", app: echo, whose: echo, want: permission.DefaultDenies},
		{name: "by a name in another language, options and all", user: bob, channel: general, text: "/würfeln sides:6", whose: echo, want: permission.DefaultDenies},
		{name: "of a menu", user: bob, channel: general, text: "Role Of", whose: echo, want: permission.DefaultAllows},
		{name: "what is not installed", user: dora, channel: general, text: "/away", whose: tool, want: permission.NotInstalled},
		{name: "who is no member", user: eve, channel: general, text: "/roll", app: game, whose: game, want: permission.ChannelHidden},
		{name: "a slash is for slash commands", user: bob, channel: general, text: "roll", err: registry.ErrUnknownCommand},
		{name: "nothing of that name", user: bob, channel: general, text: "/nothing", err: registry.ErrUnknownCommand},
		{name: "not that application's", user: bob, channel: general, text: "/roll", app: tool, err: registry.ErrUnknownCommand},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := d.Spot(t.Context(), tt.user, tt.channel)
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Explain(t.Context(), s, tt.text, tt.app)
			if !errors.Is(err, tt.err) || got.Decision.Reason != tt.want {
				t.Fatalf("Explain() = %v, %v, want %v, %v", got.Decision.Reason, err, tt.want, tt.err)
			}
			if err == nil && got.Application.ID != tt.whose {
				t.Errorf("Explain() speaks of application %v, want %v", got.Application.ID, tt.whose)
			}
		})
	}
}
