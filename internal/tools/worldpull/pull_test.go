package worldpull_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/tools/worldpull"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// parts records the parts of a pull.
type parts []string

func (p *parts) Rename(part string) { *p = append(*p, part) }

func (p *parts) Step(int64, int64) {}

// TestPullForbidden pulls with a token that may not list members and not read commands.
func TestPullForbidden(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/applications/@me":
			_, _ = w.Write([]byte(`{"id":"100","name":"Echo","description":"","owner":{"id":"200","username":"ada"},"team":null}`)) // the pull fails
		case "/guilds/300":
			_, _ = w.Write([]byte(`{"id":"300","name":"Lab","owner_id":"201","roles":[{"id":"300","name":"@everyone","permissions":"1024"}]}`)) // as above
		case "/guilds/300/channels":
			_, _ = w.Write([]byte(`[]`)) // as above
		default:
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"message":"Missing Access","code":50001}`)) // as above
		}
	}))
	t.Cleanup(srv.Close)
	var read parts
	pull := func(guild snowflake.Guild) (world.World, []string, error) {
		p := &worldpull.Puller{Client: &client.Client{BaseURL: srv.URL, Authorization: "Bot x"}, Guild: guild, Limit: 100, Progress: &read}
		w, err := p.Pull(t.Context())
		return w, p.Notes, err
	}
	w, notes, err := pull(300)
	if err != nil || len(w.Users) != 2 || len(w.Guilds) != 1 || len(notes) != 2 {
		t.Errorf("Pull() = %+v, %q, %v", w, notes, err)
	}
	if diff := cmp.Diff(parts{"read the channels", "read the members", "read the commands"}, read); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if _, err := worldpull.Merge(w, world.World{}); err != nil {
		t.Errorf("Merge() = %v", err)
	}
	if _, _, err := pull(999); err == nil || !strings.Contains(err.Error(), "Missing Access") {
		t.Errorf("Pull() of a guild that the token may not read = %v", err)
	}
}

// TestPullMessages pulls the messages of a channel: those of people and of the bot.
func TestPullMessages(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer string
		switch r.URL.Path {
		case "/applications/@me":
			answer = `{"id":"100","name":"Echo","description":"","owner":{"id":"200","username":"ada"},"team":null,"bot":{"id":"101"}}`
		case "/guilds/300":
			answer = `{"id":"300","name":"Lab","owner_id":"200","roles":[]}`
		case "/guilds/300/channels":
			answer = `[{"id":"310","type":0,"name":"general"},{"id":"311","type":0,"name":"secret"},{"id":"312","type":2,"name":"voice"}]`
		case "/channels/310/messages":
			if r.URL.Query().Get("limit") != "5" {
				t.Errorf("limit is %s", r.URL.Query().Get("limit"))
			}
			answer = `[{"id":"336","type":7,"author":{"id":"201","username":"bob"},"content":""},
				{"id":"335","type":0,"author":{"id":"900","username":"other","bot":true},"content":"beep"},
				{"id":"334","type":0,"author":{"id":"320","username":"CI","bot":true},"webhook_id":"320","content":"built"},
				{"id":"333","type":19,"author":{"id":"201","username":"bob"},"content":"gone","message_reference":{"message_id":"5"}},
				{"id":"332","type":19,"author":{"id":"101","username":"Echo","bot":true},"content":"","embeds":[{"type":"rich","title":"T"}],"flags":2,"message_reference":{"message_id":"331"}},
				{"id":"331","type":0,"author":{"id":"201","username":"bob"},"content":"hi","pinned":true,"embeds":[],"components":[]}]`
		default:
			w.WriteHeader(http.StatusForbidden)
			answer = `{"message":"Missing Access","code":50001}`
		}
		_, _ = w.Write([]byte(answer)) // the pull fails
	}))
	t.Cleanup(srv.Close)
	p := &worldpull.Puller{
		Client: &client.Client{BaseURL: srv.URL, Authorization: "Bot x"}, Guild: 300, Limit: 100, Messages: 5, Progress: &parts{},
	}
	w, err := p.Pull(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	merged, err := worldpull.Merge(w, world.World{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := merged.YAML()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range merged.Guilds[0].Channels[0].Messages {
		got = append(got, fmt.Sprintf("%d %d %q %d %d %t %d", m.ID, m.Author, m.Content, len(m.Embeds), m.ReplyTo, m.Pinned, m.Flags))
	}
	want := []string{`331 201 "hi" 0 0 true 0`, `332 100 "" 1 331 false 0`, `333 201 "gone" 0 0 false 0`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s\n%s", diff, text)
	}
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "3 messages left out") || !strings.Contains(notes, "channel 311: the token may not read") {
		t.Errorf("notes: %s", notes)
	}
}

// smallWorld returns a world with a person in each place that names one.
func smallWorld() world.World {
	return world.World{
		Users:        []world.User{{ID: 201, Username: "bob"}, {ID: 200, Username: "ada", GlobalName: "Ada"}},
		Applications: []world.Application{{ID: 100, Name: "Echo", Owner: 200}},
		Guilds: []world.Guild{{
			ID: 300, Name: "Lab", Owner: 200,
			Channels: []world.Channel{{ID: 310, Name: "general", Overwrites: []world.Overwrite{{ID: 201, Type: world.MemberOverwrite}}}},
			Members:  []world.Member{{User: 200, Nick: "Countess", JoinedAt: time.Unix(1, 0)}, {User: 100}},
		}},
		CommandPermissions: []world.CommandPermissions{{Application: 100, Guild: 300, Command: 900, Permissions: []world.CommandPermission{
			{ID: 201, Type: permission.ForUser}, {ID: 201, Type: permission.ForRole},
		}}},
	}
}

func TestPseudonyms(t *testing.T) {
	t.Parallel()
	w, again, other := smallWorld(), smallWorld(), smallWorld()
	worldpull.NewPseudonyms("key").Replace(&w)
	worldpull.NewPseudonyms("key").Replace(&again)
	worldpull.NewPseudonyms("other key").Replace(&other)
	if diff := cmp.Diff(w, again); diff != "" {
		t.Errorf("the same key gives other pseudonyms:\n%s", diff)
	}
	if w.Users[0].ID == other.Users[0].ID || w.Users[0].Username == other.Users[0].Username {
		t.Errorf("another key gives the same pseudonym: %+v", w.Users[0])
	}
	bob, ada := w.Users[0].ID, w.Users[1].ID
	g := w.Guilds[0]
	if ada == 200 || w.Users[1].GlobalName != "" || w.Applications[0].Owner != ada || g.Owner != ada {
		t.Errorf("the pseudonym of ada is %+v, the owner of the application %s, of the guild %s", w.Users[1], w.Applications[0].Owner, g.Owner)
	}
	want := []world.Member{{User: ada}, {User: 100}}
	if diff := cmp.Diff(want, g.Members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if got := g.Channels[0].Overwrites[0].ID; got != snowflake.Target(bob) {
		t.Errorf("the overwrite is for %s, want %s", got, bob)
	}
	if p := w.CommandPermissions[0].Permissions; p[0].ID != snowflake.Target(bob) || p[1].ID != 201 {
		t.Errorf("command permissions %+v: want the pseudonym for the user and not for the role", p)
	}
}

// TestMergeKeepsLocal checks that a pull keeps the secrets and settings of the old file, and takes the rest from the service.
func TestMergeKeepsLocal(t *testing.T) {
	t.Parallel()
	old := smallWorld()
	old.Users[1].Token, old.Users[1].Locale, old.Users[1].Username = "user-token", "de", "ada-was"
	old.Applications[0].BotToken, old.Applications[0].Name = "bot-token", "Was"
	w, err := worldpull.Merge(world.World{Users: smallWorld().Users, Applications: smallWorld().Applications}, old)
	if err != nil {
		t.Fatal(err)
	}
	if u := w.Users[0]; u.ID != 200 || u.Token != "user-token" || u.Locale != "de" || u.Username != "ada" {
		t.Errorf("user %+v", u)
	}
	if a := w.Applications[0]; a.BotToken != "bot-token" || a.Name != "Echo" {
		t.Errorf("application %+v", a)
	}
}

// TestPullRich pulls objects with members that Bellhop shows as null or as an empty list.
func TestPullRich(t *testing.T) {
	t.Parallel()
	ada := `{"id":"200","username":"ada","discriminator":"0","global_name":"Ada","avatar":"a1b2","accent_color":5,"primary_guild":{"tag":"LAB"}}`
	answers := map[string]string{
		"/applications/@me": `{"id":"100","name":"Echo","icon":"c3","description":"Says it again","flags":131072,"redirect_uris":["http://127.0.0.1/cb"],
			"integration_types_config":{"0":{"oauth2_install_params":{"scopes":["bot"],"permissions":"8"}},"1":{}},"bot":{"id":"101","username":"Echo","bot":true},
			"owner":{"id":"900","username":"team900"},"team":{"id":"900","icon":"d4","owner_user_id":"200","members":[{"user":` + ada + `}]}}`,
		"/guilds/300": `{"id":"300","name":"Lab","owner_id":"200","icon":"e5","preferred_locale":"de","description":"A lab","afk_channel_id":"310",
			"features":["COMMUNITY"],"emojis":[{"id":"1","name":"bell","roles":["302","309"],"animated":true,"available":true}],"stickers":[{"id":"2"}],"premium_subscription_count":null,
			"roles":[{"id":"300","name":"@everyone","permissions":"1024"},
				{"id":"301","name":"Echo","permissions":"8","position":2,"managed":true,"icon":"f6","tags":{"bot_id":"101"}},
				{"id":"302","name":"Boosters","permissions":"0","position":1,"colors":{"primary_color":7,"secondary_color":9},"tags":{"premium_subscriber":null}}]}`,
		"/guilds/300/channels": `[{"id":"310","type":0,"guild_id":"300","name":"general","topic":"Talk","last_message_id":"5","parent_id":"311",
				"permission_overwrites":[{"id":"301","type":0,"allow":"1024","deny":"0"}]},
			{"id":"311","type":4,"guild_id":"300","name":"Text"},
			{"id":"312","type":15,"guild_id":"300","name":"forum","available_tags":[{"id":"3","name":"bug"}],"default_reaction_emoji":{"emoji_name":"x"}}]`,
		"/guilds/300/members": `[{"user":` + ada + `,"nick":"Countess","avatar":"a7","roles":["302"],"joined_at":"2026-01-02T03:04:05.000000+00:00","premium_since":"2026-02-01T00:00:00+00:00"},
			{"user":{"id":"101","username":"Echo","bot":true},"nick":null,"roles":["301"],"joined_at":"2026-01-03T00:00:00+00:00"}]`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, known := answers[r.URL.Path]
		if !known {
			w.WriteHeader(http.StatusForbidden)
			text = `{"message":"Missing Access","code":50001}`
		}
		_, _ = w.Write([]byte(text)) // the pull fails if this does
	}))
	t.Cleanup(srv.Close)
	p := worldpull.Puller{Client: &client.Client{BaseURL: srv.URL, Authorization: "Bot x"}, Guild: 300, Limit: 10, Progress: &parts{}}
	got, err := p.Pull(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err = worldpull.Merge(got, world.World{}); err != nil {
		t.Fatal(err)
	}
	everyone := permission.ViewChannel
	want := world.World{
		Users: []world.User{{ID: 200, Username: "ada", GlobalName: "Ada", Locale: "en-US"}},
		Applications: []world.Application{{
			ID: 100, Name: "Echo", Description: "Says it again", Owner: 200, Activities: true, IntegrationTypes: []int{0, 1},
			RedirectURIs: []string{"http://127.0.0.1/cb"},
		}},
		Guilds: []world.Guild{{
			ID: 300, Name: "Lab", Owner: 200, PreferredLocale: "de", Everyone: &everyone,
			Roles:  []world.Role{{ID: 301, Name: "Echo", Permissions: 8, Position: 2, Managed: 100}, {ID: 302, Name: "Boosters", Position: 1}},
			Emojis: []world.Emoji{{ID: 1, Name: "bell", Animated: true, Roles: []snowflake.Role{302}}},
			Channels: []world.Channel{
				{ID: 310, Name: "general", Topic: "Talk", Parent: 311, Overwrites: []world.Overwrite{{ID: 301, Allow: 1024}}},
				{ID: 311, Name: "Text", Type: world.Category},
				{ID: 312, Name: "forum", Type: world.ForumChannel},
			},
			Members: []world.Member{
				{User: 100, Roles: []snowflake.Role{301}, JoinedAt: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)},
				{User: 200, Nick: "Countess", Roles: []snowflake.Role{302}, JoinedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
			},
			Installs: []world.GuildInstall{{Application: 100, Scopes: []string{"applications.commands", "bot"}, Permissions: 8}},
		}},
	}
	if want, err = want.Complete(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Pull() (-want +got):\n%s", diff)
	}
}
