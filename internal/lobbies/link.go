package lobbies

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// Why a lobby is not linked with a channel.
var (
	// ErrMayNotLink says that the member, or the lobby, may not be linked with that channel, or with any.
	ErrMayNotLink = errors.New("may not link the lobby")
	// ErrChannelType says that the channel is no text channel of a guild.
	ErrChannelType = errors.New("not a channel to link with")
)

// Findings on the channel.
const (
	ChannelTaken      problem.Code = "LOBBY_CHANNEL_ALREADY_LINKED"
	ChannelRestricted problem.Code = "LOBBY_CHANNEL_AGE_RESTRICTED"
)

// toLink is what a member has to be able to do in a channel to link a lobby with it.
const toLink = permission.ManageChannels | permission.ViewChannel | permission.SendMessages

// Link links a lobby with the channel that body names, in place of the one it was linked with, or unlinks it. The member
// who asks for it needs the flag to do so.
func (s *Lobbies) Link(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body form.Value,
) (*State, error) {
	channel, err := lobby.ReadLink(body)
	if err != nil {
		return nil, err
	}
	return s.update(ctx, app, id, func(u *unit, base *State) (change, error) {
		c := change{next: base.Lobby.Lobby}
		m := base.Member(user)
		switch {
		case m == nil:
			return c, ErrNotMember
		case m.Flags&lobby.CanLinkLobby == 0:
			return c, ErrMayNotLink
		case channel == base.Channel:
			return c, nil
		case channel != 0:
			if err := s.mayLink(u, base, channel, user); err != nil {
				return c, err
			}
		}
		c.next.Channel, c.next.IdleSince = channel, s.now()
		return c, nil
	})
}

// mayLink checks that a member may link a lobby with a channel.
func (s *Lobbies) mayLink(u *unit, base *State, id snowflake.Channel, user snowflake.User) error {
	if base.Secret {
		return ErrMayNotLink
	}
	c, err := channelOf(u, id)
	if err != nil {
		return err
	}
	if c.Guild == 0 || c.Type != world.TextChannel {
		return ErrChannelType
	}
	m, err := u.Member(c.Guild, user)
	if errors.Is(err, store.ErrNotFound) {
		return ErrMayNotLink
	}
	if err != nil {
		return err
	}
	place, err := directory.ReadPlace(u, c.Guild)
	if err != nil {
		return err
	}
	if !place.Member(m, s.now()).In(place.Channel(id).Channel).Has(toLink) {
		return ErrMayNotLink
	}
	return free(u, base.ID, c)
}

// channelOf returns a channel, or directory.ErrUnknownChannel.
func channelOf(r store.DirectoryReader, id snowflake.Channel) (store.Channel, error) {
	c, err := r.Channel(id)
	if errors.Is(err, store.ErrNotFound) {
		err = directory.ErrUnknownChannel
	}
	return c, err
}

// free checks that a channel can be linked with a lobby: it is not linked with another, and it is for everybody.
func free(r store.LobbyReader, id snowflake.Lobby, c store.Channel) error {
	var t problem.Tree
	if c.NSFW {
		t.At("channel_id").Add(ChannelRestricted, "Age-restricted channels cannot be linked with a lobby.")
	}
	other, err := r.LinkedLobby(c.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil && other != id {
		t.At("channel_id").Add(ChannelTaken, "This channel is linked with another lobby.")
	}
	return t.Err()
}

// unlinkLost unlinks a lobby whose channel is gone. It is idle from then on.
func unlinkLost(r store.DirectoryReader, l *lobby.Lobby, now time.Time) error {
	if l.Channel == 0 {
		return nil
	}
	_, err := r.Channel(l.Channel)
	if errors.Is(err, store.ErrNotFound) {
		l.Channel, l.IdleSince = 0, now
		return nil
	}
	return err
}
