package command

// Type is the kind of a command.
type Type uint8

// The kinds of commands.
const (
	ChatInput         Type = 1
	User              Type = 2
	Message           Type = 3
	PrimaryEntryPoint Type = 4
)
