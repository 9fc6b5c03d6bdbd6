package permissions_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
)

func (d *fixture) search(t *testing.T, user snowflake.User, channel snowflake.Channel, q permissions.Search, code locale.Code) index {
	t.Helper()
	body, err := d.Search(t.Context(), user, channel, q, code)
	return read(t, body, err)
}

func TestSearchRanking(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	for _, body := range []string{
		slash("server-role", ""), slash("parole", ""), slash("role", ""), slash("roles", ""), slash("roll_dice", ""),
		slash("color", `,"name_localizations":{"de":"rolle","fr":"couleur","tr":"şık"}`),
		slash("écran", ""), slash("straße", ""), slash("über-uns", ""), slash("ขอบคุณ", ""), slash("हिंदी", ""), slash("ad'hoc", ""),
		`{"type":2,"name":"Role Of"}`, `{"type":3,"name":"Pin role"}`,
	} {
		d.create(t, echo, 0, body)
	}
	d.create(t, game, 0, `{"type":4,"name":"Roll On","handler":2}`)
	for _, tt := range []struct {
		name  string
		query string
		kind  command.Type
		code  locale.Code
		want  []string
	}{
		{"a prefix, then a word, then anywhere; the shorter first", "role", 1, "en-US", []string{"role", "roles", "server-role", "parole"}},
		{"the localized name matches too", "rol", 1, "de", []string{"role", "roles", "rolle", "roll_dice", "server-role", "parole"}},
		{"the default name matches beside the localized one", "col", 1, "de", []string{"rolle"}},
		{"names in other languages do not match", "rolle", 1, "fr", nil},
		{"a leading slash is ignored", "/roles", 1, "en-US", []string{"roles"}},
		{"case is ignored", "ROLE", 1, "en-US", []string{"role", "roles", "server-role", "parole"}},
		{"diacritics are ignored", "ECR", 1, "en-US", []string{"écran"}},
		{"diacritics in queries are ignored", "röles", 1, "en-US", []string{"roles"}},
		{"decomposed letters are the same", "u\u0308ber", 1, "en-US", []string{"über-uns"}},
		{"letters that fold to several", "STRASSE", 1, "en-US", []string{"straße"}},
		{"a cedilla", "sik", 1, "tr", nil}, // the dotless i is a different letter
		{"a cedilla with the letter", "sık", 1, "tr", []string{"şık"}},
		{"vowel signs are not diacritics", "हंद", 1, "en-US", nil},
		{"scripts without case", "ขอบ", 1, "en-US", []string{"ขอบคุณ"}},
		{"a word after an underscore", "dice", 1, "en-US", []string{"roll_dice"}},
		{"a word after an apostrophe", "hoc", 1, "en-US", []string{"ad'hoc"}},
		{"no match", "zebra", 1, "en-US", nil},
		{"user commands", "of", 2, "en-US", []string{"Role Of"}},
		{"message commands", "role", 3, "en-US", []string{"Pin role"}},
		{"entry points", "on", 4, "en-US", []string{"Roll On"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := d.search(t, bob, general, permissions.Search{Type: tt.kind, Query: tt.query, Limit: 25}, tt.code).names()
			if !slices.Equal(got, tt.want) {
				t.Errorf("Search(%q) = %q, want %q", tt.query, got, tt.want)
			}
		})
	}
}

// TestSearchUsable checks that a search finds only commands that the user can use in the channel.
func TestSearchUsable(t *testing.T) {
	t.Parallel()
	d := openLab(t)
	denied := d.create(t, echo, 0, slash("ra-denied", ""))
	d.put(t, echo, denied.ID, forUser(bob, false))
	d.create(t, echo, 0, slash("rb-admins", `,"default_member_permissions":"0"`))
	d.create(t, echo, 0, slash("rc-usual", ""))
	d.create(t, echo, guild, slash("rd-local", ""))
	d.create(t, echo, 0, slash("re-private", `,"integration_types":[0,1],"contexts":[2]`))
	d.create(t, tool, 0, slash("rf-mine", `,"integration_types":[1],"contexts":[0,1,2]`))
	d.create(t, tool, 0, slash("rg-theirs", ""))
	for _, tt := range []struct {
		name    string
		user    snowflake.User
		channel snowflake.Channel
		limit   int
		want    []string
	}{
		{"in a guild", bob, general, 25, []string{"rf-mine", "rc-usual", "rd-local", "rg-theirs"}},
		{"an administrator", ada, general, 25, []string{"rc-usual", "rd-local", "ra-denied", "rb-admins"}},
		{"the limit counts only usable commands", bob, general, 2, []string{"rf-mine", "rc-usual"}},
		{"with a bot", bob, withEcho, 25, []string{"rf-mine", "rc-usual", "ra-denied", "rb-admins"}},
		{"in private", bob, group, 25, []string{"rf-mine", "re-private"}},
		{"in private without installs", ada, group, 25, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := d.search(t, tt.user, tt.channel, permissions.Search{Type: 1, Query: "r", Limit: tt.limit}, "en-US").names()
			if !slices.Equal(got, tt.want) {
				t.Errorf("Search() = %q, want %q", got, tt.want)
			}
		})
	}
	for user, channel := range map[snowflake.User]snowflake.Channel{eve: general, cleo: group, bob: hidden} {
		if _, err := d.Search(t.Context(), user, channel, permissions.Search{Type: 1, Limit: 25}, "en-US"); !errors.Is(err, permissions.ErrNoAccess) {
			t.Errorf("Search(%v, %v) = %v, want %v", user, channel, err, permissions.ErrNoAccess)
		}
	}
}
