package oauth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// TestInstallPermissions checks that a bot gets at most the permissions of the user who installs it.
func TestInstallPermissions(t *testing.T) {
	t.Parallel()
	const asked = permission.Administrator | permission.ManageGuild | permission.BanMembers | permission.SendMessages | permission.ViewChannel
	for _, tt := range []struct {
		name, user, token string
		want              permission.Bits
	}{
		{"the owner", "200", "user-ada", asked},
		{"an administrator", "203", "user-amy", asked},
		{"a moderator", "202", "user-mia", permission.ManageGuild | permission.SendMessages | permission.ViewChannel},
	} {
		path := install("scope", "bot", "permissions", asked.String())
		installed := func(t *testing.T, d *service, guild snowflake.Guild) {
			t.Helper()
			in, err := d.Directory.Guilds.Install(t.Context(), guild, 100)
			if err != nil || in.Permissions != tt.want {
				t.Errorf("install with permissions %s, %v, want %s", in.Permissions, err, tt.want)
			}
		}
		t.Run(tt.name+" on the page", func(t *testing.T) {
			t.Parallel()
			d := open(t)
			b := d.browser(t)
			b.signIn(t, tt.user)
			fields := []string{"decision", "accept", "guild_id", "300"}
			for rest := asked; rest != 0; rest &= rest - 1 {
				fields = append(fields, "permission", (rest & -rest).String())
			}
			if done := b.post(t, b.get(t, path), path, fields...); done.status != http.StatusOK {
				t.Fatalf("status %d: %s", done.status, done.text)
			}
			installed(t, d, 300)
		})
		t.Run(tt.name+" by the API", func(t *testing.T) {
			t.Parallel()
			d := open(t)
			back := strings.Replace(install("scope", "bot", "permissions", asked.String(), "redirect_uri", "https://echo.example/cb?a=1"), "/oauth2", "/api/v10/oauth2", 1)
			got := d.browser(t).do(t, http.MethodPost, back, `{"authorize":true,"guild_id":"300","permissions":"`+asked.String()+`"}`,
				"Authorization", tt.token, "Content-Type", "application/json")
			if got.status != http.StatusOK || !got.says("permissions="+tt.want.String()) {
				t.Fatalf("status %d: %s", got.status, got.text)
			}
			installed(t, d, 300)
		})
	}
}

// TestInstallKeepsGrantedPermissions checks that a second install lowers the permissions of a bot only for users who may
// edit the role of the bot.
func TestInstallKeepsGrantedPermissions(t *testing.T) {
	t.Parallel()
	const granted = permission.BanMembers | permission.SendMessages
	d := open(t)
	for _, tt := range []struct {
		name, token string
		ask, want   permission.Bits
	}{
		{"the owner grants", "user-ada", granted, granted},
		{"a moderator without the right to manage roles asks for none", "user-mia", 0, granted},
		{"a moderator adds one", "user-mia", permission.ViewChannel, granted | permission.ViewChannel},
		{"the owner asks for one", "user-ada", permission.SendMessages, permission.SendMessages},
		{"an administrator with a role above the bot's asks for none", "user-amy", 0, 0},
	} {
		path := strings.Replace(install("scope", "bot", "permissions", tt.ask.String(), "redirect_uri", "https://echo.example/cb?a=1"), "/oauth2", "/api/v10/oauth2", 1)
		got := d.browser(t).do(t, http.MethodPost, path, `{"authorize":true,"guild_id":"300","permissions":"`+tt.ask.String()+`"}`,
			"Authorization", tt.token, "Content-Type", "application/json")
		in, err := d.Directory.Guilds.Install(t.Context(), 300, 100)
		if got.status != http.StatusOK || err != nil || in.Permissions != tt.want {
			t.Errorf("%s: status %d, permissions %s, %v, want %s", tt.name, got.status, in.Permissions, err, tt.want)
		}
	}
}
