// Package invites keeps the invites to guilds: bots and members create, list and delete them, and users join a guild with the code
// of one. Invites of lobbies belong to package lobbies.
package invites

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// MaxPerGuild is the largest number of invites to a guild.
const MaxPerGuild = 1000

// Config contains the dependencies of Invites. All fields but Codes are required.
type Config struct {
	Store     store.Store
	Clock     clock.Clock
	Directory *directory.Directory
	Log       *slog.Logger
	Codes     func() string // returns new codes; nil: random ones
}

// Invites keeps the invites to guilds. It is safe for concurrent use.
type Invites struct {
	Config
	*clock.Sweeper // deletes invites that expire
}

// New returns the service. It must be called before the first commit.
func New(c Config) *Invites {
	s := &Invites{Config: c}
	s.Sweeper = clock.NewSweeper(c.Clock, c.Log, "invites", s.deleteExpired)
	if s.Codes == nil {
		s.Codes = newCode
	}
	c.Store.Subscribe(s.committed)
	return s
}

// now returns the time with the precision of the store.
func (s *Invites) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Millisecond) }

const (
	codeLength  = 8
	codeLetters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
)

// newCode returns a random code.
func newCode() string {
	random := make([]byte, codeLength)
	_, _ = rand.Read(random) // it never returns an error
	for i, b := range random {
		random[i] = codeLetters[int(b)%len(codeLetters)]
	}
	return string(random)
}

// live returns an invite that can be used. The error is apierror.UnknownInvite for another one.
func (s *Invites) live(r store.Reader, code string) (store.GuildInvite, error) {
	i, err := r.Invites.Invite(code)
	if errors.Is(err, store.ErrNotFound) || err == nil && s.expired(&i) {
		return i, apierror.UnknownInvite
	}
	return i, err
}

func (s *Invites) expired(i *store.GuildInvite) bool {
	return !i.Expires.IsZero() && !i.Expires.After(s.Clock.Now())
}

// Get returns an invite.
func (s *Invites) Get(ctx context.Context, code string) (shown wire.Invite, err error) {
	err = s.Store.Read(ctx, func(r store.Reader) error {
		i, err := s.live(r, code)
		if err != nil {
			return err
		}
		shown, err = show(r, &i, false)
		return err
	})
	return shown, err
}

// show returns the API object of an invite. metadata adds how often it was and can be used.
func show(r store.Reader, i *store.GuildInvite, metadata bool) (wire.Invite, error) {
	g, err := r.Directory.Guild(i.Guild)
	if err != nil {
		return wire.Invite{}, gone(err)
	}
	c, err := r.Directory.Channel(i.Channel)
	if err != nil {
		return wire.Invite{}, gone(err)
	}
	shown := convert.WireInvite(i.Code, i.Expires, g, c)
	if shown.Inviter, err = user(r, i.Inviter); err != nil {
		return shown, err
	}
	if shown.TargetUser, err = user(r, i.TargetUser); err != nil {
		return shown, err
	}
	shown.TargetType = i.TargetType
	if i.Application != 0 {
		app, err := r.Directory.Application(i.Application)
		if err != nil {
			return shown, gone(err)
		}
		shown.TargetApplication = new(convert.WireApplication(&app, false))
	}
	for _, id := range i.Roles {
		role, err := r.Directory.Role(i.Guild, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return shown, err
		}
		shown.Roles = append(shown.Roles, convert.WireInviteRole(role))
	}
	if metadata {
		shown.InviteMetadata = &wire.InviteMetadata{
			Uses: i.Uses, MaxUses: i.MaxUses, MaxAge: i.MaxAge, Temporary: i.Temporary, CreatedAt: wire.Time(i.Created),
		}
	}
	return shown, nil
}

// gone replaces store.ErrNotFound: an invite ends with its guild and its channel.
func gone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return apierror.UnknownInvite
	}
	return err
}

// user returns the API object of a user, nil for none.
func user(r store.Reader, id snowflake.User) (*wire.User, error) {
	if id == 0 {
		return nil, nil
	}
	u, err := directory.ReadUser(r, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return new(convert.WireUser(u)), nil
}

// OfChannel returns the invites to a channel, for members who can manage it.
func (s *Invites) OfChannel(ctx context.Context, viewer directory.Viewer, id snowflake.Channel) ([]wire.Invite, error) {
	p, err := s.Directory.Channels.Enter(ctx, id, viewer)
	if err != nil {
		return nil, err
	}
	if err := p.Allow(permission.OpListChannelInvites, false); err != nil {
		return nil, err
	}
	return s.list(ctx, true, func(r store.Reader) ([]store.GuildInvite, error) { return r.Invites.OfChannel(id) })
}

// OfGuild returns the invites to a guild. Members who can manage the guild also see how often they were used.
func (s *Invites) OfGuild(ctx context.Context, viewer directory.Viewer, id snowflake.Guild) ([]wire.Invite, error) {
	if err := s.Directory.Guilds.Allow(ctx, id, viewer, permission.OpListGuildInvites); err != nil {
		return nil, err
	}
	v, err := s.Directory.Guilds.View(ctx, id, viewer)
	if err != nil {
		return nil, err
	}
	metadata := v.Member.Permissions().Has(permission.ManageGuild)
	return s.list(ctx, metadata, func(r store.Reader) ([]store.GuildInvite, error) { return r.Invites.OfGuild(id) })
}

// list returns the API objects of invites that can be used.
func (s *Invites) list(
	ctx context.Context, metadata bool, read func(store.Reader) ([]store.GuildInvite, error),
) (list []wire.Invite, err error) {
	err = s.Store.Read(ctx, func(r store.Reader) error {
		found, err := read(r)
		list = make([]wire.Invite, 0, len(found))
		for i := range found {
			if s.expired(&found[i]) {
				continue
			}
			shown, err := show(r, &found[i], metadata)
			if errors.Is(err, apierror.UnknownInvite) {
				continue
			}
			if err != nil {
				return err
			}
			list = append(list, shown)
		}
		return err
	})
	return list, err
}
