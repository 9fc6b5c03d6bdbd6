package message

import (
	"errors"

	"github.com/bellhop/bellhop/problem"
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

// ErrEmpty says that a message has nothing in it. On the wire it is 50006.
var ErrEmpty = errors.New("cannot send an empty message")
