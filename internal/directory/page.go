package directory

import (
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// page returns up to limit records, at most MaxPage, with keys above after. It leaves out those that have gone.
func page[K, R any](
	after K, limit int, read func(after K, limit int) ([]R, error), gone func(R) bool, key func(R) K,
) ([]R, error) {
	limit = min(limit, MaxPage)
	var all []R
	for {
		list, err := read(after, limit)
		if err != nil || len(list) == 0 {
			return all, err
		}
		more := len(list) == limit
		after = key(list[len(list)-1])
		all = append(all, slices.DeleteFunc(list, gone)...)
		if !more || len(all) >= limit {
			return all[:min(len(all), limit)], nil
		}
	}
}

// readMembers returns a page of a guild's members.
func readMembers(
	r store.Reader, gone Tombstones, guild snowflake.Guild, after snowflake.User, limit int,
) ([]store.Member, error) {
	list, err := page(after, limit, func(after snowflake.User, limit int) ([]store.Member, error) {
		return r.Directory.Members(guild, after, limit)
	}, gone.Member, func(m store.Member) snowflake.User { return m.User })
	return gone.Members(list), err
}

// readMemberships returns a page of a user's memberships.
func readMemberships(
	r store.Reader, gone Tombstones, user snowflake.User, after snowflake.Guild, limit int,
) ([]store.Member, error) {
	list, err := page(after, limit, func(after snowflake.Guild, limit int) ([]store.Member, error) {
		return r.Directory.Memberships(user, after, limit)
	}, gone.Member, func(m store.Member) snowflake.Guild { return m.Guild })
	return gone.Members(list), err
}

// readInstalledGuilds returns a page of where an application is installed.
func readInstalledGuilds(
	r store.Reader, gone Tombstones, app snowflake.Application, after snowflake.Guild, limit int,
) ([]store.Install, error) {
	return page(after, limit, func(after snowflake.Guild, limit int) ([]store.Install, error) {
		return r.Directory.InstalledGuilds(app, after, limit)
	}, gone.Install, func(i store.Install) snowflake.Guild { return i.Guild })
}
