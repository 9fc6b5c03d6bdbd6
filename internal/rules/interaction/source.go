package interaction

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// Source describes the origin of a message of an interaction.
type Source struct {
	Command   command.Type      // type of the command at the start of the chain of interactions; 0: none
	Component snowflake.Message // the message with the component that was used or that opened the modal; 0: none
	Original  snowflake.Message // the original response of a follow-up; 0: the message is the original response
	Target    snowflake.Message // of a MESSAGE command
}

// Type returns the type of the message.
func (s Source) Type() message.Type {
	switch {
	case s.Original != 0, s.Component != 0:
		return message.Reply
	case s.Command == command.User, s.Command == command.Message:
		return message.ContextMenu
	}
	return message.ChatInput
}

// Reference returns the referenced message: the original response of a follow-up, the message with the component, the
// target of a MESSAGE command, or 0.
func (s Source) Reference() snowflake.Message {
	switch {
	case s.Original != 0:
		return s.Original
	case s.Component != 0:
		return s.Component
	}
	return s.Target
}
