package worldpull_test

import (
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
