package compat_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// moderators lists the bots that run a guild: Go packages in moderators/, and scripts. They are written for Discord alone.
var moderators = []botProgram{
	{name: "discordgo", source: "moderators/discordgo/main.go"},
	{name: "disgo", source: "moderators/disgo/main.go"},
	{name: "arikawa", source: "moderators/arikawa/main.go"},
	{name: "discordjs", source: "node/moderators/discordjs.mjs"},
	{name: "oceanic", source: "node/moderators/oceanic.mjs"},
	{name: "eris", source: "node/moderators/eris.mjs"},
	{name: "seyfert", source: "node/moderators/seyfert.mjs"},
	{name: "discordpy", source: "moderators/discordpy.py"},
}

// guildEvents are the events that each moderator must get.
var guildEvents = []string{
	"GUILD_UPDATE", "GUILD_MEMBER_ADD", "GUILD_MEMBER_UPDATE", "GUILD_MEMBER_REMOVE", "GUILD_BAN_ADD", "GUILD_BAN_REMOVE",
	"GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE",
	"INVITE_CREATE", "INVITE_DELETE", "GUILD_EMOJIS_UPDATE", "GUILD_AUDIT_LOG_ENTRY_CREATE", "PRESENCE_UPDATE", "VOICE_STATE_UPDATE",
	"GUILD_SCHEDULED_EVENT_CREATE", "GUILD_SCHEDULED_EVENT_UPDATE", "GUILD_SCHEDULED_EVENT_DELETE",
}

// Members of the guilds of moderators: one whom they edit, one whom they kick, one whom they ban, and one who joins later.
const (
	editedUser = "1100000000000000011"
	kickedUser = "1100000000000000012"
	bannedUser = "1100000000000000013"
	lateUser   = "1100000000000000014"
)

// pixel is an image of one pixel in base64.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// TestModerators runs bots under "bellhop run". Each manages members, bans, roles, channels, invites, emojis, images and scheduled events
// of a guild of its own, sets its presence, joins a voice channel, reads the audit log, and receives the events.
func TestModerators(t *testing.T) {
	t.Parallel()
	binaries := build(t, ".", "compat/moderators", "./moderators/discordgo", "./moderators/disgo", "./moderators/arikawa")
	installPackages(t)
	s := startService(t)
	for i, b := range moderators {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s.call(t, http.MethodPost, "/_dev/world", "", moderatorWorld(i), nil)
			env := []string{
				"GUILD_ID=" + moderatedGuild(i), "CHANNEL_ID=" + moderatedChannel(i), "VOICE_ID=" + moderatedVoice(i), "IMAGE=" + pixel,
				"EDITED_ID=" + editedUser, "KICKED_ID=" + kickedUser, "BANNED_ID=" + bannedUser,
			}
			b.runUnder(t, s, binaries, moderator(i), env, "managed", guildEvents, func() { s.actAsMembers(t, i) })
			checkModerated(t, s, i, b.name != "arikawa") // arikawa gives the avatar another name, so it sends none
		})
	}
}

// moderator returns the id of a moderator, the next functions those of its guild, of the channels and of a role there.
func moderator(i int) string        { return botApplication(200 + i) }
func moderatedGuild(i int) string   { return strconv.Itoa(1200000000000003000 + i) }
func moderatedChannel(i int) string { return strconv.Itoa(1200000000000004000 + i) }
func moderatedVoice(i int) string   { return strconv.Itoa(1200000000000005000 + i) }
func moderatedRole(i int) string    { return strconv.Itoa(1200000000000006000 + i) } // of the bot, above the roles that it makes

// moderatorWorld returns the world of a moderator as a world file.
func moderatorWorld(i int) string {
	return fmt.Sprintf(`{"users":[{"id":%[6]q,"username":"edited"},{"id":%[7]q,"username":"kicked"},{"id":%[8]q,"username":"banned"},
		{"id":%[9]q,"username":"late"}],
		"applications":[{"id":%[1]q,"name":"moderator %[10]d","owner":%[2]q,"bot_token":%[11]q}],
		"guilds":[{"id":%[3]q,"name":"Kitchen","owner":%[2]q,"channels":[{"id":%[4]q,"name":"general"},{"id":%[5]q,"name":"voice","type":2}],
		"roles":[{"id":%[12]q,"name":"crew","position":9}],
		"members":[{"user":%[1]q,"roles":[%[12]q]},{"user":%[2]q},{"user":%[6]q},{"user":%[7]q},{"user":%[8]q}],
		"installs":[{"application":%[1]q,"scopes":["bot"],"permissions":"8"}]}]}`,
		moderator(i), owner, moderatedGuild(i), moderatedChannel(i), moderatedVoice(i), editedUser, kickedUser, bannedUser, lateUser, i,
		botToken(moderator(i)), moderatedRole(i))
}

