package permissions

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Spot is a person in a channel: everything about the two that decides which commands can be used there. It stands for
// one moment and is not changed.
type Spot struct {
	User    *directory.User
	Channel snowflake.Channel
	Where   *directory.Where

	// Bot is the application whose bot is the other side of a direct message; 0 elsewhere.
	Bot snowflake.Application

	// Place, Member and Rights are for guilds. Member is nil for who is none; Rights are the member's in the channel.
	Place  *directory.Place
	Member *permission.Member
	Rights permission.Bits

	roles []snowflake.Role // the member's, ascending
	here  permission.Channel
	own   []store.Install // of the user, in the order of the applications
}

// Spot returns a person in a channel. It does not ask whether the person has any business there: see Sees.
func (p *Picker) Spot(ctx context.Context, user snowflake.User, channel snowflake.Channel) (*Spot, error) {
	where, err := p.Directory.Where(ctx, channel)
	if err != nil {
		return nil, err
	}
	s := &Spot{Channel: channel, Where: where}
	if s.User, err = p.Directory.User(ctx, user); err != nil {
		return nil, err
	}
	if s.own, err = p.Directory.UserInstalls(ctx, user); err != nil {
		return nil, err
	}
	if where.Guild == 0 {
		err = p.findBot(ctx, s)
	} else {
		err = p.enter(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// findBot finds out whether a channel between two is one with a bot.
func (p *Picker) findBot(ctx context.Context, s *Spot) error {
	if s.Where.Type != int(command.DM) {
		return nil
	}
	for _, other := range s.Where.Recipients {
		if other == s.User.ID {
			continue
		}
		u, err := p.Directory.User(ctx, other)
		if errors.Is(err, directory.ErrUnknownUser) {
			continue
		}
		if err != nil {
			return err
		}
		if u.Bot {
			s.Bot = snowflake.Application(other)
		}
	}
	return nil
}

// enter finds out what the person may do in a channel of a guild.
func (p *Picker) enter(ctx context.Context, s *Spot) (err error) {
	if s.Place, err = p.Directory.Place(ctx, s.Where.Guild); err != nil {
		return err
	}
	c := s.Place.Channel(s.Channel)
	if c == nil {
		return directory.ErrUnknownChannel // gone in this very moment
	}
	s.here = c.Channel
	m, err := p.Directory.Member(ctx, s.Where.Guild, s.User.ID)
	if errors.Is(err, directory.ErrUnknownMember) {
		return nil
	}
	if err != nil {
		return err
	}
	member := s.Place.Member(m, p.Clock.Now())
	s.Member, s.roles, s.Rights = &member, m.Roles, member.In(s.here)
	return nil
}

// Sees reports whether the person takes part in the channel.
func (s *Spot) Sees() bool {
	if s.Place != nil {
		return s.Rights.Has(permission.ViewChannel)
	}
	return slices.Contains(s.Where.Recipients, s.User.ID)
}

// Context returns what kind of place the channel is for an application.
func (s *Spot) Context(app snowflake.Application) permission.Context {
	switch {
	case s.Place != nil:
		return permission.ContextGuild
	case s.Bot == app:
		return permission.ContextBotDM
	default:
		return permission.ContextPrivateChannel
	}
}

// Installed returns how an application is installed, for the guild and for the person.
func (s *Spot) Installed(app snowflake.Application) permission.Installs {
	var ways permission.Installs
	if s.Place != nil && s.Place.Installed(app) {
		ways |= permission.GuildInstall
	}
	if installedIn(s.own, app) {
		ways |= permission.UserInstall
	}
	return ways
}

func installedIn(list []store.Install, app snowflake.Application) bool {
	_, found := slices.BinarySearchFunc(list, app, func(i store.Install, app snowflake.Application) int {
		return cmp.Compare(i.Application, app)
	})
	return found
}

// adult reports whether a person is of age. Nobody is asked whether they want age-restricted commands in direct messages:
// who is of age does.
func adult(u *directory.User) bool { return !u.Minor }

// may decides whether the person can use a command of an offer here.
func (s *Spot) may(o *offer, it *item) permission.Decision {
	q := permission.Question{
		Asked: it.rule.Type, Command: it.rule, Context: s.Context(o.app.ID), Installed: o.installed,
		Adult: adult(s.User), AdultDMs: adult(s.User),
		Member: s.Member, Channel: s.here, Permissions: s.Rights,
	}
	if o.sets != nil {
		q.Overwrites, q.App = o.sets.Of(it.ID), o.sets.App
	}
	return permission.Decide(q)
}

// May decides whether the person can use a command of an application here, and why. A command that is not on offer in this
// place to anybody is registry.ErrUnknownCommand.
func (p *Picker) May(
	ctx context.Context, s *Spot, app snowflake.Application, id snowflake.Command,
) (*command.Command, permission.Decision, error) {
	o, err := p.offer(ctx, s, app)
	if err != nil {
		return nil, permission.Decision{}, err
	}
	for _, sh := range o.shelves {
		for i := range sh.items {
			if it := &sh.items[i]; it.ID == id && !o.hides(it) {
				return it.Command, s.may(&o, it), nil
			}
		}
	}
	return nil, permission.Decision{}, registry.ErrUnknownCommand
}
