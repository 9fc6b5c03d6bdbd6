package directory

import (
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// pageSize is how many records are read at once.
const pageSize = 1000

// Read returns everything as a world, in the order of the ids. Tokens and secrets are not in it, nor are direct-message
// channels, which come up by themselves.
func ReadWorld(r store.DirectoryQueries) (world.World, error) {
	var w world.World
	gone, err := ReadTombstones(r)
	if err != nil {
		return w, err
	}
	err = pages(r.Users, func(u store.User) (snowflake.User, error) {
		w.Users = append(w.Users, WorldUser(u))
		installs, err := r.UserInstalls(u.ID)
		for _, i := range slices.DeleteFunc(installs, gone.Install) {
			w.UserInstalls = append(w.UserInstalls, WorldUserInstall(i))
		}
		return u.ID, err
	})
	if err != nil {
		return w, err
	}
	err = pages(r.Applications, func(a store.Application) (snowflake.Application, error) {
		w.Applications = append(w.Applications, WorldApplication(a))
		return a.ID, nil
	})
	if err != nil {
		return w, err
	}
	err = pages(r.Guilds, func(g store.Guild) (snowflake.Guild, error) {
		guild, err := readGuild(r, gone, g)
		w.Guilds = append(w.Guilds, guild)
		return g.ID, err
	})
	return w, err
}

func readGuild(r store.DirectoryQueries, gone Tombstones, record store.Guild) (world.Guild, error) {
	g := WorldGuild(record)
	roles, err := r.Roles(g.ID)
	if err != nil {
		return g, err
	}
	for _, role := range roles {
		g.Roles = append(g.Roles, WorldRole(role))
	}
	channels, err := r.Channels(g.ID)
	if err != nil {
		return g, err
	}
	for _, c := range channels {
		g.Channels = append(g.Channels, WorldChannel(c))
	}
	installs, err := r.GuildInstalls(g.ID)
	if err != nil {
		return g, err
	}
	for _, i := range slices.DeleteFunc(installs, gone.Install) {
		g.Installs = append(g.Installs, WorldGuildInstall(i))
	}
	members := func(after snowflake.User, limit int) ([]store.Member, error) { return r.Members(g.ID, after, limit) }
	err = pages(members, func(m store.Member) (snowflake.User, error) {
		if !gone.Member(m) {
			g.Members = append(g.Members, WorldMember(gone.Roles(m)))
		}
		return m.User, nil
	})
	return g, err
}

// pages reads a list of any length. each returns the key of its record.
func pages[K, R any](page func(after K, limit int) ([]R, error), each func(R) (K, error)) error {
	var after K
	for {
		records, err := page(after, pageSize)
		if err != nil {
			return err
		}
		for _, r := range records {
			if after, err = each(r); err != nil {
				return err
			}
		}
		if len(records) < pageSize {
			return nil
		}
	}
}
