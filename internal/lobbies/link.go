package lobbies

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
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
	ChannelTaken      jsonbody.Code = "LOBBY_CHANNEL_ALREADY_LINKED"
	ChannelRestricted jsonbody.Code = "LOBBY_CHANNEL_AGE_RESTRICTED"
)

// toLink is what a member has to be able to do in a channel to link a lobby with it.
const toLink = permission.ManageChannels | permission.ViewChannel | permission.SendMessages

// Link links a lobby with the channel that body names, in place of the one it was linked with, or unlinks it. The member
// who asks for it needs the flag to do so.
func (s *Lobbies) Link(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body jsonbody.Value,
) (*State, error) {
	channel, err := lobby.ReadLink(body)
	if err != nil {
		return nil, err
	}
	var next *State
	err = s.Cache.Decide(context.WithoutCancel(ctx), s.on(app, id, &next, func(ctx context.Context, base *State) (change, error) {
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
			if err := s.mayLink(ctx, base, channel, user); err != nil {
				return c, err
			}
		}
		c.next.Channel, c.next.IdleSince = channel, s.now()
		return c, nil
	}))
	if errors.Is(err, store.ErrConflict) { // another lobby was linked with the channel at the same time
		var t jsonbody.Tree
		addTaken(&t)
		err = t.Err()
	}
	if err != nil {
		return nil, err
	}
	return next, nil
}

// mayLink checks that a member may link a lobby with a channel.
func (s *Lobbies) mayLink(ctx context.Context, base *State, id snowflake.Channel, user snowflake.User) error {
	if base.Secret {
		return ErrMayNotLink
	}
	c, err := s.Directory.Channel(ctx, id)
	if err != nil {
		return err
	}
	if c.Guild == 0 || c.Type != world.TextChannel {
		return ErrChannelType
	}
	m, err := s.Directory.Member(ctx, c.Guild, user)
	if errors.Is(err, directory.ErrUnknownMember) {
		return ErrMayNotLink
	}
	if err != nil {
		return err
	}
	place, err := s.Directory.Place(ctx, c.Guild)
	if errors.Is(err, directory.ErrUnknownGuild) {
		return directory.ErrUnknownChannel // it is being deleted with its guild
	}
	if err != nil {
		return err
	}
	in := place.Channel(id)
	if in == nil {
		return directory.ErrUnknownChannel
	}
	if !place.Member(m, s.now()).In(in.Channel).Has(toLink) {
		return ErrMayNotLink
	}
	return s.free(ctx, base.ID, c)
}

// free checks that a channel can be linked with a lobby: it is not linked with another, and it is not age-restricted.
func (s *Lobbies) free(ctx context.Context, id snowflake.Lobby, c store.Channel) error {
	var t jsonbody.Tree
	if c.NSFW {
		t.At("channel_id").Add(ChannelRestricted, "Age-restricted channels cannot be linked with a lobby.")
	}
	var other snowflake.Lobby
	err := s.db.Read(ctx, func(r store.Reader) (err error) {
		other, err = r.Lobbies.Linked(c.ID)
		return except(err, store.ErrNotFound)
	})
	if err != nil {
		return err
	}
	if other != 0 && other != id {
		addTaken(&t)
	}
	return t.Err()
}

func addTaken(t *jsonbody.Tree) {
	t.At("channel_id").Add(ChannelTaken, "This channel is linked with another lobby.")
}

// unlinkLost unlinks a lobby whose channel is gone. It is idle from then on.
func (s *Lobbies) unlinkLost(ctx context.Context, l *lobby.Lobby, now time.Time) error {
	if l.Channel == 0 {
		return nil
	}
	_, err := s.Directory.Channel(ctx, l.Channel)
	if errors.Is(err, directory.ErrUnknownChannel) {
		l.Channel, l.IdleSince = 0, now
		return nil
	}
	return err
}
