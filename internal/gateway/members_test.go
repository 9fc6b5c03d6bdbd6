package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// chunk is the data of GUILD_MEMBERS_CHUNK.
type chunk struct {
	Guild   string `json:"guild_id"`
	Members []struct {
		User struct{ ID, Username string }
		Nick *string
	}
	Index     int      `json:"chunk_index"`
	Count     int      `json:"chunk_count"`
	NotFound  []string `json:"not_found"`
	Presences []string
	Nonce     string
}

// TestRequestsWithoutMedia asks for sounds and for the status of voice channels, of a guild and of one that the bot is not in.
func TestRequestsWithoutMedia(t *testing.T) {
	t.Parallel()
	s := open(t)
	bot, _ := s.login(t, "bot-echo", 0)
	for _, tt := range []struct{ ask, event, want string }{
		{`{"op":31,"d":{"guild_ids":["5","` + lab.String() + `"]}}`, "SOUNDBOARD_SOUNDS", `{"guild_id":"` + lab.String() + `","soundboard_sounds":[]}`},
		{`{"op":43,"d":{"guild_id":"5"}}`, "", ""},
		{`{"op":43,"d":{"guild_id":"` + lab.String() + `","fields":["status"]}}`, "CHANNEL_INFO", `{"guild_id":"` + lab.String() + `","channels":[]}`},
	} {
		bot.send(tt.ask)
		if tt.event == "" {
			continue
		}
		if p := bot.want(tt.event); string(p.D) != tt.want {
			t.Errorf("%s: received %s, want %s", tt.ask, p.D, tt.want)
		}
	}
}

func TestRequestMembers(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.allow(t)
	full, _ := s.login(t, "bot-echo", int(events.GuildMembers))
	bare, _ := s.login(t, "bot-other", 0)
	for _, tt := range []struct {
		name string
		c    *client
		ask  string
		want string // users ordered by id
		more func(chunk) bool
	}{
		{"by the beginning of a name", full, `"query":"bo","limit":10`, "bob", nil},
		{"by a nick", full, `"query":"BOBB","limit":1`, "bob", nil},
		{"by an id", full, `"user_ids":"700000000000000001","presences":true`, "ada", func(c chunk) bool { return c.Presences != nil }},
		{"by ids", full, `"user_ids":["700000000000000002","5"],"nonce":"n"`, "bob", func(c chunk) bool {
			return len(c.NotFound) == 1 && c.NotFound[0] == "5" && c.Nonce == "n"
		}},
		{"with a nonce that is too long", full, `"user_ids":["5"],"nonce":"` + strings.Repeat("n", 33) + `"`, "", func(c chunk) bool { return c.Nonce == "" }},
		{"all", full, `"query":"","limit":0`, "ada bob Echo Other", func(c chunk) bool { return c.Count == 1 && c.Index == 0 }},
		{"all, without the intent", bare, `"query":"","limit":0`, "Other", nil},
	} {
		tt.c.send(`{"op":8,"d":{"guild_id":"` + lab.String() + `",` + tt.ask + `}}`)
		p := tt.c.want("GUILD_MEMBERS_CHUNK")
		var got chunk
		tt.c.read(p.D, &got)
		var names []string
		for _, m := range got.Members {
			names = append(names, m.User.Username)
		}
		if strings.Join(names, " ") != tt.want || got.Guild != lab.String() || tt.more != nil && !tt.more(got) {
			t.Errorf("%s: received %s, want %s", tt.name, p.D, tt.want)
		}
	}
	full.send(`{"op":8,"d":{"guild_id":["` + lab.String() + `"],"query":"ad","limit":1}}`) // one library sends the guild as a list
	full.want("GUILD_MEMBERS_CHUNK")
	full.send(`{"op":8,"d":{"guild_id":` + lab.String() + `,"user_ids":[700000000000000001]}}`) // discord.py sends ids as numbers
	full.want("GUILD_MEMBERS_CHUNK")
	full.send(`{"op":8,"d":{"guild_id":"` + lab.String() + `"}}`)
	if got := full.closed(); got != 4002 {
		t.Errorf("a request for nothing is closed with %d, want 4002", got)
	}
}

// TestMembersLimit requests all members twice.
func TestMembersLimit(t *testing.T) {
	t.Parallel()
	s := limited(t)
	s.allow(t)
	c, _ := s.login(t, "bot-echo", int(events.GuildMembers))
	all := `{"op":8,"d":{"guild_id":"` + lab.String() + `","query":"","limit":0,"nonce":"x"}}`
	c.send(all)
	c.want("GUILD_MEMBERS_CHUNK")
	c.send(all)
	var limited struct {
		Opcode     int
		RetryAfter float64 `json:"retry_after"`
		Meta       struct {
			Guild string `json:"guild_id"`
			Nonce string
		}
	}
	p := c.want("RATE_LIMITED")
	c.read(p.D, &limited)
	if limited.Opcode != 8 || limited.RetryAfter <= 0 || limited.RetryAfter > 30 || limited.Meta.Guild != lab.String() || limited.Meta.Nonce != "x" {
		t.Errorf("RATE_LIMITED = %s", p.D)
	}
	s.clock.Advance(30 * time.Second)
	c.send(all)
	c.want("GUILD_MEMBERS_CHUNK")
}

// TestManyMembers requests more members than one event holds.
func TestManyMembers(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.allow(t)
	var w world.World
	g := world.Guild{ID: lab, Name: "Lab", Owner: ada}
	for i := range 2300 {
		id := snowflake.User(700000000000001000 + i)
		w.Users = append(w.Users, world.User{ID: id, Username: fmt.Sprint("user", i)})
		g.Members = append(g.Members, world.Member{User: id})
	}
	w.Guilds = []world.Guild{g}
	if _, err := s.provision().Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	c, _ := s.login(t, "bot-echo", int(events.GuildMembers))
	c.send(`{"op":8,"d":{"guild_id":"` + lab.String() + `","query":"","limit":0}}`)
	seen := map[string]bool{}
	for i := range 3 {
		var got chunk
		p := c.want("GUILD_MEMBERS_CHUNK")
		c.read(p.D, &got)
		if got.Index != i || got.Count != 3 {
			t.Errorf("chunk %d of %d, want %d of 3", got.Index, got.Count, i)
		}
		for _, m := range got.Members {
			seen[m.User.ID] = true
		}
	}
	if len(seen) != 2304 {
		t.Errorf("%d members came, want 2304", len(seen))
	}
}
