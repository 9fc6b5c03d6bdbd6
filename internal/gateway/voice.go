package gateway

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// voiceState says in which voice channel of a guild a user is. Like presences, voice states are not stored: all nodes take them from the
// events that nodes send each other.
type voiceState struct {
	Guild    snowflake.Guild   `json:"guild"`
	User     snowflake.User    `json:"user"`
	Channel  snowflake.Channel `json:"channel,omitzero"` // 0: none, the user has left
	Session  string            `json:"session,omitzero"`
	Node     string            `json:"node,omitzero"` // the node with the session
	SelfMute bool              `json:"self_mute,omitzero"`
	SelfDeaf bool              `json:"self_deaf,omitzero"`
}

// memberKey names a member of a guild.
type memberKey struct {
	guild snowflake.Guild
	user  snowflake.User
}

func (v *voiceState) key() memberKey { return memberKey{v.Guild, v.User} }

// wire returns the state for clients. member may be nil.
func (v *voiceState) wire(member *wire.Member) wire.VoiceState {
	w := wire.VoiceState{GuildID: v.Guild, UserID: v.User, Member: member, SessionID: v.Session, SelfMute: v.SelfMute, SelfDeaf: v.SelfDeaf}
	if v.Channel != 0 {
		w.ChannelID = &v.Channel
	}
	if member != nil {
		w.Mute, w.Deaf = member.Mute, member.Deaf
	}
	return w
}

// voiceUpdate is the data of Update Voice State (op 4).
type voiceUpdate struct {
	Guild    snowflake.Guild    `json:"guild_id"`
	Channel  *snowflake.Channel `json:"channel_id"`
	SelfMute bool               `json:"self_mute"`
	SelfDeaf bool               `json:"self_deaf"`
}

// updateVoice handles Update Voice State (op 4): it joins, moves or leaves. It ignores what the user may not do.
func (k *conn) updateVoice(ctx context.Context, s *session.Session, p *payload) error {
	var want voiceUpdate
	if err := p.read(&want); err != nil {
		return err
	}
	g := k.gateway
	if s.Kind == session.Client || !g.index.IsIn(s, want.Guild) {
		return nil
	}
	state := voiceState{Guild: want.Guild, User: s.User, Session: s.Session, Node: g.statuses.node, SelfMute: want.SelfMute, SelfDeaf: want.SelfDeaf}
	if want.Channel == nil {
		if g.statuses.forgetVoice(s.Session, want.Guild) {
			return g.publishVoice(ctx, state)
		}
		return nil
	}
	state.Channel = *want.Channel
	err := g.checkVoice(ctx, directory.Viewer{User: s.User, Bot: s.Kind == session.Bot}, state.Guild, state.Channel)
	if errors.Is(err, apierror.WrongChannelType) || errors.Is(err, directory.ErrUnknownChannel) || isDenied(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !g.statuses.rememberVoice(s.Session, want.Guild) {
		return nil // the session is in as many channels as a session can be in
	}
	if err := g.publishVoice(ctx, state); err != nil {
		return err
	}
	return g.sendVoiceServer(s, want.Guild)
}

func isDenied(err error) bool {
	_, denied := errors.AsType[*directory.DeniedError](err)
	return denied
}

// checkVoice returns nil if a user may join a voice channel of a guild. The error is a *directory.DeniedError,
// directory.ErrUnknownChannel or apierror.WrongChannelType.
func (g *Gateway) checkVoice(ctx context.Context, viewer directory.Viewer, guild snowflake.Guild, channel snowflake.Channel) error {
	place, err := g.Directory.Channels.Enter(ctx, channel, viewer)
	if err != nil {
		return err
	}
	switch {
	case place.Channel.Guild != guild:
		return directory.ErrUnknownChannel
	case place.Channel.Type != world.VoiceChannel && place.Channel.Type != world.StageChannel:
		return apierror.WrongChannelType
	}
	if err := place.Allow(permission.OpJoinVoice, true); err != nil {
		return err
	}
	if v := place.Channel.Voice; v != nil && v.UserLimit > 0 && g.statuses.othersIn(guild, channel, viewer.User) >= v.UserLimit {
		return place.Allow(permission.OpMoveMember, true) // members who can move others join full channels
	}
	return nil
}

// othersIn returns how many users are in a voice channel, without one user.
func (t *statuses) othersIn(guild snowflake.Guild, channel snowflake.Channel, user snowflake.User) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, v := range t.voices {
		if key.guild == guild && v.Channel == channel && key.user != user {
			n++
		}
	}
	return n
}

