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

// ErrUnknownInvite says that there is no such invite, that it was used, or that it is for another user.
var ErrUnknownInvite = errors.New("unknown invite")

// InviteLife is how long an invite can be used.
const InviteLife = time.Hour

// Invite is an invite together with where it leads.
type Invite struct {
	Code    string
	Expires time.Time
	Channel store.Channel
}

// Invite makes a code that brings a member of a lobby into the guild of the linked channel, once. absent is the error
// when the user is no member.
func (s *Lobbies) Invite(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, absent error,
) (code string, err error) {
	code = s.Codes()
	err = s.Cache.Decide(context.WithoutCancel(ctx), s.on(app, id, nil, func(ctx context.Context, base *State) (change, error) {
		c := change{next: base.Lobby.Lobby}
		switch {
		case base.Member(user) == nil:
			return c, absent
		case base.Channel == 0:
			return c, directory.ErrUnknownChannel
		}
		if _, err := s.Directory.Channel(ctx, base.Channel); err != nil {
			return c, err
		}
		c.beside = []store.Record{store.Invite{
			Hash: hashCode(code), Lobby: id, Application: app, Channel: base.Channel, User: user, Expires: s.now().Add(InviteLife),
		}}
		return c, nil
	}))
	if err == nil {
		s.kept(InviteLife)
	}
	return code, err
}

func hashCode(code string) store.SecretHash { return sha256.Sum256([]byte(code)) }

// newCode returns a code that cannot be guessed.
func newCode() string { return rand.Text()[:16] } // 80 bits

// Accept makes a user whom an invite is for a member of the guild that it leads to.
func (s *Lobbies) Accept(ctx context.Context, user snowflake.User, code string) (Invite, error) {
	var accepted Invite
	err := s.Directory.Welcome(ctx, user, func(tx *store.Tx) (snowflake.Guild, error) {
		i, err := s.invite(tx, user, hashCode(code))
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

// invite returns an invite that a user can use.
func (s *Lobbies) invite(tx *store.Tx, user snowflake.User, hash store.SecretHash) (store.Invite, error) {
	i, err := tx.Lobbies.Invite(hash)
	if errors.Is(err, store.ErrNotFound) || err == nil && (i.User != user || !s.now().Before(i.Expires)) {
		return i, ErrUnknownInvite
	}
	if err != nil {
		return i, err
	}
	revisions, err := tx.Revisions(store.LobbySubject(i.Lobby))
	if err == nil && revisions[0] == 0 {
		err = ErrUnknownInvite // the lobby is gone
	}
	return i, err
}
