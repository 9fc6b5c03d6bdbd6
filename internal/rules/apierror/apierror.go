// Package apierror lists the errors of Discord's API that the rules of channels and guilds answer with, in addition to
// invalid bodies: see jsonbody.Tree. Each is one value with its status, its code and its text, so that callers compare
// it with errors.Is, and one place turns all of them into responses.
package apierror

// Error is an error of the API.
type Error struct {
	Status  int // of HTTP
	Code    int // in the JSON body
	Message string
}

// Error returns the text of the API.
func (e *Error) Error() string { return e.Message }

// Objects that do not exist.
var (
	UnknownChannel     = &Error{404, 10003, "Unknown Channel"}
	UnknownGuild       = &Error{404, 10004, "Unknown Guild"}
	UnknownInvite      = &Error{404, 10006, "Unknown Invite"}
	UnknownThread      = &Error{400, 10003, "Unknown Channel"} // in the query of a webhook
	UnknownMember      = &Error{404, 10007, "Unknown Member"}
	UnknownMessage     = &Error{404, 10008, "Unknown Message"}
	UnknownRole        = &Error{404, 10011, "Unknown Role"}
	UnknownUser        = &Error{404, 10013, "Unknown User"}
	UnknownEmoji       = &Error{404, 10014, "Unknown Emoji"}
	UnknownWebhook     = &Error{404, 10015, "Unknown Webhook"}
	UnknownBan         = &Error{404, 10026, "Unknown Ban"}
	UnknownSKU         = &Error{404, 10027, "Unknown SKU"}
	UnknownEntitlement = &Error{404, 10029, "Unknown Entitlement"}
	UnknownSticker     = &Error{404, 10060, "Unknown Sticker"}
	UnknownEvent       = &Error{404, 10070, "Unknown Guild Scheduled Event"}
	UnknownTag         = &Error{404, 10087, "Unknown Tag"}
	UnknownReaction    = &Error{400, 10014, "Unknown Emoji"} // an emoji in the path of a reaction
	// UnknownOverwrite is the answer to the deletion of an overwrite that does not exist.
	UnknownOverwrite = &Error{404, 10009, "Unknown Overwrite"}
	UnknownVoice     = &Error{404, 10065, "Unknown Voice State"}
	UnknownWelcome   = &Error{404, 10069, "Unknown Guild Welcome Screen"}
)

// Limits on the number of objects.
var (
	TooManyPins        = &Error{400, 30003, "Maximum number of pinned messages reached (250)"}
	TooManyRoles       = &Error{400, 30005, "Maximum number of guild roles reached (250)"}
	TooManyWebhooks    = &Error{400, 30007, "Maximum number of webhooks reached (15)"}
	TooManyEmojis      = &Error{400, 30008, "Maximum number of emojis reached"}
	TooManyReactions   = &Error{403, 30010, "Maximum number of reactions reached (20)"}
	TooManyChannels    = &Error{400, 30013, "Maximum number of guild channels reached (500)"}
	TooManyInvites     = &Error{400, 30016, "Maximum number of invites reached (1000)"}
	TooManyGuilds      = &Error{400, 30001, "Maximum number of guilds reached (100)"}
	TooManyAnimated    = &Error{400, 30018, "Maximum number of animated emojis reached"}
	TooManyInThread    = &Error{400, 30033, "Maximum number of thread participants reached (1000)"}
	TooManyEvents      = &Error{400, 30038, "Maximum number of uncompleted guild scheduled events reached (100)"}
	TooManyPinnedPosts = &Error{400, 30047, "Maximum number of pinned threads in a forum channel has been reached"}
	TooManyTags        = &Error{400, 30048, "Maximum number of tags in a forum channel has been reached"}
	BitrateTooHigh     = &Error{400, 30052, "Bitrate is too high for channel of this type"}
	TooManyInGuild     = &Error{400, 30058, "Maximum number of webhooks per guild reached (1000)"}
	TooManyOverwrites  = &Error{400, 30060, "Maximum number of channel permission overwrites reached (1000)"}
	PublishedEdits     = &Error{429, 20022, "This message cannot be edited due to announcement rate limits"}
	ChannelWrites      = &Error{429, 20028, "The write action you are performing on the channel has hit the write rate limit."}
	OldEdits           = &Error{429, 30046, "Maximum number of edits to messages older than 1 hour reached. Try again later"}
	DirectOpenings     = &Error{429, 40003, "You are opening direct messages too fast"}
	Slowmode           = &Error{429, 20016, "This action cannot be performed due to slowmode rate limit"}
)

