package message

import "slices"

// Type is the type of a message.
type Type uint8

// The types of messages that Bellhop creates.
const (
	Default              Type = 0
	RecipientAdd         Type = 1
	RecipientRemove      Type = 2
	ChannelNameChange    Type = 4
	ChannelPinnedMessage Type = 6
	UserJoin             Type = 7
	ChannelFollowAdd     Type = 12
	ThreadCreated        Type = 18
	Reply                Type = 19
	ChatInput            Type = 20
	ThreadStarter        Type = 21
	ContextMenu          Type = 23
	AutoModerationAction Type = 24
	PollResult           Type = 46
)

// written are the types of messages that a user or an app writes. The others are system messages.
var written = []Type{Default, Reply, ChatInput, ContextMenu}

// Written reports whether a user or an app wrote the message. Only such messages can be edited, replied to and forwarded.
func (t Type) Written() bool { return slices.Contains(written, t) }

// Deletable reports whether a message of the type can be deleted. manages says that the user can manage messages.
func (t Type) Deletable(manages bool) bool {
	switch {
	case t >= RecipientAdd && t <= 5, t == ThreadStarter:
		return false
	case t == AutoModerationAction:
		return manages
	default:
		return true
	}
}
