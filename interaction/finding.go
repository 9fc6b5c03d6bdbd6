package interaction

import (
	"errors"

	"github.com/bellhop/bellhop/problem"
)

// Findings about an invocation.
const (
	CommandInvalid   problem.Code = "INTERACTION_APPLICATION_COMMAND_INVALID"
	CommandOutdated  problem.Code = "INTERACTION_APPLICATION_COMMAND_INVALID_VERSION"
	CommandForbidden problem.Code = "INTERACTION_APPLICATION_COMMAND_INVALID_PERMISSIONS"
	OptionMissing    problem.Code = "INTERACTION_APPLICATION_COMMAND_OPTION_MISSING"
	OptionInvalid    problem.Code = "INTERACTION_APPLICATION_COMMAND_OPTIONS_VALUE_INVALID"
	ComponentInvalid problem.Code = "COMPONENT_VALIDATION_FAILED"
)

// Findings about a message or a modal.
const (
	EmbedsTooLarge       problem.Code = "MAX_EMBED_SIZE_EXCEEDED"
	LegacyWithV2         problem.Code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
	MentionsExclusive    problem.Code = "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"
	AttachmentNotFound   problem.Code = "ATTACHMENT_NOT_FOUND"
	MediaNotFound        problem.Code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
	URLInvalid           problem.Code = "URL_TYPE_INVALID_URL"
	URLScheme            problem.Code = "URL_TYPE_INVALID_SCHEME"
	TimeInvalid          problem.Code = "DATE_TIME_TYPE_PARSE"
	CustomIDDuplicated   problem.Code = "COMPONENT_CUSTOM_ID_DUPLICATED"
	IDDuplicated         problem.Code = "COMPONENT_ID_DUPLICATED"
	WidthExceeded        problem.Code = "COMPONENT_LAYOUT_WIDTH_EXCEEDED"
	TooManyComponents    problem.Code = "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"
	TextTooLarge         problem.Code = "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"
	DisabledInModal      problem.Code = "COMPONENT_DISABLED_INVALID"
	ButtonCustomID       problem.Code = "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED"
	ButtonURLAndCustomID problem.Code = "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE"
	ButtonPremium        problem.Code = "BUTTON_COMPONENT_PREMIUM_FIELD_INVALID"
	EmojiInvalid         problem.Code = "BUTTON_COMPONENT_INVALID_EMOJI"
	OptionValueTaken     problem.Code = "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"
	TooManyDefaults      problem.Code = "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES"
	PollNotEditable      problem.Code = "MESSAGE_POLL_NOT_EDITABLE"
)

// What the routes of an interaction's token meet, each with the number it has on the wire.
var (
	ErrUnknownInteraction = errors.New("unknown interaction")                       // 10062
	ErrAcknowledged       = errors.New("interaction has already been acknowledged") // 40060
	ErrUnknownWebhook     = errors.New("unknown webhook")                           // 10015
	ErrUnknownMessage     = errors.New("unknown message")                           // 10008
	ErrTokenExpired       = errors.New("invalid webhook token")                     // 50027
	ErrTooManyFollowUps   = errors.New("too many follow-up messages")               // 40094
	ErrEmptyMessage       = errors.New("cannot send an empty message")              // 50006
)

var refusals = map[problem.Code]string{
	CommandInvalid:   "Invalid interaction application command",
	CommandOutdated:  "This command is outdated, please try again in a few minutes",
	CommandForbidden: "You do not have permission to use this command",
	ComponentInvalid: "Component validation failed",
}

// Refuse returns the error for an invocation that cannot be carried out as a whole: its command is invalid, outdated or
// forbidden, or its component is invalid.
func Refuse(code problem.Code) error {
	var t problem.Tree
	t.At("data").Add(code, refusals[code])
	return t.Err()
}