// What a state does not allow.
var (
	BotsOnly            = &Error{403, 20002, "Only bots can use this endpoint"}
	NoBots              = &Error{403, 20001, "Bots cannot use this endpoint"}
	BannedUser          = &Error{403, 40007, "The user is banned from this guild."}
	OneParentOnly       = &Error{400, 40009, "Only one channel can have a parent_id modified at a time"}
	NotInVoice          = &Error{400, 40032, "Target user is not connected to voice."}
	NotConsumable       = &Error{400, 40018, "Only consumable SKUs can be consumed"}
	NotATest            = &Error{400, 40019, "You can only delete sandbox entitlements."}
	AlreadyPublished    = &Error{400, 40033, "This message has already been crossposted."}
	TagNameTaken        = &Error{400, 40061, "Tag names must be unique"}
	TagRequired         = &Error{400, 40067, "A tag is required to create a forum post in this channel"}
	MissingAccess       = &Error{403, 50001, "Missing Access"}
	WidgetDisabled      = &Error{403, 50004, "Widget Disabled"}
	DirectChannel       = &Error{403, 50003, "Cannot execute action on a DM channel"}
	OtherAuthor         = &Error{403, 50005, "Cannot edit a message authored by another user"}
	CannotSend          = &Error{400, 50008, "Cannot send messages in a non-text channel"}
	MissingPermission   = &Error{403, 50013, "Missing Permissions"}
	BulkDeleteCount     = &Error{400, 50016, "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete"}
	SystemMessage       = &Error{403, 50021, "Cannot execute action on a system message"}
	WrongChannelType    = &Error{400, 50024, "Cannot execute action on this channel type"}
	InvalidAccessToken  = &Error{403, 50025, "Invalid OAuth2 access token"}
	InvalidRole         = &Error{400, 50028, "Invalid Role"}
	NoConversation      = &Error{400, 50007, "Cannot send messages to this user"} // when the channel is opened
	NoMutualGuilds      = &Error{403, 50278, "Cannot send messages to this user due to having no mutual guilds"}
	InvalidRecipient    = &Error{400, 50033, "Invalid Recipient(s)"}
	BulkDeleteAge       = &Error{400, 50034, "You can only bulk delete messages that are under 14 days old."}
	FileTooLarge        = &Error{400, 50045, "File uploaded exceeds the maximum size"}
	InvalidFile         = &Error{400, 50046, "Invalid file uploaded"}
	InvalidWebhookToken = &Error{401, 50027, "Invalid Webhook Token"}
	InvalidGuild        = &Error{400, 50055, "Invalid Guild"}
	WrongMessageType    = &Error{400, 50068, "Invalid message type"}
	SystemWebhook       = &Error{403, 50073, "Cannot modify a system webhook"}
	CommunityChannel    = &Error{400, 50074, "Cannot delete a channel required for Community servers"}
	InvalidSticker      = &Error{400, 50081, "Invalid sticker sent"}
	ThreadArchived      = &Error{400, 50083, "Thread is archived"}
	StillImage          = &Error{415, 0, "The image is not animated"} // of an image that was asked for as GIF
	NeedsBoosts         = &Error{400, 50101, "This server needs more boosts to perform this action"}
	ThreadExists        = &Error{400, 160004, "A thread has already been created for this message"}
	ThreadLocked        = &Error{403, 160005, "Thread is locked"}
	CannotForward       = &Error{403, 160014, "You cannot forward a message whose content you cannot read"}
	FinishedEvent       = &Error{400, 180000, "Cannot update a finished event"}
	NoneBanned          = &Error{400, 500000, "Failed to ban users"}
	BeforeTooEarly      = &Error{400, 50085, "`before` value is earlier than the thread creation date"}
	TooManyThreads      = &Error{400, 160006, "Maximum number of active threads reached"}
	TooManyNews         = &Error{400, 160007, "Maximum number of active announcement threads reached"} // threads of announcement channels
)

// Voice messages, polls and webhooks in forums.
var (
	VoiceMessageContent  = &Error{400, 50159, "Voice messages do not support additional content."}
	VoiceMessageFile     = &Error{400, 50160, "Voice messages must have a single audio attachment."}
	VoiceMessageMetadata = &Error{400, 50161, "Voice messages must have supporting metadata."}
	VoiceMessageEdit     = &Error{400, 50162, "Voice messages cannot be edited."}
	ThreadNeeded         = &Error{400, 220001, "Webhooks posted to forum channels must have a thread_name or thread_id"}
	ThreadTwice          = &Error{400, 220002, "Webhooks posted to forum channels cannot have both a thread_name and thread_id"}
	ServiceInForum       = &Error{400, 220004, "Webhook services cannot be used in forum channels"}
	ThreadOutsideForum   = &Error{400, 220003, "Webhooks can only create threads in forum channels"}
	PollExpired          = &Error{400, 520001, "Poll expired"}
	PollEmoji            = &Error{400, 520004, "Cannot use an emoji included with the poll"}
	PollEdit             = &Error{400, 520003, "Cannot edit a poll message"}
	NotAPoll             = &Error{400, 520006, "Cannot expire a non-poll message"}
)

// Operations that permissions do not allow.
var (
	VoiceDenied   = &Error{403, 50173, "You cannot send voice messages in this channel."}
	StickerDenied = &Error{403, 50600, "You do not have permission to send this sticker."}
	BurstDenied   = &Error{403, 90002, "User cannot use burst reactions"}
	ReplyDenied   = &Error{403, 160002, "Cannot reply without permission to read message history"}
)

// Denied returns the error for the code of an operation that permissions do not allow.
func Denied(code int) *Error {
	for _, e := range []*Error{
		MissingAccess, DirectChannel, OtherAuthor, MissingPermission, InvalidRole, UnknownReaction, Slowmode, VoiceDenied,
		StickerDenied, ReplyDenied,
	} {
		if e.Code == code {
			return e
		}
	}
	return MissingPermission
}
