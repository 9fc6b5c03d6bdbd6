package gateway

import (
	"context"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// maxSoundGuilds is the number of guilds in a request for sounds. It ignores the others.
const maxSoundGuilds = 100

// sendSounds handles Request Soundboard Sounds (op 31): each guild of the session has an empty list, so that clients do not wait.
func (k *conn) sendSounds(ctx context.Context, s *session.Session, p *payload) error {
	var want struct {
		Guilds []snowflake.Guild `json:"guild_ids"`
	}
	if err := p.read(&want); err != nil {
		return err
	}
	return k.gateway.node.SendPrivate(ctx, s, func() error {
		for _, guild := range want.Guilds[:min(len(want.Guilds), maxSoundGuilds)] {
			err := k.sendEmpty(s, guild, "SOUNDBOARD_SOUNDS", struct {
				Guild  snowflake.Guild `json:"guild_id"`
				Sounds []struct{}      `json:"soundboard_sounds"`
			}{guild, []struct{}{}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// sendChannelInfo handles Request Channel Info (op 43). No channel has a voice status, so the list is empty.
func (k *conn) sendChannelInfo(ctx context.Context, s *session.Session, p *payload) error {
	var want struct {
		Guild snowflake.Guild `json:"guild_id"`
	}
	if err := p.read(&want); err != nil {
		return err
	}
	return k.gateway.node.SendPrivate(ctx, s, func() error {
		return k.sendEmpty(s, want.Guild, "CHANNEL_INFO", struct {
			Guild    snowflake.Guild `json:"guild_id"`
			Channels []struct{}      `json:"channels"`
		}{want.Guild, []struct{}{}})
	})
}

// sendEmpty sends an event about a guild that the session is in. It ignores other guilds.
func (k *conn) sendEmpty(s *session.Session, guild snowflake.Guild, name string, data any) error {
	if !k.gateway.index.IsIn(s, guild) {
		return nil
	}
	f, err := socket.NewEvent(name, data)
	if err != nil {
		return err
	}
	s.Dispatch(f, k.gateway.bounds)
	return nil
}
