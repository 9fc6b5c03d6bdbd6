package message

import "github.com/bellhop/bellhop/internal/rules/apierror"

// SourceMessageDeleted is the flag of a copy whose published message was deleted.
const SourceMessageDeleted Flags = 1 << 3

// copiedFlags are the flags that the copy of a published message keeps.
const copiedFlags = SuppressEmbeds | SuppressNotifications | IsVoiceMessage | HasSnapshot | IsComponentsV2

// Published returns the content of a message that is published to the followers of its channel. The error is an
// *apierror.Error.
func (c Content) Published(t Type) (Content, error) {
	switch {
	case !t.Written():
		return Content{}, apierror.SystemMessage
	case c.Flags.Has(Crossposted):
		return Content{}, apierror.AlreadyPublished
	case c.Flags.Has(IsCrosspost), c.Poll.IsSet():
		return Content{}, apierror.WrongMessageType
	}
	c.Flags |= Crossposted
	return c, nil
}

// Copied returns the content of a copy of a published message. The copy mentions no users and roles. It has no components that
// create interactions, unless they are the only content.
func (c Content) Copied() Content {
	c.Flags = c.Flags&copiedFlags | IsCrosspost
	c.TTS, c.Mentions = false, AllowedMentions{}
	if plain := c; c.Components.interactive() {
		plain.Components = Components{}
		if !plain.empty() {
			return plain
		}
	}
	return c
}

// Withdrawn returns the content of a copy whose published message was deleted.
func Withdrawn() Content {
	return Content{Text: "[Original Message Deleted]", Flags: IsCrosspost | SourceMessageDeleted}
}
