package channels

import (
	"cmp"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// recorder adds entries about channels to the audit log of a guild, for the user or bot that changes them. Channels that
// follow their category have no entries.
type recorder struct {
	tx    *directory.Tx
	guild *directory.GuildState
	by    snowflake.User
}

// record adds the entry about a channel, and one for each changed overwrite. old is nil for a new channel, and next for a
// deleted one.
func (r recorder) record(op permission.Operation, old, next *store.Channel) {
	c := cmp.Or(next, old)
	before, after := settingsOf(old), settingsOf(next)
	if changes := guild.ChannelChanges(before, after); len(changes) > 0 {
		r.add(audit.GuildEntry{Operation: op, Target: snowflake.Target(c.ID), Changes: changes})
	}
	if before == nil || after == nil {
		return // the entry shows the overwrites
	}
	for _, o := range channel.OverwriteChanges(before.Overwrites, after.Overwrites) {
		r.add(audit.GuildEntry{
			Operation: o.Operation(), Target: snowflake.Target(c.ID), Options: r.options(*cmp.Or(o.New, o.Old)),
			Changes: guild.Changes(guild.OverwriteFields, o.Old, o.New),
		})
	}
}

func (r recorder) add(e audit.GuildEntry) {
	e.Guild, e.By, e.Subject = r.guild.ID, r.by, store.GuildSubject(r.guild.ID)
	r.tx.RecordInGuild(e)
}

// options returns the options of an entry about an overwrite.
func (r recorder) options(o permission.Overwrite) map[string]string {
	name := ""
	if i := slices.IndexFunc(r.guild.Roles, func(role store.Role) bool { return role.ID == snowflake.Role(o.ID) }); i >= 0 {
		name = r.guild.Roles[i].Name
	}
	return guild.OverwriteOptions(o, name)
}

// settingsOf returns the settings of a channel, nil for none.
func settingsOf(c *store.Channel) *channel.Settings {
	if c == nil {
		return nil
	}
	return new(convert.ChannelSettings(c))
}
