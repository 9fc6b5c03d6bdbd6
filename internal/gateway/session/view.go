package session

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/rules/presence"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// View answers what sessions see of guilds. All fields are required.
type View struct {
	Guilds *directory.Guilds
	Log    *slog.Logger
	// Presences returns the presences of members that are not offline.
	Presences func(members []wire.Member) []presence.Wire
	// Voices returns the voice states of a guild.
	Voices func(snowflake.Guild) []wire.VoiceState
}

// WhoSees reports for each session whether its user has the permissions for events of a guild now.
func (v *View) WhoSees(ctx context.Context, list []*Session, guild snowflake.Guild, at events.Sight) ([]bool, error) {
	viewers := make([]directory.Viewer, len(list))
	for i, s := range list {
		viewers[i] = s.viewer()
	}
	return v.Guilds.WhoSees(ctx, guild, at, viewers)
}

// defaultThreshold is the member count above which GUILD_CREATE leaves out the member list.
const defaultThreshold = 50

// GuildCreate returns the GUILD_CREATE event for a session. If the guild cannot be read, it returns GUILD_DELETE with
// "unavailable" instead: the session gets exactly one event, so that other nodes can count it. threshold is the
// client's large_threshold, nil for the default.
func (v *View) GuildCreate(ctx context.Context, s *Session, guild snowflake.Guild, threshold *int) socket.Frame {
	most := defaultThreshold
	if threshold != nil {
		most = min(max(*threshold, defaultThreshold), 250)
	}
	text, err := v.guild(ctx, s, guild, most)
	if err != nil {
		v.Log.ErrorContext(ctx, "guild not shown", "guild", guild.String(), "err", err)
		return socket.NewFrame("GUILD_DELETE", []byte(`{"id":"`+guild.String()+`","unavailable":true}`))
	}
	return socket.NewFrame("GUILD_CREATE", text)
}

// GuildDelete returns the GUILD_DELETE event for a session that is no longer in a guild.
func GuildDelete(guild snowflake.Guild) socket.Frame {
	return socket.NewFrame("GUILD_DELETE", []byte(`{"id":"`+guild.String()+`"}`))
}

// fullGuild is a guild with what only sessions know.
type fullGuild struct {
	wire.FullGuild

	Presences   []presence.Wire   `json:"presences"`
	VoiceStates []wire.VoiceState `json:"voice_states"`
}

// Guild returns a guild as JSON for one of its members.
func (v *View) Guild(ctx context.Context, s *Session, id snowflake.Guild) ([]byte, error) {
	return v.guild(ctx, s, id, defaultThreshold)
}

// guild returns a guild as JSON. It contains the whole member list if the session has the intent GUILD_PRESENCES and
// the guild has at most max members; otherwise only the session's own member.
func (v *View) guild(ctx context.Context, s *Session, id snowflake.Guild, most int) ([]byte, error) {
	guilds := v.Guilds
	guild, err := guilds.State(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("guild %v: %w", id, err)
	}
	channels, err := guilds.ShownChannels(ctx, id, func(snowflake.Channel) bool { return true })
	if err != nil {
		return nil, err
	}
	threads, err := guilds.Threads(ctx, id, s.viewer())
	if err != nil {
		return nil, err
	}
	count, err := guilds.MemberCount(ctx, id)
	if err != nil {
		return nil, err
	}
	scheduled, err := guilds.OpenEvents(ctx, id, s.viewer())
	if err != nil {
		return nil, err
	}
	self, err := guilds.MemberWithUser(ctx, id, s.User)
	if err != nil {
		return nil, fmt.Errorf("member of guild %v: %w", id, err)
	}
	members := []wire.Member{self}
	presences := []presence.Wire{}
	if s.Intents&events.GuildPresences != 0 {
		if count <= most {
			if members, err = guilds.MembersWithUsers(ctx, id, 0, most); err != nil {
				return nil, err
			}
		}
		presences = v.Presences(members)
	}
	full := convert.WireFullGuild(
		convert.WireGuild(guild.Guild, guild.Roles, guild.Emojis, nil), channels, threads, members, self.JoinedAt, count, count > most,
	)
	full.Events = convert.WireScheduledEvents(scheduled)
	return json.Marshal(fullGuild{
		FullGuild: full, Presences: presences, VoiceStates: v.Voices(id),
	})
}
