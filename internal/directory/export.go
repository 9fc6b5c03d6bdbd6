package directory

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Export returns a snapshot of the directory as a world, ordered by ids. It leaves out tokens, secrets and
// direct-message channels.
func (d *Directory) Export(ctx context.Context) (world.World, error) {
	return view(ctx, d.shared, ErrUnknownGuild, func(r store.Reader) (world.World, error) { return readWorld(r.Directory) })
}

func readWorld(r store.DirectoryQueries) (world.World, error) {
	var w world.World
	gone, err := readTombstones(r)
	if err != nil {
		return w, err
	}
	err = EachPage(r.Users, func(u store.User) (snowflake.User, error) {
		if u.Provisional != 0 {
			return u.ID, nil // the players of an application sign in again
		}
		w.Users = append(w.Users, convert.WorldUser(u))
		installs, err := r.UserInstalls(u.ID)
		for _, i := range slices.DeleteFunc(installs, gone.install) {
			w.UserInstalls = append(w.UserInstalls, convert.WorldUserInstall(i))
		}
		return u.ID, err
	})
	if err != nil {
		return w, err
	}
	err = EachPage(r.Applications, func(a store.Application) (snowflake.Application, error) {
		w.Applications = append(w.Applications, convert.WorldApplication(a))
		return a.ID, nil
	})
	if err != nil {
		return w, err
	}
	err = EachPage(r.Guilds, func(g store.Guild) (snowflake.Guild, error) {
		guild, err := readWorldGuild(r, gone, g)
		w.Guilds = append(w.Guilds, guild)
		return g.ID, err
	})
	return w, err
}

func readWorldGuild(r store.DirectoryQueries, gone tombstones, record store.Guild) (world.Guild, error) {
	g := convert.WorldGuild(record)
	roles, err := r.Roles(g.ID)
	if err != nil {
		return g, err
	}
	for _, role := range roles {
		g.Roles = append(g.Roles, convert.WorldRole(role))
	}
	channels, err := r.Channels(g.ID)
	if err != nil {
		return g, err
	}
	for _, c := range channels {
		g.Channels = append(g.Channels, convert.WorldChannel(c))
	}
	installs, err := r.GuildInstalls(g.ID)
	if err != nil {
		return g, err
	}
	for _, i := range slices.DeleteFunc(installs, gone.install) {
		g.Installs = append(g.Installs, convert.WorldGuildInstall(i))
	}
	members := func(after snowflake.User, limit int) ([]store.Member, error) { return r.Members(g.ID, after, limit) }
	err = EachPage(members, func(m store.Member) (snowflake.User, error) {
		if !gone.member(m) {
			g.Members = append(g.Members, convert.WorldMember(gone.withoutRoles(m)))
		}
		return m.User, nil
	})
	return g, err
}

// EachPage reads a list page by page and calls each with every record. each returns the key of the record.
func EachPage[K, R any](page func(after K, limit int) ([]R, error), each func(R) (K, error)) error {
	var after K
	for {
		records, err := page(after, MaxPage)
		if err != nil {
			return err
		}
		for _, r := range records {
			if after, err = each(r); err != nil {
				return err
			}
		}
		if len(records) < MaxPage {
			return nil
		}
	}
}
