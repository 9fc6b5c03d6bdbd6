package guild

import (
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of members.
const (
	maxNick        = 32
	maxBio         = 190
	maxRoles       = 350 // in the edit of a member
	maxNewRoles    = 250 // of a member that is added
	maxAccessToken = 10240
	maxQuery       = 100
)

// MaxGuilds is the number of guilds that a user can be in for an application to add the user to one more.
const MaxGuilds = 100

// MaxTimeout is the longest time for which a member can be timed out.
const MaxTimeout = 28 * 24 * time.Hour

// TimeoutTooLong is the code of a timeout that ends later than MaxTimeout from now.
const TimeoutTooLong jsonbody.Code = "COMMUNICATION_DISABLED_UNTIL_TOO_FAR"

// BypassesVerification is the only flag of a member that requests can set.
const BypassesVerification = 1 << 2

// Member holds the members of a guild member that requests set.
type Member struct {
	Nick         string
	Roles        []snowflake.Role
	Mute, Deaf   bool
	TimeoutUntil time.Time // zero: not timed out
	Flags        int
	Avatar       string // the hash of the image, as is Banner; empty: none
	Banner       string
	Bio          string
}

// Apply returns m with the members of p in place of its own, except the voice channel.
func (p MemberPatch) Apply(m Member) Member {
	m.Nick = p.Nick.Or(m.Nick)
	m.Roles = p.Roles.Or(m.Roles)
	m.Mute = p.Mute.Or(m.Mute)
	m.Deaf = p.Deaf.Or(m.Deaf)
	m.TimeoutUntil = p.TimeoutUntil.Or(m.TimeoutUntil)
	if flags, ok := p.Flags.Get(); ok {
		m.Flags = m.Flags&^BypassesVerification | flags
	}
	return m
}

// MemberPatch holds the members of a guild member that a request contains; the others keep their values.
type MemberPatch struct {
	Nick         optional.Value[string]            // null or empty clears it
	Roles        optional.Value[[]snowflake.Role]  // all roles; null: none
	Mute, Deaf   optional.Value[bool]              // null: false
	Channel      optional.Value[snowflake.Channel] // the voice channel; null disconnects
	TimeoutUntil optional.Value[time.Time]         // null lifts the timeout
	Flags        optional.Value[int]               // never null
}

// ReadMemberPatch reads a request to edit a member. guild is ignored in the list of roles: it is the everyone role.
func ReadMemberPatch(body jsonbody.Value, guild snowflake.Guild, now time.Time) (MemberPatch, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return MemberPatch{}, t.Err()
	}
	return MemberPatch{
		Nick:         readNick(&t, body),
		Roles:        jsonbody.ReadOptional(&t, body, "roles", readRoles(guild, maxRoles)),
		Mute:         jsonbody.ReadOptional(&t, body, "mute", jsonbody.Boolean),
		Deaf:         jsonbody.ReadOptional(&t, body, "deaf", jsonbody.Boolean),
		Channel:      jsonbody.ReadOptional(&t, body, "channel_id", jsonbody.ID[snowflake.Channel]),
		TimeoutUntil: readTimeout(&t, body, now),
		Flags:        jsonbody.ReadGiven(&t, body, "flags", readMemberFlags),
	}, t.Err()
}

func readNick(t *jsonbody.Tree, body jsonbody.Value) optional.Value[string] {
	nick := jsonbody.ReadOptional(t, body, "nick", trimmed(0, maxNick))
	if nick.Or("x") == "" {
		return optional.Null[string]()
	}
	return nick
}

// readRoles returns a reader of the ids of roles without the everyone role.
func readRoles(guild snowflake.Guild, most int) jsonbody.Reader[[]snowflake.Role] {
	return func(t *jsonbody.Tree, v jsonbody.Value) []snowflake.Role {
		list := jsonbody.IDs[snowflake.Role](0, most)(t, v)
		list = slices.DeleteFunc(list, func(id snowflake.Role) bool { return id == snowflake.Role(guild) })
		slices.Sort(list)
		return list
	}
}

func readMemberFlags(t *jsonbody.Tree, v jsonbody.Value) int {
	n, _ := jsonbody.AsInt(t, v, 0, jsonbody.MaxInteger)
	return int(n) & BypassesVerification
}

