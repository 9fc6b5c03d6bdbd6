package lobbies

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrUnknownInvite means that an invite does not exist, was used, or is for another user.
var ErrUnknownInvite = errors.New("unknown invite")

// InviteLife is the time for which an invite can be used.
const InviteLife = time.Hour

// Invite is an invite and its channel.
type Invite struct {
	Code    string
	Expires time.Time
	Channel store.Channel
}

// Invites provides invites to the guilds of linked channels.
type Invites struct {
	states  *states
	cleaner *cleaner
}

// Create returns a code with which a member of a lobby can join the guild of the linked channel, once. It returns
// notMember if the user is not a member.
func (s *Invites) Create(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, notMember error,
) (code string, err error) {
	code = s.states.Codes()
	decide := func(ctx context.Context, base *State) (decision, error) {
		d := decision{next: base.Lobby.Lobby}
		switch {
		case base.Member(user) == nil:
			return d, notMember
		case base.Channel == 0:
			return d, directory.ErrUnknownChannel
		}
		if _, err := s.states.Directory.Channels.Channel(ctx, base.Channel); err != nil {
			return d, err
		}
		d.records = []store.Record{store.Invite{
			Hash: hashCode(code), Lobby: id, Application: app, Channel: base.Channel, User: user,
			Expires: s.states.now().Add(InviteLife),
		}}
		return d, nil
	}
	err = s.states.Cache.Decide(context.WithoutCancel(ctx), s.states.decider(app, id, nil, decide))
	if err == nil {
		s.cleaner.schedule(InviteLife)
	}
	return code, err
}

func hashCode(code string) store.SecretHash { return sha256.Sum256([]byte(code)) }

// newCode returns a code that cannot be guessed.
func newCode() string { return rand.Text()[:16] } // 80 bits

// Accept makes the user of an invite a member of its guild.
func (s *Invites) Accept(ctx context.Context, user snowflake.User, code string) (Invite, error) {
	var accepted Invite
	err := s.states.Directory.Guilds.AcceptInvite(ctx, user, func(tx *store.Tx) (snowflake.Guild, error) {
		i, err := s.find(tx.Reader, hashCode(code))
		if err == nil && i.User != user {
			err = ErrUnknownInvite
		}
		if err != nil {
			return 0, err
		}
		channel, err := tx.Directory.Channel(i.Channel)
		if errors.Is(err, store.ErrNotFound) {
			return 0, ErrUnknownInvite
		}
		tx.Delete(store.InviteKey(i.Hash))
		accepted = Invite{code, i.Expires, channel}
		return channel.Guild, err
	})
	return accepted, err
}

// Get returns an invite that can be used.
func (s *Invites) Get(ctx context.Context, code string) (Invite, error) {
	var found Invite
	err := s.states.Cache.Store().Read(ctx, func(r store.Reader) error {
		i, err := s.find(r, hashCode(code))
		if err != nil {
			return err
		}
		channel, err := r.Directory.Channel(i.Channel)
		if errors.Is(err, store.ErrNotFound) {
			return ErrUnknownInvite
		}
		found = Invite{code, i.Expires, channel}
		return err
	})
	return found, err
}

// find returns an invite that can be used.
func (s *Invites) find(r store.Reader, hash store.SecretHash) (store.Invite, error) {
	i, err := r.Lobbies.Invite(hash)
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.states.now().Before(i.Expires) {
		return i, ErrUnknownInvite
	}
	if err != nil {
		return i, err
	}
	revisions, err := r.Revisions(store.LobbySubject(i.Lobby))
	if err == nil && revisions[0] == 0 {
		err = ErrUnknownInvite // the lobby was deleted
	}
	return i, err
}
