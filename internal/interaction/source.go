package interaction

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/snowflake"
)

// Source is what a message of an interaction comes from.
type Source struct {
	Command   command.Type      // of the command that it all began with; 0: none
	Component snowflake.Message // with the component that was used, or that opened the modal; 0: none
	Original  snowflake.Message // that a follow-up follows; 0: it is the first answer
	Target    snowflake.Message // of a MESSAGE command
}

// Type returns the kind of message.
func (s Source) Type() message.Type {
	switch {
	case s.Original != 0, s.Component != 0:
		return message.Reply
	case s.Command == command.User, s.Command == command.Message:
		return message.ContextMenu
	}
	return message.ChatInput
}

// Reference returns the message that it refers to: the original of a follow-up, the one with the component, the target
// of a MESSAGE command, or 0.
func (s Source) Reference() snowflake.Message {
	switch {
	case s.Original != 0:
		return s.Original
	case s.Component != 0:
		return s.Component
	}
	return s.Target
}
