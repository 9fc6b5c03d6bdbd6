package permissions_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/registry"
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
		want    string
		err     error
	}{
		{name: "a usable command comes first", user: bob, channel: general, text: "/roll", whose: game, want: "allowed by default"},
		{name: "of a given application", user: bob, channel: general, text: "/roll", app: echo, whose: echo, want: "denied by default"},
		{name: "by a localized name, with options", user: bob, channel: general, text: "/würfeln sides:6", whose: echo, want: "denied by default"},
		{name: "a user command", user: bob, channel: general, text: "Role Of", whose: echo, want: "allowed by default"},
		{name: "not installed", user: dora, channel: general, text: "/away", whose: tool, want: "not installed"},
		{name: "not a member", user: eve, channel: general, text: "/roll", app: game, whose: game, want: "hidden channel"},
		{name: "a slash is for slash commands", user: bob, channel: general, text: "roll", err: registry.ErrUnknownCommand},
		{name: "unknown name", user: bob, channel: general, text: "/nothing", err: registry.ErrUnknownCommand},
		{name: "not of that application", user: bob, channel: general, text: "/roll", app: tool, err: registry.ErrUnknownCommand},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := d.Invoker(t.Context(), tt.user, tt.channel)
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Explain(t.Context(), s, tt.text, tt.app)
			if !errors.Is(err, tt.err) || got.Decision.Reason != tt.want {
				t.Fatalf("Explain() = %v, %v, want %v, %v", got.Decision.Reason, err, tt.want, tt.err)
			}
			if err == nil && got.Application.ID != tt.whose {
				t.Errorf("Explain() found application %v, want %v", got.Application.ID, tt.whose)
			}
		})
	}
}