// publishVoice publishes a voice state to all nodes, and VOICE_STATE_UPDATE to the guild. The user gets it without the intent too.
func (g *Gateway) publishVoice(ctx context.Context, state voiceState) error {
	var shown *wire.Member
	m, err := g.Directory.Guilds.MemberWithUser(ctx, state.Guild, state.User)
	switch {
	case err == nil:
		shown = &m
	case !errors.Is(err, directory.ErrUnknownMember):
		return err
	}
	data, err := json.Marshal(state.wire(shown))
	if err != nil {
		return err
	}
	g.statuses.publish(statusEvent{Node: g.statuses.node, Voices: []voiceState{state}})
	g.Bus.Publish(events.Event{Name: "VOICE_STATE_UPDATE", Data: data, To: events.Audience{
		Guild: state.Guild, Intents: events.GuildVoiceStates, Except: []snowflake.User{state.User},
	}})
	own := events.Event{Name: "VOICE_STATE_UPDATE", Data: data, To: events.Audience{Guild: state.Guild, Users: []snowflake.User{state.User}}}
	if shown != nil && shown.User.Bot {
		own.To = events.Audience{Guild: state.Guild, Application: snowflake.Application(state.User)}
	}
	g.Bus.Publish(own)
	return nil
}

// sendVoiceServer sends VOICE_SERVER_UPDATE to the session that joined. The endpoint is null: there is no voice server, so libraries
// end their attempt to connect.
func (g *Gateway) sendVoiceServer(s *session.Session, guild snowflake.Guild) error {
	data, err := json.Marshal(struct {
		Token    string          `json:"token"`
		Guild    snowflake.Guild `json:"guild_id"`
		Endpoint *string         `json:"endpoint"`
	}{"no-voice-server", guild, nil})
	if err != nil {
		return err
	}
	to := events.Audience{Users: []snowflake.User{s.User}, Session: s.Session}
	if s.Kind == session.Bot {
		to = events.Audience{Guild: guild, Application: s.Application}
	}
	g.Bus.Publish(events.Event{Name: "VOICE_SERVER_UPDATE", Data: data, To: to})
	return nil
}

// maxVoices bounds the voice channels that one session is in.
const maxVoices = 100

// rememberVoice records that a session is in voice in a guild, so that it leaves when it ends. It reports false for too many guilds.
func (t *statuses) rememberVoice(id string, guild snowflake.Guild) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Contains(t.joined[id], guild) {
		return true
	}
	if len(t.joined[id]) >= maxVoices {
		return false
	}
	t.joined[id] = append(t.joined[id], guild)
	return true
}

// forgetVoice records that a session has left voice in a guild. It reports whether the session was there.
func (t *statuses) forgetVoice(id string, guild snowflake.Guild) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.joined[id], guild)
	if i < 0 {
		return false
	}
	if t.joined[id] = slices.Delete(t.joined[id], i, i+1); len(t.joined[id]) == 0 {
		delete(t.joined, id)
	}
	return true
}

// leaveVoice makes a session that has ended leave its voice channels. The goroutine of run does it. The statuses are locked.
func (t *statuses) leaveVoice(s *session.Session) {
	for _, guild := range t.joined[s.Session] {
		t.leaving = append(t.leaving, voiceState{Guild: guild, User: s.User, Session: s.Session, Node: t.node})
	}
	delete(t.joined, s.Session)
}

// restoreVoice takes over the voice states of a session that was on another node.
func (t *statuses) restoreVoice(s *session.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := statusEvent{Node: t.node}
	for key, v := range t.voices {
		if key.user == s.User && v.Session == s.Session {
			v.Node = t.node
			e.Voices = append(e.Voices, v)
			t.joined[s.Session] = append(t.joined[s.Session], key.guild)
		}
	}
	if len(e.Voices) > 0 {
		t.publish(e)
	}
}

// leftGuild removes the voice state of a user who left a guild, or with the user 0 those of a deleted guild. The hub calls it.
func (t *statuses) leftGuild(user snowflake.User, guild snowflake.Guild) {
	t.dropVoices(guild, user != 0, func(v *voiceState) bool { return user == 0 || v.User == user })
}

// channelDeleted removes the voice states in a deleted channel. The hub calls it.
func (t *statuses) channelDeleted(guild snowflake.Guild, channel snowflake.Channel) {
	t.dropVoices(guild, true, func(v *voiceState) bool { return v.Channel == channel })
}