// readTimeout reads the end of a timeout. A time that has passed lifts the timeout.
func readTimeout(t *jsonbody.Tree, body jsonbody.Value, now time.Time) optional.Value[time.Time] {
	const key = "communication_disabled_until"
	v := jsonbody.ReadOptional(t, body, key, jsonbody.Time)
	until, given := v.Get()
	switch {
	case !given || t.At(key).Failed():
		return v
	case until.After(now.Add(MaxTimeout)):
		t.At(key).Add(TimeoutTooLong, "A timeout can last at most 28 days")
	case !until.After(now):
		return optional.Null[time.Time]()
	}
	return v
}

// Operations returns the operations that the edit needs.
func (p MemberPatch) Operations() []permission.Operation {
	var list []permission.Operation
	for _, row := range []struct {
		given bool
		op    permission.Operation
	}{
		{!p.Nick.IsZero(), permission.OpEditNick},
		{!p.Roles.IsZero(), permission.OpEditMemberRoles},
		{!p.Mute.IsZero(), permission.OpMuteMember},
		{!p.Deaf.IsZero(), permission.OpDeafenMember},
		{!p.Channel.IsZero() && !p.Channel.IsNull(), permission.OpMoveMember},
		{p.Channel.IsNull(), permission.OpDisconnectMember},
		{!p.TimeoutUntil.IsZero(), permission.OpTimeOutMember},
		{!p.Flags.IsZero(), permission.OpEditMemberFlags},
	} {
		if row.given {
			list = append(list, row.op)
		}
	}
	return list
}

// RoleDifference returns the roles that a member gets and loses. Only these are checked for rank.
func RoleDifference(old, next []snowflake.Role) (added, removed []snowflake.Role) {
	for _, id := range next {
		if !slices.Contains(old, id) {
			added = append(added, id)
		}
	}
	for _, id := range old {
		if !slices.Contains(next, id) {
			removed = append(removed, id)
		}
	}
	return added, removed
}

// OwnPatch holds the members of its own guild member that a bot or a person changes. Null clears a member.
type OwnPatch struct {
	Nick   optional.Value[string]
	Avatar optional.Value[imagedata.Image]
	Banner optional.Value[imagedata.Image]
	Bio    optional.Value[string]
}

// ReadOwnPatch reads a request of a user to edit its own member. The error is a *jsonbody.Tree or an *apierror.Error.
func ReadOwnPatch(body jsonbody.Value) (OwnPatch, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return OwnPatch{}, t.Err()
	}
	var unusable error
	p := OwnPatch{
		Nick:   readNick(&t, body),
		Avatar: imagedata.ReadMember(&t, body, "avatar", imagedata.MaxPicture, &unusable),
		Banner: imagedata.ReadMember(&t, body, "banner", imagedata.MaxPicture, &unusable),
		Bio:    jsonbody.ReadOptional(&t, body, "bio", jsonbody.Text(0, maxBio)),
	}
	if err := t.Err(); err != nil {
		return OwnPatch{}, err
	}
	return p, unusable
}

// NewMember is a request to add a user by an access token.
type NewMember struct {
	AccessToken string
	Member      MemberPatch // nick, roles, mute, deaf and flags
}

// ReadNewMember reads a request to add a member.
func ReadNewMember(body jsonbody.Value, guild snowflake.Guild) (NewMember, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return NewMember{}, t.Err()
	}
	return NewMember{
		AccessToken: jsonbody.ReadText(&t, body, "access_token", true, 1, maxAccessToken),
		Member: MemberPatch{
			Nick:  readNick(&t, body),
			Roles: jsonbody.ReadOptional(&t, body, "roles", readRoles(guild, maxNewRoles)),
			Mute:  jsonbody.ReadOptional(&t, body, "mute", jsonbody.Boolean),
			Deaf:  jsonbody.ReadOptional(&t, body, "deaf", jsonbody.Boolean),
			Flags: jsonbody.ReadGiven(&t, body, "flags", readMemberFlags),
		},
	}, t.Err()
}

// CheckQuery checks the text of a search for members.
func CheckQuery(t *jsonbody.Tree, text string) {
	if text == "" {
		t.Required()
		return
	}
	jsonbody.CheckLength(t, jsonbody.Len(text), 1, maxQuery)
}

// Matches reports whether a search for members finds one: one of the names begins with the query, without regard to case.
func Matches(query string, names ...string) bool {
	query = strings.ToLower(query)
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.HasPrefix(strings.ToLower(name), query) })
}
