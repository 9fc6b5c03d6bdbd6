package ratelimit

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/snowflake"
)

// Group is a group of routes that share a limit.
type Group uint8

// The groups. Other is for routes that belong to no other group.
const (
	global Group = iota // all requests of a caller; no route belongs to it
	Other
	CommandsList
	CommandsGet
	CommandsCreate
	CommandsEdit
	CommandsDelete
	CommandsBulk
	CommandsIndex
	PermissionsGet
	PermissionsPut
	LobbiesCreate
	LobbiesJoin
	LobbiesGet
	LobbiesEdit
	LobbiesDelete
	LobbiesLeave
	LobbiesLink
	LobbiesInvite
	MembersAdd
	MembersRemove
	MembersBulk
	MessagesSend
	MessagesList
	MessagesModerate
	ChannelMessagesWrite
	ChannelMessagesDelete
	ChannelMessagesDeleteNew
	ChannelMessagesDeleteOld
	ChannelMessagesBulkDelete
	ChannelReactions
	ChannelsEdit
	ChannelCrosspost
	ChannelMessagesEditOld
	ChannelMessagesEditPublished
	ChannelsRename
	ChannelWebhooks
	DirectOpen
	UsersRename
	UsersAvatar
	InteractionsInvoke
	InteractionsCallback
	Webhooks
	ApplicationsEdit
	OAuth2Token
	OAuth2Authorize
	OAuth2Device
	OAuth2DeviceCodes
	OAuth2SignIn
	OAuth2SignInUser
	OAuth2UserCode
	GatewaySend
	GatewayPresence
	GatewayIdentify
	GatewayStarts
	GatewayMembers

	groups // number of groups
)

// groupTable holds the fixed properties of groups. The configurable ones are in Policy.
var groupTable = [groups]struct {
	name   string
	exempt bool // does not count against the global limit, if the caller is known
	shared bool // the limit belongs to the resource; Edge does not count its refusals
	// hidden is the error of a limit that applies to some calls of a route only. Callers see it when it refuses: the headers
	// announce the limit of the route.
	hidden *apierror.Error
}{
	global:                    {name: "global"},
	Other:                     {name: "default"},
	CommandsList:              {name: "commands.list"},
	CommandsGet:               {name: "commands.get"},
	CommandsCreate:            {name: "commands.create"},
	CommandsEdit:              {name: "commands.edit"},
	CommandsDelete:            {name: "commands.delete"},
	CommandsBulk:              {name: "commands.bulk"},
	CommandsIndex:             {name: "commands.index"},
	PermissionsGet:            {name: "permissions.get"},
	PermissionsPut:            {name: "permissions.put"},
	LobbiesCreate:             {name: "lobbies.create"},
	LobbiesJoin:               {name: "lobbies.join"},
	LobbiesGet:                {name: "lobbies.get"},
	LobbiesEdit:               {name: "lobbies.edit"},
	LobbiesDelete:             {name: "lobbies.delete"},
	LobbiesLeave:              {name: "lobbies.leave"},
	LobbiesLink:               {name: "lobbies.link"},
	LobbiesInvite:             {name: "lobbies.invite"},
	MembersAdd:                {name: "lobbies.members.add"},
	MembersRemove:             {name: "lobbies.members.remove"},
	MembersBulk:               {name: "lobbies.members.bulk"},
	MessagesSend:              {name: "lobbies.messages.send"},
	MessagesList:              {name: "lobbies.messages.list"},
	MessagesModerate:          {name: "lobbies.messages.moderate"},
	ChannelMessagesWrite:      {name: "channels.messages.write"},
	ChannelMessagesDelete:     {name: "channels.messages.delete"},
	ChannelMessagesDeleteNew:  {name: "channels.messages.delete_new"},
	ChannelMessagesDeleteOld:  {name: "channels.messages.delete_old"},
	ChannelMessagesBulkDelete: {name: "channels.messages.bulk_delete"},
	ChannelReactions:          {name: "channels.reactions"},
	ChannelsEdit:              {name: "channels.edit"},
	ChannelCrosspost:          {name: "channels.messages.crosspost"},

	ChannelMessagesEditOld:       {name: "channels.messages.edit_old", hidden: apierror.OldEdits},
	ChannelMessagesEditPublished: {name: "channels.messages.edit_published", hidden: apierror.PublishedEdits},
	ChannelsRename:               {name: "channels.rename", shared: true, hidden: apierror.ChannelWrites},
	ChannelWebhooks:              {name: "channels.webhooks", shared: true, hidden: apierror.ChannelWrites},
	DirectOpen:                   {name: "users.channels.open", hidden: apierror.DirectOpenings},
	UsersRename:                  {name: "users.rename", hidden: invalidForm},
	UsersAvatar:                  {name: "users.avatar", hidden: invalidForm},

	InteractionsInvoke:   {name: "interactions.invoke", shared: true},
	InteractionsCallback: {name: "interactions.callback", exempt: true},
	Webhooks:             {name: "webhooks", exempt: true},
	ApplicationsEdit:     {name: "applications.edit"},
	OAuth2Token:          {name: "oauth2.token"},
	OAuth2Authorize:      {name: "oauth2.authorize"},
	OAuth2Device:         {name: "oauth2.device"},
	OAuth2DeviceCodes:    {name: "oauth2.device_codes", exempt: true},
	OAuth2SignIn:         {name: "oauth2.signin", exempt: true},
	OAuth2SignInUser:     {name: "oauth2.signin_user", exempt: true},
	OAuth2UserCode:       {name: "oauth2.user_code", exempt: true},
	GatewaySend:          {name: "gateway.send", exempt: true},
	GatewayPresence:      {name: "gateway.presence", exempt: true},
	GatewayIdentify:      {name: "gateway.identify", exempt: true},
	GatewayStarts:        {name: "gateway.starts", exempt: true},
	GatewayMembers:       {name: "gateway.members", exempt: true},
}

