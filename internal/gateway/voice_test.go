package gateway_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws"
)

// voice is a voice state as clients get it.
type voice struct {
	Guild   string  `json:"guild_id"`
	Channel *string `json:"channel_id"`
	User    string  `json:"user_id"`
	Session string  `json:"session_id"`
	Mute    bool    `json:"self_mute"`
	Member  *struct{ User struct{ Username string } }
}

const (
	lounge snowflake.Channel = 900000000000000020
	closed snowflake.Channel = 900000000000000021
)

// openVoice starts a gateway whose lab has voice channels.
func openVoice(t *testing.T) *harness {
	t.Helper()
	s := open(t)
	s.addVoice(t)
	return s
}

func (s *harness) addVoice(t *testing.T) {
	t.Helper()
	w, err := world.Parse("voice.yaml", []byte(`guilds: [{id: "900000000000000001", name: Lab, owner: "700000000000000001", channels: [{id: "900000000000000020", name: lounge, type: 2},
  {id: "900000000000000021", name: closed, type: 2, permission_overwrites: [{id: "900000000000000001", type: 0, deny: "1048576"}]}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.provision().Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// wantVoice waits for VOICE_STATE_UPDATE of a user in a channel, or in none.
func wantVoice(t *testing.T, c *client, user snowflake.User, channel snowflake.Channel) voice {
	t.Helper()
	var got voice
	c.read(c.until("VOICE_STATE_UPDATE").D, &got)
	in := ""
	if got.Channel != nil {
		in = *got.Channel
	}
	want := ""
	if channel != 0 {
		want = channel.String()
	}
	if got.User != user.String() || in != want || got.Guild != lab.String() {
		t.Fatalf("the voice state is %+v, want %v in %q", got, user, want)
	}
	return got
}

func joins(channel string) string {
	return `{"op":4,"d":{"guild_id":"` + lab.String() + `","channel_id":` + channel + `,"self_mute":true,"self_deaf":false}}`
}

// TestVoice joins, moves and leaves voice channels.
func TestVoice(t *testing.T) {
	t.Parallel()
	s := openVoice(t)
	watcher, _ := s.login(t, "bot-other", int(events.Guilds|events.GuildVoiceStates))
	bot, _ := s.login(t, "bot-echo", 0)
	bot.send(joins(`"` + closed.String() + `"`)) // without the permission
	bot.send(joins(`"` + hall.String() + `"`))   // a text channel
	bot.send(joins(`"5"`))                       // no channel
	bot.send(joins(`null`))                      // it is not in voice
	bot.send(joins(`"` + lounge.String() + `"`))
	own := wantVoice(t, bot, snowflake.User(echo), lounge) // without the intent
	if !own.Mute || own.Session == "" || own.Member == nil || own.Member.User.Username != "Echo" {
		t.Errorf("the voice state is %+v", own)
	}
	var server struct {
		Token    *string
		Guild    string `json:"guild_id"`
		Endpoint *string
	}
	bot.read(bot.want("VOICE_SERVER_UPDATE").D, &server)
	if server.Token == nil || server.Guild != lab.String() || server.Endpoint != nil {
		t.Errorf("the voice server is %+v, want a token and no endpoint", server)
	}
	wantVoice(t, watcher, snowflake.User(echo), lounge)

	late, _ := s.login(t, "bot-other", int(events.Guilds|events.GuildVoiceStates))
	var guild struct {
		States []voice `json:"voice_states"`
	}
	late.read(late.until("GUILD_CREATE").D, &guild)
	if len(guild.States) != 1 || guild.States[0].Guild != "" || guild.States[0].Channel == nil || *guild.States[0].Channel != lounge.String() {
		t.Errorf("GUILD_CREATE has the voice states %+v", guild.States)
	}
	if err := s.MoveVoice(t.Context(), lab, snowflake.User(echo), closed); err != nil {
		t.Fatal(err)
	}
	wantVoice(t, watcher, snowflake.User(echo), closed)
	if state, ok := s.VoiceState(lab, snowflake.User(echo)); !ok || *state.ChannelID != closed {
		t.Errorf("VoiceState() = %+v, %v", state, ok)
	}
	bot.send(joins(`null`))
	wantVoice(t, watcher, snowflake.User(echo), 0)

	person, _ := s.login(t, "user-bob", 0)
	person.send(joins(`"` + lounge.String() + `"`))
	wantVoice(t, person, bob, lounge)
	person.until("VOICE_SERVER_UPDATE")
	wantVoice(t, watcher, bob, lounge)
	person.leave(ws.StatusNormalClosure) // with the session
	wantVoice(t, watcher, bob, 0)
	if err := s.JoinVoice(t.Context(), lab, bob, lounge); err != nil {
		t.Fatal(err)
	}
	wantVoice(t, watcher, bob, lounge)
	if err := s.JoinVoice(t.Context(), lab, bob, closed); err == nil {
		t.Error("joined without the permission")
	}
	if err := s.directory.Guilds.DeleteMember(t.Context(), lab, bob); err != nil {
		t.Fatal(err)
	}
	wantVoice(t, watcher, bob, 0)
	if _, ok := s.VoiceState(lab, bob); ok {
		t.Error("a user who left the guild is in voice")
	}
}

// TestVoiceChannelEnds verifies that a full channel takes no more users, and that users leave a channel that is deleted.
func TestVoiceChannelEnds(t *testing.T) {
	t.Parallel()
	s := openVoice(t)
	watcher, _ := s.login(t, "bot-other", int(events.Guilds|events.GuildVoiceStates))
	err := s.directory.Update(t.Context(), func(tx *directory.Tx) error {
		c, err := tx.Directory.Channel(lounge)
		if err != nil {
			return err
		}
		c.Voice = &store.Voice{UserLimit: 1}
		return directory.ChannelKind.Put(tx, c)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.JoinVoice(t.Context(), lab, bob, lounge); err != nil {
		t.Fatal(err)
	}
	wantVoice(t, watcher, bob, lounge)
	if err := s.JoinVoice(t.Context(), lab, snowflake.User(echo), lounge); err == nil {
		t.Error("a user joined a full channel")
	}
	if err := s.JoinVoice(t.Context(), lab, bob, lounge); err != nil {
		t.Errorf("the user in the channel joins again: %v", err)
	}
	wantVoice(t, watcher, bob, lounge)
	if err := s.JoinVoice(t.Context(), lab, ada, lounge); err != nil {
		t.Errorf("the owner, who can move members, joins: %v", err)
	}
	wantVoice(t, watcher, ada, lounge)
	if err := s.JoinVoice(t.Context(), lab, ada, 0); err != nil {
		t.Fatal(err)
	}
	wantVoice(t, watcher, ada, 0)
	if err := s.directory.Guilds.DeleteChannel(t.Context(), lab, lounge); err != nil {
		t.Fatal(err)
	}
	wantVoice(t, watcher, bob, 0)
	if _, ok := s.VoiceState(lab, bob); ok {
		t.Error("a user is in a channel that was deleted")
	}
}
