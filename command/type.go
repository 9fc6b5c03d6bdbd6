package command

// Type is the type of a command, by its number in the API.
type Type uint8

// The types of commands.
const (
	ChatInput         Type = 1
	User              Type = 2
	Message           Type = 3
	PrimaryEntryPoint Type = 4
)

// Handler selects what handles the use of an entry point.
type Handler uint8

// The handlers.
const (
	AppHandler     Handler = 1 // the app answers the interaction
	LaunchActivity Handler = 2 // the service launches the activity
)

// Max returns how many commands of the type a scope may hold.
func (t Type) Max() int {
	switch t {
	case ChatInput:
		return 100
	case User, Message:
		return 15
	case PrimaryEntryPoint:
		return 1
	default:
		return 0
	}
}
