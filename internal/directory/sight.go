package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrHidden says that somebody does not see what there is.
var ErrHidden = errors.New("hidden from whoever asks")

// Visitor is who looks around: a person, or an application's bot under the application's id.
type Visitor struct {
	User snowflake.User
	Bot  bool
}

// Stay is a visitor in a guild.
type Stay struct {
	Place *Place
	// Member is what the visitor may do there. A bot that is no member may do what everyone may.
	Member permission.Member
}

// Enter lets a visitor into a guild. People enter the guilds they are members of, bots also those in which their
// application is installed; others do not exist: ErrUnknownGuild.
func (d *Directory) Enter(ctx context.Context, guild snowflake.Guild, who Visitor) (Stay, error) {
	m, err := d.Member(ctx, guild, who.User)
	if errors.Is(err, ErrUnknownMember) {
		m, err = store.Member{User: who.User}, d.admit(ctx, guild, who)
	}
	if err != nil {
		return Stay{}, err
	}
	place, err := d.Place(ctx, guild)
	if err != nil {
		return Stay{}, err
	}
	return Stay{place, place.Member(m, d.Clock.Now())}, nil
}

// admit lets in who is no member.
func (d *Directory) admit(ctx context.Context, guild snowflake.Guild, who Visitor) error {
	if !who.Bot {
		return ErrUnknownGuild
	}
	_, err := d.GuildInstall(ctx, guild, snowflake.Application(who.User))
	if errors.Is(err, ErrNotInstalled) {
		return ErrUnknownGuild
	}
	return err
}

// Sees reports whether the visitor sees a channel of the guild.
func (s Stay) Sees(id snowflake.Channel) bool {
	c := s.Place.Channel(id)
	return c != nil && s.Member.In(c.Channel).Has(permission.ViewChannel)
}

// Stays returns the guilds that a visitor can enter, in the order of their ids: at most limit above after or, with before
// alone, the last ones below it.
func (d *Directory) Stays(ctx context.Context, who Visitor, after, before snowflake.Guild, limit int) ([]Stay, error) {
	ids, err := ofUser(ctx, d, who.User, func(r store.Reader, gone Tombstones) ([]snowflake.Guild, error) {
		return guildsBetween(r, gone, who, after, before, min(limit, MaxPage))
	})
	if err != nil {
		return nil, err
	}
	stays := make([]Stay, 0, len(ids))
	for _, id := range ids {
		s, err := d.Enter(ctx, id, who)
		if errors.Is(err, ErrUnknownGuild) {
			continue // left in the meantime
		}
		if err != nil {
			return nil, err
		}
		stays = append(stays, s)
	}
	return stays, nil
}

func guildsBetween(
	r store.Reader, gone Tombstones, who Visitor, after, before snowflake.Guild, limit int,
) ([]snowflake.Guild, error) {
	if before == 0 {
		return guildsAfter(r, gone, who, after, limit)
	}
	last := after == 0 // of those below before, not the first
	var ids []snowflake.Guild
	for {
		page, err := guildsAfter(r, gone, who, after, MaxPage)
		if err != nil {
			return nil, err
		}
		for _, id := range page {
			switch {
			case id >= before, !last && len(ids) == limit:
				return ids, nil
			case len(ids) == limit:
				ids = append(ids[:0], ids[1:]...)
			}
			ids = append(ids, id)
		}
		if len(page) < MaxPage {
			return ids, nil
		}
		after = page[len(page)-1]
	}
}

// guildsAfter returns a page of the guilds that a visitor can enter.
func guildsAfter(
	r store.Reader, gone Tombstones, who Visitor, after snowflake.Guild, limit int,
) ([]snowflake.Guild, error) {
	members, err := readMemberships(r, gone, who.User, after, limit)
	if err != nil {
		return nil, err
	}
	var ids []snowflake.Guild
	for _, m := range members {
		ids = append(ids, m.Guild)
	}
	if !who.Bot {
		return ids, nil
	}
	installs, err := readInstalledGuilds(r, gone, snowflake.Application(who.User), after, limit)
	if err != nil {
		return nil, err
	}
	for _, i := range installs {
		ids = append(ids, i.Guild)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), limit)], nil
}

// Sight is a channel in the eyes of a visitor.
type Sight struct {
	Channel store.Channel
	Place   *Place  // of a channel of a guild
	Others  []*User // of a channel between people: those that are not the visitor
}

// Sight returns a channel in the eyes of a visitor. There may be none, ErrUnknownChannel, or one that the visitor does
// not see: ErrHidden.
func (d *Directory) Sight(ctx context.Context, id snowflake.Channel, who Visitor) (Sight, error) {
	c, err := d.Channel(ctx, id)
	if err != nil {
		return Sight{}, err
	}
	if c.Guild == 0 {
		return d.direct(ctx, c, who.User)
	}
	stay, err := d.Enter(ctx, c.Guild, who)
	if err != nil && !errors.Is(err, ErrUnknownGuild) {
		return Sight{}, err
	}
	if err != nil || !stay.Sees(id) {
		return Sight{}, ErrHidden
	}
	return Sight{Channel: c, Place: stay.Place}, nil
}

// direct returns a direct-message channel for one of its recipients.
func (d *Directory) direct(ctx context.Context, c store.Channel, user snowflake.User) (Sight, error) {
	if !slices.Contains(c.Recipients, user) {
		return Sight{}, ErrHidden
	}
	s := Sight{Channel: c}
	for _, id := range c.Recipients {
		if id == user {
			continue
		}
		u, err := d.User(ctx, id)
		if err != nil {
			return Sight{}, err
		}
		s.Others = append(s.Others, u)
	}
	return s, nil
}
