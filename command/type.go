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

// Handler says who answers when an entry point is used.
type Handler uint8

// The handlers.
const (
	AppHandler     Handler = 1 // the app
	LaunchActivity Handler = 2 // the service, which launches the Activity
)
