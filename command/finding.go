package command

import (
	"fmt"

	"github.com/bellhop/bellhop/internal/jsonbody"
)

// Findings that only definitions can have.
const (
	InvalidName            jsonbody.Code = "APPLICATION_COMMAND_INVALID_NAME"
	TooLarge               jsonbody.Code = "APPLICATION_COMMAND_TOO_LARGE"
	DuplicateName          jsonbody.Code = "APPLICATION_COMMANDS_DUPLICATE_NAME"
	TypeImmutable          jsonbody.Code = "APPLICATION_COMMANDS_TYPE_IMMUTABLE"
	HandlerInvalid         jsonbody.Code = "APPLICATION_COMMAND_HANDLER_INVALID"
	MenuDescriptionInvalid jsonbody.Code = "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID"
	MenuOptionsInvalid     jsonbody.Code = "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID"

	OptionNameUsed      jsonbody.Code = "APPLICATION_COMMAND_OPTIONS_NAME_INVALID"
	OptionTypesMixed    jsonbody.Code = "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"
	RequiredOrder       jsonbody.Code = "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"
	RequiredInvalid     jsonbody.Code = "APPLICATION_COMMAND_REQUIRED_INVALID"
	OptionsInvalid      jsonbody.Code = "APPLICATION_COMMAND_OPTIONS_INVALID"
	ChoicesInvalid      jsonbody.Code = "APPLICATION_COMMAND_CHOICES_INVALID"
	AutocompleteInvalid jsonbody.Code = "APPLICATION_COMMAND_AUTOCOMPLETE_INVALID"
	ChannelTypesInvalid jsonbody.Code = "APPLICATION_COMMAND_CHANNEL_TYPES_INVALID"
	MinValueInvalid     jsonbody.Code = "APPLICATION_COMMAND_MIN_VALUE_INVALID"
	MaxValueInvalid     jsonbody.Code = "APPLICATION_COMMAND_MAX_VALUE_INVALID"
	MinLengthInvalid    jsonbody.Code = "APPLICATION_COMMAND_MIN_LENGTH_INVALID"
	MaxLengthInvalid    jsonbody.Code = "APPLICATION_COMMAND_MAX_LENGTH_INVALID"
	FileTypesInvalid    jsonbody.Code = "APPLICATION_COMMAND_FILE_TYPES_INVALID"
)

func addInvalidName(t *jsonbody.Tree) { t.Add(InvalidName, "Command name is invalid") }

func addForeignName(t *jsonbody.Tree) {
	t.Add(jsonbody.StringRegex, "String value did not match validation regex.")
}

func addMenuDescription(t *jsonbody.Tree) {
	t.Add(MenuDescriptionInvalid, "Context menu commands cannot have description")
}

func addNameUsed(t *jsonbody.Tree, name string) {
	t.Add(OptionNameUsed, fmt.Sprintf("Option name %s is already used in these options", name))
}
