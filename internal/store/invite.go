package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// GuildInvite is an invite to a guild.
type GuildInvite struct {
	Code        string                `json:"code"`
	Guild       snowflake.Guild       `json:"guild"`
	Channel     snowflake.Channel     `json:"channel"`
	Inviter     snowflake.User        `json:"inviter,omitzero"` // 0: none
	Created     time.Time             `json:"created"`
	Expires     time.Time             `json:"expires,omitzero"` // zero: never
	MaxAge      int                   `json:"max_age,omitzero"` // seconds; 0: for ever
	MaxUses     int                   `json:"max_uses,omitzero"`
	Uses        int                   `json:"uses,omitzero"`
	Temporary   bool                  `json:"temporary,omitzero"`
	TargetType  int                   `json:"target_type,omitzero"`
	TargetUser  snowflake.User        `json:"target_user,omitzero"`
	Application snowflake.Application `json:"application,omitzero"` // the target of type 2
	Roles       []snowflake.Role      `json:"roles,omitzero"`       // that a user gets who joins by it
}

func (i GuildInvite) subjects() []Subject {
	return []Subject{GuildInviteSubject(i.Code), GuildInvitesSubject(i.Guild)}
}

func (i GuildInvite) write(w *writes) {
	w.put(guildInvitesTable, i.Code, key(i.Guild), key(i.Channel), microsOrNull(i.Expires), w.doc(i))
}

// GuildInviteKey names an invite to a guild.
func GuildInviteKey(i GuildInvite) Key {
	return Key{
		subs: []Subject{GuildInvitesSubject(i.Guild)}, ends: []Subject{GuildInviteSubject(i.Code)},
		rows: []rowKey{{guildInvitesTable, []string{"code"}, []any{i.Code}}},
	}
}

// InviteQueries reads the invites to guilds.
type InviteQueries struct{ *reader }

// Invite returns an invite.
func (q InviteQueries) Invite(code string) (GuildInvite, error) {
	q.read(GuildInviteSubject(code))
	return find[GuildInvite](q.reader, guildInvitesTable, code)
}

// OfGuild returns the invites to a guild, ordered by code.
func (q InviteQueries) OfGuild(guild snowflake.Guild) ([]GuildInvite, error) {
	q.read(GuildInvitesSubject(guild))
	return list[GuildInvite](q.reader, guildInvitesTable, page{}, []string{"guild_id"}, key(guild))
}

// OfChannel returns the invites to a channel, ordered by code. A decision does not depend on the result.
func (q InviteQueries) OfChannel(channel snowflake.Channel) ([]GuildInvite, error) {
	return list[GuildInvite](q.reader, guildInvitesTable, page{}, []string{"channel_id"}, key(channel))
}

// Expired returns the codes of up to limit invites that expire at a time or before.
func (q InviteQueries) Expired(before time.Time, limit int) ([]string, error) {
	var codes []string
	const query = "SELECT code FROM invites WHERE expires <= ? ORDER BY expires LIMIT ?"
	err := q.q.Query(query, []any{micros(before), int64(max(limit, 0))}, func(row Row) error {
		codes = append(codes, row.text(0))
		return nil
	})
	return codes, err
}

// NextExpiry returns when the next invite expires, zero if none does.
func (q InviteQueries) NextExpiry() (next time.Time, err error) {
	err = q.q.Query("SELECT expires FROM invites WHERE expires IS NOT NULL ORDER BY expires LIMIT 1", nil, func(row Row) error {
		next = fromMicros(row.int(0))
		return nil
	})
	return next, err
}