// actAsMembers lets a person join the guild, change the presence and join a voice channel.
func (s *service) actAsMembers(t *testing.T, i int) {
	t.Helper()
	for _, body := range []string{
		fmt.Sprintf(`{"as":%q,"guild":%q,"join":true}`, lateUser, moderatedGuild(i)),
		fmt.Sprintf(`{"as":%q,"guild":%q,"presence":{"status":"idle","activities":[{"name":"kitchen %d","type":0}]}}`, lateUser, moderatedGuild(i), i),
		fmt.Sprintf(`{"as":%q,"guild":%q,"voice":%q}`, lateUser, moderatedGuild(i), moderatedVoice(i)),
	} {
		s.call(t, http.MethodPost, "/_dev/members", "", body, nil)
	}
}

// moderated describes a guild after a moderator has run it.
type moderated struct {
	Name     string
	Icon     bool
	Nick     string
	Role     string   // of the edited member
	TimedOut bool     // the edited member
	Avatar   bool     // of the bot
	Roles    []string // without the everyone role and the managed one
	Channels []string
	Members  int
	Audit    []string // the actions with the reason of the bot, each once, ascending
}

// checkModerated checks what a moderator has left.
func checkModerated(t *testing.T, s *service, i int, avatar bool) {
	t.Helper()
	auth, path := "Bot "+botToken(moderator(i)), "/api/v10/guilds/"+moderatedGuild(i)
	var g struct {
		Name  string
		Icon  *string
		Roles []struct {
			ID, Name string
			Managed  bool
		}
	}
	s.call(t, http.MethodGet, path, auth, "", &g)
	var m struct {
		Nick  string
		Roles []string
		Until *time.Time `json:"communication_disabled_until"`
	}
	s.call(t, http.MethodGet, path+"/members/"+editedUser, auth, "", &m)
	var channels []struct{ Name, Topic string }
	s.call(t, http.MethodGet, path+"/channels", auth, "", &channels)
	var members []struct{}
	s.call(t, http.MethodGet, path+"/members?limit=100", auth, "", &members)
	var me struct{ Avatar *string }
	s.call(t, http.MethodGet, "/api/v10/users/@me", auth, "", &me)
	got := moderated{
		Name: g.Name, Icon: g.Icon != nil, Nick: m.Nick, TimedOut: m.Until != nil && m.Until.After(time.Now()), Avatar: me.Avatar != nil,
		Members: len(members), Audit: s.auditedActions(t, path, auth),
	}
	for _, r := range g.Roles {
		if !r.Managed && r.ID != moderatedGuild(i) {
			got.Roles = append(got.Roles, r.Name)
		}
		if slices.Contains(m.Roles, r.ID) {
			got.Role += r.Name
		}
	}
	for _, c := range channels {
		got.Channels = append(got.Channels, strings.TrimSpace(c.Name+" "+c.Topic))
	}
	want := moderated{
		Name: "Diner", Icon: true, Nick: "Chef", Role: "cooks", TimedOut: true, Avatar: avatar, Roles: []string{"crew", "cooks"},
		Channels: []string{"general", "voice", "orders Orders"}, Members: 4,
		// The deletion of a scheduled event (102) has no reason.
		Audit: strings.Fields("1 10 11 12 13 20 22 23 24 25 30 31 32 40 42 60 61 62 100 101"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the guild differs (-want +got):\n%s", diff)
	}
}

// auditedActions returns the actions in the audit log of a guild that have the reason of the bots, each once, in ascending order.
func (s *service) auditedActions(t *testing.T, path, auth string) []string {
	t.Helper()
	var log struct {
		Entries []struct {
			Action int `json:"action_type"`
			Reason string
		} `json:"audit_log_entries"`
	}
	s.call(t, http.MethodGet, path+"/audit-logs?limit=100", auth, "", &log)
	var actions []int
	for _, e := range log.Entries {
		if e.Reason == "too loud" {
			actions = append(actions, e.Action)
		}
	}
	slices.Sort(actions)
	var names []string
	for _, a := range slices.Compact(actions) {
		names = append(names, strconv.Itoa(a))
	}
	return names
}
