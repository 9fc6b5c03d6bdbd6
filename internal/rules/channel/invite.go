package channel

import (
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of invites.
const (
	maxInviteAge     = 604800 // seconds
	defaultInviteAge = 86400
	maxInviteUses    = 100
	maxInviteRoles   = 250
)

// The targets of invites.
const (
	TargetStream = 1
	TargetApp    = 2
)

// Invite is a request to create an invite. Two requests with the same settings can share an invite.
type Invite struct {
	MaxAge            time.Duration // 0: the invite does not expire
	MaxUses           int           // 0: any number
	Temporary         bool
	Unique            bool // never reuse an invite
	TargetType        int  // 0: none
	TargetUser        snowflake.User
	TargetApplication snowflake.Application
	Roles             []snowflake.Role
}

// ReadInvite reads a request to create an invite.
func ReadInvite(body jsonbody.Value) (Invite, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return Invite{}, t.Err()
	}
	age := jsonbody.ReadGiven(&t, body, "max_age", jsonbody.Int(0, maxInviteAge)).Or(defaultInviteAge)
	i := Invite{
		MaxAge:     time.Duration(age) * time.Second,
		MaxUses:    jsonbody.ReadGiven(&t, body, "max_uses", jsonbody.Int(0, maxInviteUses)).Or(0),
		Temporary:  jsonbody.ReadGiven(&t, body, "temporary", jsonbody.Boolean).Or(false),
		Unique:     jsonbody.ReadGiven(&t, body, "unique", jsonbody.Boolean).Or(false),
		TargetType: jsonbody.ReadGiven(&t, body, "target_type", jsonbody.OneOf(TargetStream, TargetApp)).Or(0),
		Roles:      jsonbody.ReadGiven(&t, body, "role_ids", jsonbody.IDs[snowflake.Role](0, maxInviteRoles)).Or(nil),
	}
	i.TargetUser = jsonbody.ReadID[snowflake.User](&t, body, "target_user_id", i.TargetType == TargetStream)
	i.TargetApplication = jsonbody.ReadID[snowflake.Application](&t, body, "target_application_id", i.TargetType == TargetApp)
	if body.Get("target_users_file").IsSet() {
		t.At("target_users_file").Add(BodyFile, "Files of target users are not supported")
	}
	return i, t.Err()
}
