package lobbies

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Errors of linking a lobby.
var (
	// ErrMayNotLink means that the member may not link the lobby, or that the lobby cannot be linked.
	ErrMayNotLink = errors.New("may not link the lobby")
	// ErrChannelType means that the channel is not a text channel of a guild.
	ErrChannelType = errors.New("not a text channel of a guild")
)

// Findings about the channel.
const (
	ChannelTaken      jsonbody.Code = "LOBBY_CHANNEL_ALREADY_LINKED"
	ChannelRestricted jsonbody.Code = "LOBBY_CHANNEL_AGE_RESTRICTED"
)

// linkPermissions are the permissions in a channel that a member needs to link a lobby with it.
const linkPermissions = permission.ManageChannels | permission.ViewChannel | permission.SendMessages

// Links links lobbies with channels.
type Links struct{ states *states }

// Set links a lobby with the channel in body, or unlinks it. The member needs the flag CanLinkLobby.
func (s *Links) Set(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body jsonbody.Value,
) (*State, error) {
	channel, err := lobby.ReadLink(body)
	if err != nil {
		return nil, err
	}
	var next *State
	decide := func(ctx context.Context, base *State) (decision, error) {
		d := decision{next: base.Lobby.Lobby}
		m := base.Member(user)
		switch {
		case m == nil:
			return d, ErrNotMember
		case m.Flags&lobby.CanLinkLobby == 0:
			return d, ErrMayNotLink
		case channel == base.Channel:
			return d, nil
		case channel != 0:
			if err := s.check(ctx, base, channel, user); err != nil {
				return d, err
			}
		}
		d.next.Channel, d.next.IdleSince = channel, s.states.now()
		return d, nil
	}
	err = s.states.Cache.Decide(context.WithoutCancel(ctx), s.states.decider(app, id, &next, decide))
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

// check checks that a member may link a lobby with a channel.
func (s *Links) check(ctx context.Context, base *State, id snowflake.Channel, user snowflake.User) error {
	if base.Secret {
		return ErrMayNotLink
	}
	dir := s.states.Directory
	c, err := dir.Channels.Channel(ctx, id)
	if err != nil {
		return err
	}
	if c.Guild == 0 || c.Type != world.TextChannel {
		return ErrChannelType
	}
	m, err := dir.Guilds.Member(ctx, c.Guild, user)
	if errors.Is(err, directory.ErrUnknownMember) {
		return ErrMayNotLink
	}
	if err != nil {
		return err
	}
	guild, err := dir.Guilds.State(ctx, c.Guild)
	if errors.Is(err, directory.ErrUnknownGuild) {
		return directory.ErrUnknownChannel // the guild is being deleted
	}
	if err != nil {
		return err
	}
	in := guild.Channel(id)
	if in == nil {
		return directory.ErrUnknownChannel
	}
	if !guild.Member(m, s.states.now()).In(in.Channel).Has(linkPermissions) {
		return ErrMayNotLink
	}
	return s.checkFree(ctx, base.ID, c)
}

// checkFree checks that a channel is not age-restricted and not linked with another lobby.
func (s *Links) checkFree(ctx context.Context, id snowflake.Lobby, c *store.Channel) error {
	var t jsonbody.Tree
	if c.NSFW {
		t.At("channel_id").Add(ChannelRestricted, "Age-restricted channels cannot be linked with a lobby.")
	}
	var other snowflake.Lobby
	err := s.states.db.Read(ctx, func(r store.Reader) (err error) {
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

// unlinkDeleted unlinks a lobby whose channel was deleted. Its idle time starts now.
func (s *Links) unlinkDeleted(ctx context.Context, l *lobby.Lobby, now time.Time) error {
	if l.Channel == 0 {
		return nil
	}
	_, err := s.states.Directory.Channels.Channel(ctx, l.Channel)
	if errors.Is(err, directory.ErrUnknownChannel) {
		l.Channel, l.IdleSince = 0, now
		return nil
	}
	return err
}
