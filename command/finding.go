package command

import (
	"fmt"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Finding is one rule that a definition breaks, or an error in the syntax of a file.
type Finding struct {
	Line, Column int    // both count from 1; columns count code points
	Path         string // the dotted path within the command; "": the command or the file as a whole
	Code         string // the code of the API; "" for an error in the syntax
	Message      string
	Command      string // the name of the command; "" if it has none
}

// String returns the finding in one line, with its position first.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: ", f.Line, f.Column)
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Message)
	if f.Code != "" {
		fmt.Fprintf(&b, " (%s)", f.Code)
	}
	if f.Command != "" {
		fmt.Fprintf(&b, " in command %q", f.Command)
	}
	return b.String()
}

// Lint reports every rule that the command definitions in data break, for an application that supports everything.
// Data is JSON or YAML: a list of definitions, a single definition, or an object whose member "commands" is such a
// list. If data is neither JSON nor YAML, Lint returns one finding that says so. Use [ParseFile] to lint guild
// commands or for a particular application.
func Lint(data []byte) []Finding {
	f, syntax := ParseFile("", data)
	if syntax != nil {
		return []Finding{*syntax}
	}
	return f.Lint(anyApplication(false))
}

// Codes of findings that only definitions can have.
const (
	invalidName            = "APPLICATION_COMMAND_INVALID_NAME"
	tooLarge               = "APPLICATION_COMMAND_TOO_LARGE"
	duplicateName          = "APPLICATION_COMMANDS_DUPLICATE_NAME"
	typeImmutable          = "APPLICATION_COMMANDS_TYPE_IMMUTABLE"
	handlerInvalid         = "APPLICATION_COMMAND_HANDLER_INVALID"
	menuDescriptionInvalid = "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID"
	menuOptionsInvalid     = "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID"

	optionNameUsed      = "APPLICATION_COMMAND_OPTIONS_NAME_INVALID"
	optionTypesMixed    = "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"
	requiredOrder       = "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"
	requiredInvalid     = "APPLICATION_COMMAND_REQUIRED_INVALID"
	optionsInvalid      = "APPLICATION_COMMAND_OPTIONS_INVALID"
	choicesInvalid      = "APPLICATION_COMMAND_CHOICES_INVALID"
	autocompleteInvalid = "APPLICATION_COMMAND_AUTOCOMPLETE_INVALID"
	channelTypesInvalid = "APPLICATION_COMMAND_CHANNEL_TYPES_INVALID"
	minValueInvalid     = "APPLICATION_COMMAND_MIN_VALUE_INVALID"
	maxValueInvalid     = "APPLICATION_COMMAND_MAX_VALUE_INVALID"
	minLengthInvalid    = "APPLICATION_COMMAND_MIN_LENGTH_INVALID"
	maxLengthInvalid    = "APPLICATION_COMMAND_MAX_LENGTH_INVALID"
	fileTypesInvalid    = "APPLICATION_COMMAND_FILE_TYPES_INVALID"
)

func addInvalidName(t *jsonbody.Tree) { t.Add(invalidName, "Command name is invalid") }

func addBadCharacter(t *jsonbody.Tree) {
	t.Add(jsonbody.StringRegex, "String value did not match validation regex.")
}

func addMenuDescription(t *jsonbody.Tree) {
	t.Add(menuDescriptionInvalid, "Context menu commands cannot have description")
}

func addNameUsed(t *jsonbody.Tree, name string) {
	t.Add(optionNameUsed, fmt.Sprintf("Option name %s is already used in these options", name))
}
