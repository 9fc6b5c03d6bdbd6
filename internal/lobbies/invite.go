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

// ErrUnknownInvite says that there is no such invite, that it has been used, or that it is for somebody else.
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
	_, err = s.update(ctx, app, id, func(u *unit, base *State) (change, error) {
		c := change{next: base.Lobby.Lobby}
		switch {
		case base.Member(user) == nil:
			return c, absent
		case base.Channel == 0:
			return c, directory.ErrUnknownChannel
		}
		if _, err := channelOf(u, base.Channel); err != nil {
			return c, err
		}
		return c, u.PutInvite(store.Invite{
			Hash: hashCode(code), Lobby: id, Application: app, Channel: base.Channel, User: user, Expires: s.now().Add(InviteLife),
		})
	})
	if err == nil {
		s.kept(InviteLife)
	}
	return code, err
}

func hashCode(code string) store.SecretHash { return sha256.Sum256([]byte(code)) }

// newCode returns a code that cannot be guessed.
func newCode() string { return rand.Text()[:16] } // 80 bits

// Accept makes a user whom an invite is for a member of the guild it leads to.
func (s *Lobbies) Accept(ctx context.Context, user snowflake.User, code string) (Invite, error) {
	accepted := Invite{Code: code}
	err := s.Directory.Welcome(ctx, user, func(tx store.Tx) (snowflake.Guild, error) {
		hash := hashCode(code)
		i, err := tx.Invite(hash)
		if errors.Is(err, store.ErrNotFound) || err == nil && (i.User != user || !s.now().Before(i.Expires)) {
			return 0, ErrUnknownInvite
		}
		if err != nil {
			return 0, err
		}
		if _, err := tx.DeleteInvite(hash); err != nil {
			return 0, err
		}
		accepted.Expires = i.Expires
		accepted.Channel, err = tx.Channel(i.Channel)
		if errors.Is(err, store.ErrNotFound) {
			return 0, ErrUnknownInvite
		}
		return accepted.Channel.Guild, err
	})
	return accepted, err
}