// invalidForm is the error of limits that the API reports as an invalid member of the body.
var invalidForm = &apierror.Error{Status: 400, Code: 50035, Message: "Invalid Form Body"}

// Groups returns the groups that routes can belong to.
func Groups() []Group {
	all := make([]Group, 0, groups-1)
	for g := global + 1; g < groups; g++ {
		all = append(all, g)
	}
	return all
}

// The ages that separate the groups of deletions.
const (
	newMessage = 10 * time.Second
	oldMessage = 14 * 24 * time.Hour
)

// DeleteGroup returns the group of the deletion of a message, by the age of the message. The id 0 stands for an unknown
// message, which counts as a new one.
func DeleteGroup(id snowflake.Message, now time.Time) Group {
	switch age := now.Sub(id.Time()); {
	case id == 0 || age < newMessage:
		return ChannelMessagesDeleteNew
	case age > oldMessage:
		return ChannelMessagesDeleteOld
	default:
		return ChannelMessagesDelete
	}
}

// oldEdit is the age from which on the edits of a message are counted.
const oldEdit = time.Hour

// IsOldEdit reports whether an edit of a message counts as ChannelMessagesEditOld.
func IsOldEdit(id snowflake.Message, now time.Time) bool { return now.Sub(id.Time()) > oldEdit }

// String returns the name of the group in a limits file.
func (g Group) String() string { return groupTable[g].name }

// bucket is one limit for a caller: a group, separately for the global scope and for guilds.
type bucket uint16

func bucketOf(g Group, inGuild bool) bucket {
	if inGuild {
		return bucket(g)<<1 | 1
	}
	return bucket(g) << 1
}

func (b bucket) group() Group { return Group(b >> 1) }

func (b bucket) name() string {
	if b&1 != 0 {
		return b.group().String() + ".guild"
	}
	return b.group().String()
}

// bucketIDs are the values of X-RateLimit-Bucket. Clients use them as keys, so they depend on the bucket's name only:
// not on ids, the process or the limits.
var bucketIDs = func() (ids [groups << 1][]string) {
	for b := range ids {
		sum := sha256.Sum256([]byte("bellhop bucket " + bucket(b).name()))
		ids[b] = []string{hex.EncodeToString(sum[:16])}
	}
	return ids
}()
