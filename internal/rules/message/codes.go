package message

import (
	"errors"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Codes of the errors about a message or a modal.
const (
	EmbedsTooLarge       jsonbody.Code = "MAX_EMBED_SIZE_EXCEEDED"
	LegacyWithV2         jsonbody.Code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
	MentionsExclusive    jsonbody.Code = "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"
	AttachmentNotFound   jsonbody.Code = "ATTACHMENT_NOT_FOUND"
	MediaNotFound        jsonbody.Code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
	URLInvalid           jsonbody.Code = "URL_TYPE_INVALID_URL"
	URLScheme            jsonbody.Code = "URL_TYPE_INVALID_SCHEME"
	CustomIDDuplicated   jsonbody.Code = "COMPONENT_CUSTOM_ID_DUPLICATED"
	IDDuplicated         jsonbody.Code = "COMPONENT_ID_DUPLICATED"
	WidthExceeded        jsonbody.Code = "COMPONENT_LAYOUT_WIDTH_EXCEEDED"
	TooManyComponents    jsonbody.Code = "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"
	TextTooLarge         jsonbody.Code = "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"
	DisabledInModal      jsonbody.Code = "COMPONENT_DISABLED_INVALID"
	ButtonCustomID       jsonbody.Code = "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED"
	ButtonURLAndCustomID jsonbody.Code = "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE"
	ButtonPremium        jsonbody.Code = "BUTTON_COMPONENT_PREMIUM_FIELD_INVALID"
	ButtonSKU            jsonbody.Code = "BUTTON_COMPONENT_SKU_ID_INVALID"
	EmojiInvalid         jsonbody.Code = "BUTTON_COMPONENT_INVALID_EMOJI"
	OptionValueTaken     jsonbody.Code = "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"
	TooManyDefaults      jsonbody.Code = "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES"
	PollNotEditable      jsonbody.Code = "MESSAGE_POLL_NOT_EDITABLE"
)

// ErrEmpty says that a message has no content. Its API code is 50006.
var ErrEmpty = errors.New("cannot send an empty message")

// Codes of the errors about messages in channels and of webhooks.
const (
	ReplyUnknown      jsonbody.Code = "REPLIES_UNKNOWN_MESSAGE"
	ReplyElsewhere    jsonbody.Code = "REPLIES_DIFFERENT_CHANNEL"
	ReplyToSystem     jsonbody.Code = "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE"
	NameInvalid       jsonbody.Code = "USERNAME_INVALID"
	NameContains      jsonbody.Code = "USERNAME_INVALID_CONTAINS"
	InteractiveHidden jsonbody.Code = "WEBHOOK_COMPONENTS_INTERACTIVE"
	AnswerInvalid     jsonbody.Code = "POLL_ANSWER_INVALID"
)
