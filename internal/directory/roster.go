package directory

import (
	"context"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Resident is a member of a guild with the user that it is.
type Resident struct {
	store.Member

	Who *User
}

// Resident returns a member of a guild.
func (d *Directory) Resident(ctx context.Context, guild snowflake.Guild, user snowflake.User) (Resident, error) {
	return view(ctx, d, ErrUnknownMember, func(r store.Reader) (Resident, error) {
		gone, err := ReadTombstones(r.Directory)
		if err != nil {
			return Resident{}, err
		}
		m, err := r.Directory.Member(guild, user)
		if err == nil && gone.Member(m) {
			err = store.ErrNotFound
		}
		if err != nil {
			return Resident{}, err
		}
		return ReadResident(r, gone.Roles(m))
	})
}

// ReadResident returns a member with the user that it is, in a snapshot.
func ReadResident(r store.Reader, m store.Member) (Resident, error) {
	u, err := ReadUser(r, m.User)
	return Resident{m, u}, err
}

// Residents returns a page of a guild's members.
func (d *Directory) Residents(
	ctx context.Context, guild snowflake.Guild, after snowflake.User, limit int,
) ([]Resident, error) {
	return inGuild(ctx, d, guild, func(r store.Reader, gone Tombstones) ([]Resident, error) {
		members, err := readMembers(r, gone, guild, after, limit)
		if err != nil {
			return nil, err
		}
		page := make([]Resident, len(members))
		for i, m := range members {
			if page[i], err = ReadResident(r, m); err != nil {
				return nil, err
			}
		}
		return page, nil
	})
}

// Search returns the first members of a guild, at most limit, whose username, display name or nick begins with a text,
// in letters of any case. It goes through the guild page by page: a long search does not stand at one moment.
func (d *Directory) Search(ctx context.Context, guild snowflake.Guild, text string, limit int) ([]Resident, error) {
	text = strings.ToLower(text)
	var found []Resident
	for after := snowflake.User(0); ; {
		page, err := d.Residents(ctx, guild, after, MaxPage)
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if !m.calledLike(text) {
				continue
			}
			if found = append(found, m); len(found) >= limit {
				return found, nil
			}
		}
		if len(page) < MaxPage {
			return found, nil
		}
		after = page[len(page)-1].User
	}
}

func (m *Resident) calledLike(lower string) bool {
	for _, name := range []string{m.Who.Username, m.Who.GlobalName, m.Nick} {
		if name != "" && strings.HasPrefix(strings.ToLower(name), lower) {
			return true
		}
	}
	return false
}

// MemberCount returns how many members a guild has.
func (d *Directory) MemberCount(ctx context.Context, guild snowflake.Guild) (int, error) {
	return view(ctx, d, ErrUnknownGuild, func(r store.Reader) (int, error) {
		gone, err := ReadTombstones(r.Directory)
		if err != nil || gone.Guild(guild) {
			return 0, err
		}
		n, err := r.Directory.MemberCount(guild)
		for t := range gone {
			if t.Kind != store.KindUser && t.Kind != store.KindApplication || err != nil {
				continue
			}
			var is bool
			if is, err = found(r.Directory.Member(guild, snowflake.User(t.ID))); is {
				n--
			}
		}
		return n, err
	})
}

// InstallCount returns in how many guilds and with how many users an application is installed.
func (d *Directory) InstallCount(ctx context.Context, app snowflake.Application) (guilds, users int, err error) {
	counts, err := view(ctx, d, ErrUnknownApplication, func(r store.Reader) (n [2]int, err error) {
		gone, err := ReadTombstones(r.Directory)
		if err != nil || gone.Application(app) {
			return n, err
		}
		n[0], n[1], err = r.Directory.InstallCount(app)
		for t := range gone {
			if err != nil {
				break
			}
			var is bool
			switch t.Kind { //nolint:exhaustive // nothing else has installs
			case store.KindGuild:
				if is, err = found(r.Directory.GuildInstall(snowflake.Guild(t.ID), app)); is {
					n[0]--
				}
			case store.KindUser:
				if is, err = found(r.Directory.UserInstall(snowflake.User(t.ID), app)); is {
					n[1]--
				}
			}
		}
		return n, err
	})
	return counts[0], counts[1], err
}

// found reports whether a read found its record.
func found[T any](_ T, err error) (bool, error) {
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