// dropVoices removes the voice states of a guild that match. The node of each announces it if announced is set.
func (t *statuses) dropVoices(guild snowflake.Guild, announced bool, match func(*voiceState) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, v := range t.voices {
		if key.guild != guild || !match(&v) {
			continue
		}
		delete(t.voices, key)
		if v.Channel = 0; v.Node == t.node && announced {
			t.leaving = append(t.leaving, v)
			t.changed(v.User)
		}
		t.joined[v.Session] = slices.DeleteFunc(t.joined[v.Session], func(g snowflake.Guild) bool { return g == guild })
		if len(t.joined[v.Session]) == 0 {
			delete(t.joined, v.Session)
		}
	}
}

// announceLeft publishes that users have left their voice channels.
func (t *statuses) announceLeft(ctx context.Context) {
	t.mu.Lock()
	list := t.leaving
	t.leaving = nil
	t.mu.Unlock()
	for _, state := range list {
		if err := t.gateway.publishVoice(ctx, state); err != nil && ctx.Err() == nil {
			t.gateway.Log.ErrorContext(ctx, "voice state not announced", "err", err)
		}
	}
}

// takeVoice takes a voice state of an event. The statuses are locked.
func (t *statuses) takeVoice(v *voiceState) {
	switch old := t.voices[v.key()]; {
	case v.Channel != 0:
		t.voices[v.key()] = *v
	case old.Session == v.Session || v.Session == "":
		delete(t.voices, v.key())
	}
}

// voicesIn returns the voice states of a guild, for GUILD_CREATE.
func (t *statuses) voicesIn(guild snowflake.Guild) []wire.VoiceState {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []wire.VoiceState{}
	for key, v := range t.voices {
		if key.guild == guild {
			w := v.wire(nil)
			w.GuildID = 0
			list = append(list, w)
		}
	}
	return list
}

func (t *statuses) voice(guild snowflake.Guild, user snowflake.User) (voiceState, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.voices[memberKey{guild, user}]
	return v, ok
}

// VoiceState returns the voice state of a member. It reports false for a member who is not in voice.
func (g *Gateway) VoiceState(guild snowflake.Guild, user snowflake.User) (wire.VoiceState, bool) {
	v, ok := g.statuses.voice(guild, user)
	return v.wire(nil), ok
}

// MoveVoice moves a member to another voice channel, or disconnects the member if the channel is 0. It announces the state also
// if the channel stays the same. It does nothing for a member who is not in voice.
func (g *Gateway) MoveVoice(ctx context.Context, guild snowflake.Guild, user snowflake.User, channel snowflake.Channel) error {
	v, ok := g.statuses.voice(guild, user)
	if !ok {
		return nil
	}
	if channel == 0 {
		g.statuses.forgetVoice(v.Session, guild)
	}
	v.Channel = channel
	return g.applyVoice(ctx, v)
}

// JoinVoice makes a member join a voice channel, move to it or, with the channel 0, leave, without a session. It returns
// the errors of checkVoice.
func (g *Gateway) JoinVoice(ctx context.Context, guild snowflake.Guild, user snowflake.User, channel snowflake.Channel) error {
	v, ok := g.statuses.voice(guild, user)
	if channel == 0 {
		if !ok {
			return nil
		}
		return g.MoveVoice(ctx, guild, user, 0)
	}
	if err := g.checkVoice(ctx, directory.Viewer{User: user}, guild, channel); err != nil {
		return err
	}
	if !ok {
		v = voiceState{Guild: guild, User: user, Session: "dev", Node: g.statuses.node}
	}
	v.Channel = channel
	return g.applyVoice(ctx, v)
}

// Bounds of the wait for the own event.
const (
	voiceWait = 2 * time.Second
	voicePoll = 5 * time.Millisecond
)

// applyVoice publishes a voice state and waits until this node has it.
func (g *Gateway) applyVoice(ctx context.Context, v voiceState) error {
	if err := g.publishVoice(ctx, v); err != nil {
		return err
	}
	for waited := time.Duration(0); waited < voiceWait && ctx.Err() == nil; waited += voicePoll {
		if now, _ := g.statuses.voice(v.Guild, v.User); now.Channel == v.Channel {
			return nil
		}
		clock.Wait(ctx, g.Wall, voicePoll)
	}
	return nil // the event is under way
}
