package command

import "github.com/bellhop/bellhop/internal/locale"

// OptionType is the kind of an option.
type OptionType uint8

// The kinds of options. USER shares its word with a kind of command.
const (
	SubCommand      OptionType = 1
	SubCommandGroup OptionType = 2
	String          OptionType = 3
	Integer         OptionType = 4
	Boolean         OptionType = 5
	OptionUser      OptionType = 6
	Channel         OptionType = 7
	Role            OptionType = 8
	Mentionable     OptionType = 9
	Number          OptionType = 10
	Attachment      OptionType = 11
)

// Nests reports whether options of the type hold other options instead of a value.
func (t OptionType) Nests() bool { return t == SubCommand || t == SubCommandGroup }

// Option is one option of a command. It has room for the members of every type, so that what is wrong can be shown.
type Option struct {
	Type                     OptionType
	Name                     string
	NameLocalizations        locale.Map
	Description              string
	DescriptionLocalizations locale.Map
	Required                 bool
	Choices                  []Choice
	Options                  []Option
	ChannelTypes             []ChannelType
	MinValue, MaxValue       *float64 // of Integer whole numbers
	MinLength, MaxLength     *int
	Autocomplete             bool
	FileTypes                []string // in lower case
}

// member is a set of option members that some types take and others do not.
type member uint16

const (
	required member = 1 << iota
	choices
	nested
	kinds
	bounds
	lengths
	autocomplete
	files
)

// takes says which members an option of a type may carry beyond those of every option.
var takes = [...]member{
	SubCommand:      nested,
	SubCommandGroup: nested,
	String:          required | choices | lengths | autocomplete,
	Integer:         required | choices | bounds | autocomplete,
	Boolean:         required,
	OptionUser:      required,
	Channel:         required | kinds,
	Role:            required,
	Mentionable:     required,
	Number:          required | choices | bounds | autocomplete,
	Attachment:      required | files,
}

// The types that may stand in a list of options: a command's own, a group's, a subcommand's.
var (
	anyOption    = []OptionType{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	groupOptions = []OptionType{SubCommand}
	valueOptions = anyOption[2:]
)

// inside returns the types that may stand in the options of an option.
func (t OptionType) inside() []OptionType {
	if t == SubCommandGroup {
		return groupOptions
	}
	return valueOptions
}
