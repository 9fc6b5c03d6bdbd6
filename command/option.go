package command

// OptionType is the type of an option, by its number in the API.
type OptionType uint8

// The types of options. OptionUser is USER in the API; [User] is a type of command.
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

// Nests reports whether an option of the type contains other options instead of a value.
func (t OptionType) Nests() bool { return t == SubCommand || t == SubCommandGroup }

// Option is an option of a command. It has the members of all types, so that Validate can report a member that the type
// does not allow.
type Option struct {
	Type                     OptionType
	Name                     string
	NameLocalizations        map[string]string
	Description              string
	DescriptionLocalizations map[string]string
	Required                 bool
	Choices                  []Choice
	Options                  []Option
	ChannelTypes             []ChannelType
	MinValue, MaxValue       *float64 // whole numbers for Integer options
	MinLength, MaxLength     *int
	Autocomplete             bool
	FileTypes                []string // in lower case
}

// member is a set of members that only some types of options allow.
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

// takes lists the members that each type of option allows, in addition to those of all types.
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

// The types of options that a command, a group and a subcommand can contain.
var (
	anyOption    = []OptionType{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	groupOptions = []OptionType{SubCommand}
	valueOptions = anyOption[2:]
)

// inside returns the types of options that an option of type t can contain.
func (t OptionType) inside() []OptionType {
	if t == SubCommandGroup {
		return groupOptions
	}
	return valueOptions
}
