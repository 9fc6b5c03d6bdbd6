package permissions_test

import (
	"errors"
	"strings"
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
	d.create(t, echo, 0, `{"type":2,"name":"42"}`)
	d.create(t, echo, 0, `{"type":2,"name":"Report"}`)
	report := d.create(t, echo, 0, `{"type":3,"name":"Report","default_member_permissions":"0"}`)
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
		{name: "by id, not by the same name", user: bob, channel: general, text: report.ID.String(), whose: echo, want: "denied by default"},
		{name: "an id of another application", user: bob, channel: general, text: report.ID.String(), app: game, err: registry.ErrUnknownCommand},
		{name: "digits as a name", user: bob, channel: general, text: "42", whose: echo, want: "allowed by default"},
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

// TestExplainLaunch checks that the picker and the explanation agree about an entry point that launches an activity.
func TestExplainLaunch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, everyone, want string
		listed               bool
	}{
		{"without Use Activities", "2147486720", "missing permissions", false},
		{"with Use Activities", "551903300608", "allowed by default", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := openLab(t)
			d.apply(t, strings.Replace(lab, `everyone: "551903300608"`, `everyone: "`+tt.everyone+`"`, 1))
			d.create(t, game, 0, `{"type":4,"name":"Launch","handler":2}`)
			v, err := d.Invoker(t.Context(), bob, general)
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Explain(t.Context(), v, "Launch", game)
			if err != nil || got.Decision.Reason != tt.want {
				t.Errorf("Explain() = %v, %v, want %v", got.Decision.Reason, err, tt.want)
			}
			for where, index := range map[string]func() ([]byte, error){
				"guild":   func() ([]byte, error) { return d.GuildIndex(t.Context(), bob, guild, "en-US") },
				"channel": func() ([]byte, error) { return d.ChannelIndex(t.Context(), bob, general, "en-US") },
			} {
				body, err := index()
				if err != nil || strings.Contains(string(body), `"Launch"`) != tt.listed {
					t.Errorf("the index of the %s has Launch: %v, want %v (%v)", where, !tt.listed, tt.listed, err)
				}
			}
		})
	}
}
