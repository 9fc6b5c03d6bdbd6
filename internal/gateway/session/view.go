package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// View is what sessions see of guilds. All fields are required.
type View struct {
	Directory *directory.Directory
	Log       *slog.Logger
}

// Sees reports whether whose session it is sees a channel of a guild now.
func (v *View) Sees(ctx context.Context, s *Session, guild snowflake.Guild, channel snowflake.Channel) (bool, error) {
	stay, err := v.Directory.Enter(ctx, guild, s.visitor())
	if errors.Is(err, directory.ErrUnknownGuild) {
		return false, nil
	}
	return err == nil && stay.Sees(channel), err
}

// usualThreshold is from how many members on a guild is shown without them.
const usualThreshold = 50

// Introduce writes the event with all about a guild that a session comes into, or where that cannot be read one that says so: a
// session hears one event, so that other nodes know how many it has heard. From threshold members on they are left out; nil: as
// usual.
func (v *View) Introduce(ctx context.Context, s *Session, guild snowflake.Guild, threshold *int) socket.Frame {
	most := usualThreshold
	if threshold != nil {
		most = min(max(*threshold, usualThreshold), 250)
	}
	text, err := v.guild(ctx, s, guild, most)
	if err != nil {
		v.Log.ErrorContext(ctx, "guild not shown", "guild", guild.String(), "err", err)
		return socket.NewFrame("GUILD_DELETE", []byte(`{"id":"`+guild.String()+`","unavailable":true}`))
	}
	return socket.NewFrame("GUILD_CREATE", text)
}

// Farewell writes the event that ends what a session hears of a guild.
func Farewell(guild snowflake.Guild) socket.Frame {
	return socket.NewFrame("GUILD_DELETE", []byte(`{"id":"`+guild.String()+`"}`))
}

// guildPresences is the intent of bots that want to know who is there.
const guildPresences = 1 << 8

// Guild writes all about a guild for one of its members.
func (v *View) Guild(ctx context.Context, s *Session, id snowflake.Guild) ([]byte, error) {
	return v.guild(ctx, s, id, usualThreshold)
}

// guild writes all about a guild for one of its members. Bots that want to know who is there see the others too, where there
// are not more than most.
func (v *View) guild(ctx context.Context, s *Session, id snowflake.Guild, most int) ([]byte, error) {
	d := v.Directory
	guild, err := d.Guild(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("guild %v: %w", id, err)
	}
	channels, err := d.Channels(ctx, id)
	if err != nil {
		return nil, err
	}
	count, err := d.MemberCount(ctx, id)
	if err != nil {
		return nil, err
	}
	self, err := d.Resident(ctx, id, s.User)
	if err != nil {
		return nil, fmt.Errorf("member of guild %v: %w", id, err)
	}
	members := []directory.Resident{self}
	if s.Intents&guildPresences != 0 && count <= most {
		if members, err = d.Residents(ctx, id, 0, most); err != nil {
			return nil, err
		}
	}
	return json.Marshal(wire.FullGuildOf(guild, channels, members, self.JoinedAt, count, count > most))
}
