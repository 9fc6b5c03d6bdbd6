package gateway_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/store/events"
)

const guildsIntent = 1

func TestReady(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, p := s.login(t, "bot-echo", guildsIntent)
	var ready struct {
		V           int    `json:"v"`
		Type        string `json:"session_type"`
		URL         string `json:"resume_gateway_url"`
		Shard       [2]int `json:"shard"`
		User        struct{ ID, Username string }
		Application struct {
			ID    string
			Flags *int
		}
		Guilds []struct {
			ID          string
			Unavailable bool
		}
		PrivateChannels []string `json:"private_channels"`
	}
	c.read(p.D, &ready)
	if ready.V != 10 || ready.Type != "normal" || ready.URL != s.url || ready.Shard != [2]int{0, 1} || len(c.id) != 32 || *p.S != 1 ||
		ready.User.ID != echo.String() || ready.User.Username != "Echo" || ready.Application.ID != echo.String() ||
		ready.Application.Flags == nil || len(ready.Guilds) != 2 || !ready.Guilds[0].Unavailable || ready.PrivateChannels == nil {
		t.Errorf("READY = %s", p.D)
	}
	for _, id := range []string{lab.String(), attic.String()} {
		var guild struct {
			ID       string
			Roles    []struct{ ID string }
			Channels []struct{ Type *int }
			Members  []struct{ User struct{ ID string } }
		}
		g := c.want("GUILD_CREATE")
		c.read(g.D, &guild)
		if guild.ID != id || guild.Roles[0].ID != id || guild.Channels == nil || len(guild.Members) != 1 ||
			guild.Members[0].User.ID != echo.String() {
			t.Errorf("GUILD_CREATE = %s", g.D)
		}
	}
	s.bus.Publish(events.Event{Name: "INTERACTION_CREATE", Data: []byte(`{"id":"1"}`), To: events.Audience{Application: echo, Guild: lab}})
	if p := c.want("INTERACTION_CREATE"); string(p.D) != `{"id":"1"}` || *p.S != 4 {
		t.Errorf("received %s as number %d", p.D, *p.S)
	}
	if received := c.beat(); len(received) != 0 {
		t.Errorf("received %v besides", received)
	}
}
