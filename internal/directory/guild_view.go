package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Viewer is the user or bot that reads guilds and channels.
type Viewer struct {
	User snowflake.User // of a bot, the id of its application
	Bot  bool
}

// GuildView is a guild as a viewer sees it.
type GuildView struct {
	Guild *GuildState
	// Member holds the viewer's permissions. A bot that is no member has those of @everyone.
	Member permission.Member
}

// Sees reports whether the viewer sees a channel of the guild that is not a thread.
func (v GuildView) Sees(id snowflake.Channel) bool {
	c := v.Guild.Channel(id)
	return c != nil && v.Member.In(c.Channel).Has(permission.ViewChannel)
}

// View returns a guild as a viewer sees it. A user sees the guilds it is a member of. A bot also sees those in which
// its application is installed. For any other guild View returns ErrUnknownGuild.
func (g *Guilds) View(ctx context.Context, guild snowflake.Guild, viewer Viewer) (GuildView, error) {
	m, err := g.Member(ctx, guild, viewer.User)
	if errors.Is(err, ErrUnknownMember) && viewer.Bot {
		m = store.Member{User: viewer.User}
		_, err = g.Install(ctx, guild, snowflake.Application(viewer.User))
	}
	if errors.Is(err, ErrUnknownMember) || errors.Is(err, ErrNotInstalled) {
		return GuildView{}, ErrUnknownGuild
	}
	if err != nil {
		return GuildView{}, err
	}
	s, err := g.State(ctx, guild)
	if err != nil {
		return GuildView{}, err
	}
	return GuildView{s, s.Member(m, g.clock.Now())}, nil
}

// Visit is View for routes that tell whether a guild exists: if it does, and the viewer does not see it, the error is ErrHidden.
func (g *Guilds) Visit(ctx context.Context, guild snowflake.Guild, viewer Viewer) (GuildView, error) {
	v, err := g.View(ctx, guild, viewer)
	if errors.Is(err, ErrUnknownGuild) {
		if _, unknown := g.State(ctx, guild); unknown == nil {
			err = ErrHidden
		}
	}
	return v, err
}

// WhoSees reports for each viewer whether it has the permissions for events of a guild. It confirms what it read for all
// viewers at once.
func (g *Guilds) WhoSees(ctx context.Context, guild snowflake.Guild, at events.Sight, viewers []Viewer) ([]bool, error) {
	sees := make([]bool, len(viewers))
	err := g.cached.members.Cache.Consistent(ctx, func(ctx context.Context) error {
		for i, viewer := range viewers {
			v, err := g.View(ctx, guild, viewer)
			if err == nil {
				sees[i], err = g.has(ctx, v, at)
			}
			if err != nil && !errors.Is(err, ErrUnknownGuild) {
				return err
			}
		}
		return nil
	})
	return sees, err
}

// Visible returns the guilds that a viewer sees, ordered by id: the first limit guilds above after. When only before is
// given, it returns the last limit guilds below before.
func (g *Guilds) Visible(ctx context.Context, viewer Viewer, after, before snowflake.Guild, limit int) ([]GuildView, error) {
	ids, err := viewUser(ctx, g.shared, viewer.User, func(r store.Reader, gone Tombstones) ([]snowflake.Guild, error) {
		return visibleBetween(r, gone, viewer, after, before, min(limit, MaxPage))
	})
	if err != nil {
		return nil, err
	}
	views := make([]GuildView, 0, len(ids))
	for _, id := range ids {
		v, err := g.View(ctx, id, viewer)
		if errors.Is(err, ErrUnknownGuild) {
			continue // the viewer left in the meantime
		}
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

func visibleBetween(
	r store.Reader, gone Tombstones, viewer Viewer, after, before snowflake.Guild, limit int,
) ([]snowflake.Guild, error) {
	if before == 0 {
		return visibleAfter(r, gone, viewer, after, limit)
	}
	last := after == 0 // return the last ids below before, not the first
	var ids []snowflake.Guild
	for {
		page, err := visibleAfter(r, gone, viewer, after, MaxPage)
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

// visibleAfter returns a page of the guilds that a viewer sees.
func visibleAfter(
	r store.Reader, gone Tombstones, viewer Viewer, after snowflake.Guild, limit int,
) ([]snowflake.Guild, error) {
	members, err := readMemberships(r, gone, viewer.User, after, limit)
	if err != nil {
		return nil, err
	}
	var ids []snowflake.Guild
	for _, m := range members {
		ids = append(ids, m.Guild)
	}
	if !viewer.Bot {
		return ids, nil
	}
	installs, err := readInstalledGuilds(r, gone, snowflake.Application(viewer.User), after, limit)
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
