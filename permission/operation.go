package permission

import "slices"

// Operation is something that a user or a bot does through the API. [Operation.Requirement] returns the permissions
// that it needs.
type Operation uint8

// The operations in channels and threads.
const (
	OpViewChannel Operation = iota
	OpReadMessages
	OpReadMessage
	OpSearchMessages
	OpSendMessage
	OpSendTTS
	OpSendEmbeds
	OpSendFiles
	OpSendPoll
	OpSendVoiceMessage
	OpUseExternalSticker
	OpReply
	OpForward
	OpIgnoreSlowmode
	OpEditMessage
	OpSuppressEmbeds
	OpDeleteMessage
	OpBulkDeleteMessages
	OpCrosspost
	OpListPins
	OpPin
	OpUnpin
	OpType
	OpAddFirstReaction
	OpJoinReaction
	OpUseExternalReaction
	OpListReactions
	OpRemoveReaction
	OpClearReactions
	OpVote
	OpListVoters
	OpEndPoll
	OpCreateThread
	OpCreatePrivateThread
	OpCreatePost
	OpJoinThread
	OpAddThreadMember
	OpAddUninvitedMember
	OpRemoveThreadMember
	OpListThreadMembers
	OpUnarchiveThread
	OpEditThread
	OpManageThread
	OpDeleteThread
	OpListArchivedThreads
	OpListPrivateThreads
	OpListWebhooks
	OpCreateWebhook
	OpEditWebhook
	OpDeleteWebhook
	OpFollow
	OpEditChannel
	OpDeleteChannel
	OpCreateOverwrite
	OpEditOverwrite
	OpDeleteOverwrite
	OpListChannelInvites
	OpCreateInvite
	OpDeleteInvite
	OpJoinVoice
	OpRequestToSpeak
	OpSuppressSpeaker
	OpSetVoiceStatus
	OpClearVoiceStatus
	OpCreateStage
	OpEditStage
	OpDeleteStage
	OpCreateStageEvent
	OpEditStageEvent
	OpDeleteStageEvent
	OpCreateVoiceEvent
	OpEditVoiceEvent
	OpDeleteVoiceEvent

	// The operations below are in guilds as a whole.

	OpViewGuild
	OpEditGuild
	OpEditCommunity
	OpCreateChannel
	OpMoveChannels
	OpListGuildWebhooks
	OpListGuildInvites
	OpAddInviteRoles
	OpAddMember
	OpEditNick
	OpEditMemberRoles
	OpTimeOutMember
	OpMuteMember
	OpDeafenMember
	OpMoveMember
	OpDisconnectMember
	OpEditMemberFlags
	OpKickMember
	OpCountPrune
	OpPrune
	OpListBans
	OpBanMember
	OpUnbanMember
	OpBulkBan
	OpCreateRole
	OpEditRole
	OpMoveRoles
	OpDeleteRole
	OpSeeEmojiAuthors
	OpCreateEmoji
	OpEditEmoji
	OpDeleteEmoji
	OpCreateSticker
	OpEditSticker
	OpDeleteSticker
	OpCreateSound
	OpEditSound
	OpDeleteSound
	OpReadAuditLog
	OpListIntegrations
	OpDeleteIntegration
	OpEditWidget
	OpReadVanityURL
	OpEditWelcomeScreen
	OpEditOnboarding
	OpManageTemplates
	OpCreateExternalEvent
	OpEditExternalEvent
	OpDeleteExternalEvent
	OpListRules
	OpCreateRule
	OpEditRule
	OpDeleteRule

	operationCount
)

// Direct says whether an operation is possible in direct messages and groups. No permissions apply there.
type Direct uint8

// The rules for direct messages.
const (
	DirectNever  Direct = iota // the operation needs a guild
	DirectOwn                  // only on what the user created
	DirectAlways               // every participant can
)

// Requirement lists the permissions that an operation needs, and what its failure and its success produce.
type Requirement struct {
	Name string // such as "pin a message"
	// Guild means that the permissions in the guild count, not those in a channel.
	Guild bool
	// Need lists sets of permissions. A member must have all permissions of one of the sets. Without a set, a member who
	// sees the channel needs no permission. In threads, [SendMessagesInThreads] replaces [SendMessages].
	Need []Bits
	// Others replaces Need if another user created the object. If it is nil, Need applies to all objects. If it is empty
	// but not nil, no permission is enough.
	Others []Bits
	Direct Direct
	// Ranked means that the member must also outrank the target: see [Member.MayActOn].
	Ranked bool
	// Empty means that a member without the permissions gets an empty list instead of an error.
	Empty bool
	Code  int   // the error code for missing permissions
	Audit uint8 // the action of the entry in the audit log, by its number in the API; 0: no entry
}

// The error codes of the API that this package uses.
const (
	codeMissingAccess      = 50001
	codeDirectMessage      = 50003
	codeOtherAuthor        = 50005
	codeMissingPermissions = 50013
	codeInvalidRole        = 50028
	codeUnknownEmoji       = 10014
	codeSlowmode           = 20016
	codeVoiceMessage       = 50173
	codeSticker            = 50600
	codeReplyHistory       = 160002
)

// String returns the name of the operation.
func (o Operation) String() string { return o.Requirement().Name }

// Requirement returns what the operation needs.
func (o Operation) Requirement() Requirement {
	if o >= operationCount {
		return Requirement{Name: "unknown", Guild: true, Need: noOne, Code: codeMissingPermissions}
	}
	r := requirements[o]
	if r.Code == 0 {
		r.Code = codeMissingPermissions
	}
	return r
}

// Operations returns all operations in the order of their declaration.
func Operations() []Operation {
	list := make([]Operation, operationCount)
	for i := range list {
		list[i] = Operation(i)
	}
	return list
}

// webhook reports whether the operation manages webhooks. The API answers it with missing permissions also if the
// caller cannot see the channel.
func (o Operation) webhook() bool {
	return slices.Contains([]Operation{OpListWebhooks, OpCreateWebhook, OpEditWebhook, OpDeleteWebhook, OpListGuildWebhooks}, o)
}
