package message

import (
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Masked returns the content for apps that may not read it: without text, embeds, files, components and poll.
func (c Content) Masked() Content {
	return Content{TTS: c.TTS, Flags: c.Flags, Stickers: c.Stickers, Theme: c.Theme}
}

// Reader is an app that gets a message in an event or in a response.
type Reader struct {
	Bot snowflake.User
	// Intent means that the app may read the content of all messages. For events, that is the MESSAGE_CONTENT intent of
	// the session; for responses, the setting of the app.
	Intent bool
}

// Seen holds the properties of a message that decide who sees its content.
type Seen struct {
	Author   snowflake.User        // 0: a webhook
	App      snowflake.Application // of the interaction or of the webhook that sent the message; 0: none
	Direct   bool                  // a direct message of the app
	Mentions []snowflake.User      // mentioned users; a mention of a role does not count
	Target   bool                  // the target of a message command of the app
}

// Sees reports whether the app gets the content: with the intent, and without it for its own messages, for direct
// messages with the app, for messages that mention its bot, and for the targets of its message commands.
func (r Reader) Sees(m Seen) bool {
	return r.Intent || m.Author == r.Bot || m.App != 0 && m.App == snowflake.Application(r.Bot) || m.Direct || m.Target ||
		slices.Contains(m.Mentions, r.Bot)
}
