// Package interaction knows what an app receives and what it may answer: the request of a person's client, its options
// checked against the definition of the command, the interaction object as it travels, callbacks, and the states an
// interaction goes through. What the messages consist of that callbacks make stands in package message. It performs no
// I/O and reads no clock: whatever lies outside, such as the people and places that options speak of, is handed in.
//
// # The way of an invocation
//
//	in, err := interaction.ReadInvoke(body)             // every member, all faults at once
//	err = in.CheckCommand(c)                            // the command it names is this one, in this version
//	call, err := interaction.MatchOptions(d, in, files) // options against the definition
//	resolved := …                                       // the caller looks up call.Wanted()
//	err = call.Check(resolved)                          // what had to exist does
//	body := interaction.Interaction{…}.AppendJSON(nil)
//	cb, err := interaction.ReadCallback(answer, origin)
//	state, err = state.Acknowledge(cb.Type, arrived, now)
//
// Components and modals go the same way through [MatchComponent] and [MatchModal].
//
// # What is written
//
// Everything that AppendJSON writes equals what JavaScript makes of it when it reads it and writes it again: package
// payload does that. Maps keyed by ids are in ascending order.
//
// # Where the sources leave a choice
//
//   - Options keep the order in which they were sent.
//   - An option of an autocomplete request that has no value yet is left out, as are files, which such requests lack.
//   - A target that does not exist makes the command invalid as if it were unknown.
//   - A modal whose answer does not fit is refused in the words for components.
//   - The first answer counts when it arrived within [Deadline]; [Grace] is for what it takes to read it to its end.
//   - A modal's answer has the message type of whatever opened the modal.
package interaction

// Type is the kind of an interaction.
type Type uint8

// The kinds of interactions.
const (
	Ping               Type = 1
	ApplicationCommand Type = 2
	MessageComponent   Type = 3
	Autocomplete       Type = 4
	ModalSubmit        Type = 5
)
