package sqlstore

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectMember      = "SELECT doc FROM members WHERE guild_id = ? AND user_id = ?"
	selectMembers     = "SELECT doc FROM members WHERE guild_id = ? AND user_id > ? ORDER BY user_id LIMIT ?"
	countMembers      = "SELECT COUNT(*) FROM members WHERE guild_id = ?"
	selectMemberships = "SELECT doc FROM members WHERE user_id = ? AND guild_id > ? ORDER BY guild_id LIMIT ?"
	selectMembersWith = "SELECT m.doc FROM member_roles r JOIN members m ON m.guild_id = r.guild_id AND m.user_id = r.user_id" +
		" WHERE r.guild_id = ? AND r.role_id = ? ORDER BY r.user_id"
	upsertMember = "INSERT INTO members (guild_id, user_id, doc) VALUES (?, ?, ?)" +
		" ON CONFLICT (guild_id, user_id) DO UPDATE SET doc = excluded.doc"
	deleteMember      = "DELETE FROM members WHERE guild_id = ? AND user_id = ?"
	deleteMemberRoles = "DELETE FROM member_roles WHERE guild_id = ? AND user_id = ?"

	selectInstall         = "SELECT doc FROM installs WHERE guild_id = ? AND user_id = ? AND application_id = ?"
	selectInstalls        = "SELECT doc FROM installs WHERE guild_id = ? AND user_id = ? ORDER BY application_id"
	selectInstalledGuilds = "SELECT doc FROM installs WHERE application_id = ? AND guild_id > ? ORDER BY guild_id LIMIT ?"
	countInstalls         = "SELECT COUNT(NULLIF(guild_id, 0)), COUNT(*) FROM installs WHERE application_id = ?"
	upsertInstall         = "INSERT INTO installs (guild_id, user_id, application_id, doc) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (guild_id, user_id, application_id) DO UPDATE SET doc = excluded.doc"
	deleteInstall = "DELETE FROM installs WHERE guild_id = ? AND user_id = ? AND application_id = ?"
)

var insertMemberRoles = newMulti("INSERT INTO member_roles (guild_id, user_id, role_id) VALUES ", "(?, ?, ?)",
	" ON CONFLICT (guild_id, user_id, role_id) DO NOTHING")

// Member returns a user in a guild.
func (t *Tx) Member(guild snowflake.Guild, user snowflake.User) (store.Member, error) {
	return find[store.Member](t, selectMember, key(guild), key(user))
}

// Members returns a page of a guild's members.
func (t *Tx) Members(guild snowflake.Guild, after snowflake.User, limit int) ([]store.Member, error) {
	return page[store.Member](t, limit, selectMembers, key(guild), key(after))
}

// MemberCount returns how many members a guild has.
func (t *Tx) MemberCount(guild snowflake.Guild) (n int, err error) {
	err = t.query(countMembers, func(r Row) error {
		n = int(r.int(0))
		return nil
	}, key(guild))
	return n, err
}

// Memberships returns a page of a user's memberships.
func (t *Tx) Memberships(user snowflake.User, after snowflake.Guild, limit int) ([]store.Member, error) {
	return page[store.Member](t, limit, selectMemberships, key(user), key(after))
}

// PutMember stores a member.
func (t *Tx) PutMember(m store.Member) error {
	guild, user := any(key(m.Guild)), any(key(m.User))
	if err := t.do(deleteMemberRoles, guild, user); err != nil {
		return err
	}
	args := make([]any, 0, 3*len(m.Roles))
	for _, role := range m.Roles {
		args = append(args, guild, user, key(role))
	}
	if err := insertMemberRoles.all(t, args); err != nil {
		return err
	}
	return t.put(upsertMember, m, guild, user)
}

// DeleteMember removes a member.
func (t *Tx) DeleteMember(guild snowflake.Guild, user snowflake.User) error {
	return t.execEach([]string{deleteMember, deleteMemberRoles}, key(guild), key(user))
}

// GuildInstall returns an application's install in a guild.
func (t *Tx) GuildInstall(guild snowflake.Guild, app snowflake.Application) (store.Install, error) {
	return find[store.Install](t, selectInstall, key(guild), int64(0), key(app))
}

// UserInstall returns an application's install with a user.
func (t *Tx) UserInstall(user snowflake.User, app snowflake.Application) (store.Install, error) {
	return find[store.Install](t, selectInstall, int64(0), key(user), key(app))
}

// GuildInstalls returns what is installed in a guild.
func (t *Tx) GuildInstalls(guild snowflake.Guild) ([]store.Install, error) {
	return list[store.Install](t, selectInstalls, key(guild), int64(0))
}

// UserInstalls returns what a user has installed.
func (t *Tx) UserInstalls(user snowflake.User) ([]store.Install, error) {
	return list[store.Install](t, selectInstalls, int64(0), key(user))
}

// InstalledGuilds returns a page of the guilds in which an application is installed.
func (t *Tx) InstalledGuilds(app snowflake.Application, after snowflake.Guild, limit int) ([]store.Install, error) {
	return page[store.Install](t, limit, selectInstalledGuilds, key(app), key(after))
}

// InstallCount returns in how many guilds and with how many users an application is installed.
func (t *Tx) InstallCount(app snowflake.Application) (guilds, users int, err error) {
	err = t.query(countInstalls, func(r Row) error {
		guilds, users = int(r.int(0)), int(r.int(1)-r.int(0))
		return nil
	}, key(app))
	return guilds, users, err
}

// PutInstall stores an install.
func (t *Tx) PutInstall(i store.Install) error {
	return t.put(upsertInstall, i, key(i.Guild), key(i.User), key(i.Application))
}

// DeleteInstall removes an install.
func (t *Tx) DeleteInstall(i store.Install) error {
	return t.do(deleteInstall, key(i.Guild), key(i.User), key(i.Application))
}
