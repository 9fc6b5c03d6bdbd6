// Package interaction defines invocations, interactions and callbacks: it reads the request of a client, checks its
// options against the definition of the command, writes the interaction object that an app receives, reads the app's
// response, and defines the states of an interaction. The content of messages is defined in package message. The
// package performs no I/O and reads no clock: callers pass in the users, roles and channels that options name.
//
// # Steps of an invocation
//
//	in, err := interaction.ReadInvoke(body)                // reports all errors at once
//	err = in.CheckCommand(c)                               // the registered command has the same version
//	matched, err := interaction.MatchOptions(d, in, files) // options fit the definition
//	resolved := …                                          // the caller looks up matched.Wanted()
//	err = matched.Check(resolved)                          // required users, roles and channels exist
//	body := interaction.Interaction{…}.AppendJSON(nil)
//	cb, err := interaction.ReadCallback(answer, origin)
//	state, err = state.Acknowledge(cb.Type, arrived, now)
//
// [MatchComponent] and [MatchModal] do the same for components and modals.
//
// # Output
//
// The JSON that AppendJSON writes equals what JavaScript's JSON.stringify(JSON.parse(json)) returns; see
// [wire.Printer]. Maps by id are in ascending order.
//
// # Where the API documentation leaves a choice
//
//   - Options keep the order of the request.
//   - An autocomplete interaction leaves out options without a value, and attachment options.
//   - A target that does not exist gets the same error as an unknown command.
//   - A modal submission that does not fit the modal gets the error of components.
//   - The first response must arrive within [Deadline]. [Grace] is the additional time to read its body.
//   - The response to a modal has the message type of the interaction that opened the modal.
package interaction

// Type is the type of an interaction.
type Type uint8

// The types of interactions.
const (
	Ping               Type = 1
	ApplicationCommand Type = 2
	MessageComponent   Type = 3
	Autocomplete       Type = 4
	ModalSubmit        Type = 5
)
