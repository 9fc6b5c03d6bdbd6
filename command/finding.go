package command

import (
	"fmt"

	"github.com/bellhop/bellhop/problem"
)

// Findings that only definitions can have.
const (
	InvalidName            problem.Code = "APPLICATION_COMMAND_INVALID_NAME"
	TooLarge               problem.Code = "APPLICATION_COMMAND_TOO_LARGE"
	DuplicateName          problem.Code = "APPLICATION_COMMANDS_DUPLICATE_NAME"
	TypeImmutable          problem.Code = "APPLICATION_COMMANDS_TYPE_IMMUTABLE"
	HandlerInvalid         problem.Code = "APPLICATION_COMMAND_HANDLER_INVALID"
	MenuDescriptionInvalid problem.Code = "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID"
	MenuOptionsInvalid     problem.Code = "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID"

	OptionNameUsed      problem.Code = "APPLICATION_COMMAND_OPTIONS_NAME_INVALID"
	OptionTypesMixed    problem.Code = "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"
	RequiredOrder       problem.Code = "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"
	RequiredInvalid     problem.Code = "APPLICATION_COMMAND_REQUIRED_INVALID"
	OptionsInvalid      problem.Code = "APPLICATION_COMMAND_OPTIONS_INVALID"
	ChoicesInvalid      problem.Code = "APPLICATION_COMMAND_CHOICES_INVALID"
	AutocompleteInvalid problem.Code = "APPLICATION_COMMAND_AUTOCOMPLETE_INVALID"
	ChannelTypesInvalid problem.Code = "APPLICATION_COMMAND_CHANNEL_TYPES_INVALID"
	MinValueInvalid     problem.Code = "APPLICATION_COMMAND_MIN_VALUE_INVALID"
	MaxValueInvalid     problem.Code = "APPLICATION_COMMAND_MAX_VALUE_INVALID"
	MinLengthInvalid    problem.Code = "APPLICATION_COMMAND_MIN_LENGTH_INVALID"
	MaxLengthInvalid    problem.Code = "APPLICATION_COMMAND_MAX_LENGTH_INVALID"
	FileTypesInvalid    problem.Code = "APPLICATION_COMMAND_FILE_TYPES_INVALID"
)

func addInvalidName(t *problem.Tree) { t.Add(InvalidName, "Command name is invalid") }

func addForeignName(t *problem.Tree) {
	t.Add(problem.StringRegex, "String value did not match validation regex.")
}

func addMenuDescription(t *problem.Tree) {
	t.Add(MenuDescriptionInvalid, "Context menu commands cannot have description")
}

func addNameUsed(t *problem.Tree, name string) {
	t.Add(OptionNameUsed, fmt.Sprintf("Option name %s is already used in these options", name))
}
