package guilds

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// voiceEdit is the part of an edit of a member that changes the voice state.
type voiceEdit struct {
	changes bool
	channel snowflake.Channel // afterwards; 0: none
}

// readVoice returns what an edit does to the voice state of a member, who must be in voice. A move needs the permission to
// connect to the channel.
func (s *Guilds) readVoice(g *manager, user snowflake.User, p *guild.MemberPatch) (voiceEdit, error) {
	if p.Mute.IsZero() && p.Deaf.IsZero() && p.Channel.IsZero() {
		return voiceEdit{}, nil
	}
	now, ok := s.Voice.VoiceState(g.ID, user)
	if !ok || now.ChannelID == nil {
		return voiceEdit{}, apierror.NotInVoice
	}
	to, moves := p.Channel.Get()
	switch {
	case p.Channel.IsNull():
		g.record(permission.OpDisconnectMember, store.MembershipsSubject(user), audit.GuildEntry{Options: map[string]string{"count": "1"}})
		return voiceEdit{true, 0}, nil
	case !moves:
		return voiceEdit{true, *now.ChannelID}, nil
	}
	place, err := g.tx.Enter(to, g.user, g.now)
	if err != nil {
		return voiceEdit{}, err
	}
	if place.Channel.Guild != g.ID {
		return voiceEdit{}, directory.ErrUnknownChannel
	}
	if place.Channel.Type != world.VoiceChannel && place.Channel.Type != world.StageChannel {
		return voiceEdit{}, apierror.WrongChannelType
	}
	if err := place.Allow(permission.OpJoinVoice, true); err != nil {
		return voiceEdit{}, err
	}
	g.record(permission.OpMoveMember, store.MembershipsSubject(user), audit.GuildEntry{
		Options: map[string]string{"channel_id": to.String(), "count": "1"},
	})
	return voiceEdit{true, to}, nil
}

// VoiceState returns the voice state of a member of a guild, for members of the guild.
func (s *Guilds) VoiceState(ctx context.Context, by directory.Viewer, id snowflake.Guild, user snowflake.User) (wire.VoiceState, error) {
	if err := s.Directory.Guilds.Allow(ctx, id, by, permission.OpViewGuild); err != nil {
		return wire.VoiceState{}, err
	}
	state, ok := s.Voice.VoiceState(id, user)
	if !ok {
		return wire.VoiceState{}, apierror.UnknownVoice
	}
	m, err := s.Directory.Guilds.MemberWithUser(ctx, id, user)
	if errors.Is(err, directory.ErrUnknownMember) {
		return wire.VoiceState{}, apierror.UnknownVoice
	}
	state.Member, state.Mute, state.Deaf = &m, m.Mute, m.Deaf
	return state, err
}
