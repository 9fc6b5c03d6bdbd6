package dev

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/polls"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// PersonAction is an action of a person in a channel: a new message, or a change of one.
type PersonAction struct {
	As      string // id or username of the user
	In      string // id of the channel, or the names of its guild and of the channel with a slash between
	Verb    Verb
	Message string         // id of the message to act on; empty with VerbSend
	ReplyTo string         // id of the message that a new message replies to; empty: none
	Text    string         // the new text with VerbEdit, the emoji with VerbReact and VerbUnreact
	Vote    jsonbody.Value // the list of answers with VerbVote
	// Body is the request for a new message, as POST /channels/{channel.id}/messages takes it.
	Body  jsonbody.Value
	Files []attachments.Upload // of a new message
	// Wait is the time in which messages of apps to the channel are collected, in real time.
	Wait time.Duration
}

// Verb is the kind of a PersonAction. All but VerbSend are members of the request.
type Verb string

// What a person does.
const (
	VerbSend    Verb = "content"
	VerbReact   Verb = "react"
	VerbUnreact Verb = "unreact"
	VerbEdit    Verb = "edit"
	VerbDelete  Verb = "delete"
	VerbVote    Verb = "vote"
	VerbType    Verb = "typing" // without a message
)

// Said is the result of a PersonAction.
type Said struct {
	Message []byte   // the message as JSON; nil if it was deleted, and with VerbType
	Answers [][]byte // what apps sent to the channel meanwhile, as JSON, oldest first
}

// Say does what a person does in a channel, and returns the result with what apps sent to the channel meanwhile. The error
// is an *InvocationError, or the error with which the service refuses the action.
func (a *API) Say(ctx context.Context, p PersonAction) (said Said, err error) {
	viewer, channel, err := a.findPerson(ctx, p.As, p.In)
	if err != nil {
		return said, err
	}
	message, err := a.findMessage(ctx, "message", p.Message, channel)
	if err != nil {
		return said, err
	}
	before, err := a.Messages.Last(ctx, channel)
	if err != nil {
		return said, err
	}
	reaction := messages.ReactionPath{Channel: channel, Message: message, Emoji: p.Text}
	switch p.Verb {
	case VerbEdit:
		body := jsonbody.ObjectOf(text("content", p.Text))
		said.Message, err = a.Messages.Edit(ctx, viewer, channel, message, messages.Request{Body: body})
	case VerbReact:
		err = a.Messages.React(ctx, viewer, reaction)
	case VerbUnreact:
		err = a.Messages.Unreact(ctx, viewer, reaction, viewer.User)
	case VerbVote:
		body := jsonbody.ObjectOf(jsonbody.Member{Name: "answer_ids", Value: p.Vote})
		err = a.Polls.Vote(ctx, viewer, polls.Path{Channel: channel, Message: message}, body)
	case VerbDelete:
		err = a.Messages.DeleteOne(ctx, viewer, channel, message)
	case VerbType:
		_, err = a.Messages.StartTyping(ctx, viewer, channel)
	default:
		var r messages.Request
		if r, err = a.newMessage(ctx, p, channel); err == nil {
			said.Message, err = a.Messages.Create(ctx, viewer, channel, r)
		}
	}
	if err == nil && slices.Contains([]Verb{VerbReact, VerbUnreact, VerbVote}, p.Verb) {
		said.Message, err = a.render(ctx, message, viewer)
	}
	if err != nil || p.Wait == 0 {
		return said, err
	}
	if err := a.pause(ctx, p.Wait); err != nil {
		return said, err
	}
	said.Answers, err = a.Messages.FromApps(ctx, channel, before)
	return said, err
}

// newMessage returns the request for a new message.
func (a *API) newMessage(ctx context.Context, p PersonAction, channel snowflake.Channel) (messages.Request, error) {
	r := messages.Request{Body: p.Body, Files: p.Files}
	if p.ReplyTo == "" {
		return r, nil
	}
	to, err := a.findMessage(ctx, "reply_to", p.ReplyTo, channel)
	reference := jsonbody.ObjectOf(text("message_id", to.String()))
	r.Body = r.Body.With(jsonbody.ObjectOf(jsonbody.Member{Name: "message_reference", Value: reference}))
	return r, err
}

// render returns the JSON of a message as a viewer sees it, or nil if it was deleted meanwhile.
func (a *API) render(ctx context.Context, id snowflake.Message, viewer directory.Viewer) ([]byte, error) {
	m, err := a.Messages.Find(ctx, id)
	if err != nil || m == nil {
		return nil, err
	}
	return a.Messages.Render(ctx, m, viewer.User)
}

// findPerson returns the person and the channel with the given names. A bot is no person.
func (a *API) findPerson(ctx context.Context, as, in string) (directory.Viewer, snowflake.Channel, error) {
	user, channel, err := a.findPlace(ctx, as, in)
	if err == nil && user.Bot {
		err = &InvocationError{"as", fmt.Sprintf("%q is a bot, and only people act here", as)}
	}
	if err != nil {
		return directory.Viewer{}, 0, err
	}
	return directory.Viewer{User: user.ID}, channel, nil
}

// findMessage returns the id of a message that a field names. The id is 0 for an empty name.
func (a *API) findMessage(ctx context.Context, field, name string, channel snowflake.Channel) (snowflake.Message, error) {
	if name == "" {
		return 0, nil
	}
	unknown := &InvocationError{field, fmt.Sprintf("the channel has no message with the id %q", name)}
	id, err := snowflake.Parse[snowflake.Message](name)
	if err != nil {
		return 0, unknown
	}
	m, err := a.Messages.Find(ctx, id)
	if err == nil && (m == nil || m.Channel != channel || m.Ephemeral) {
		err = unknown
	}
	return id, err
}

// pause waits for d in real time. It returns dispatch.ErrClosed if the service stops first.
func (a *API) pause(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer a.waits.add(func() { cancel(dispatch.ErrClosed) })()
	clock.Pause(ctx, d)
	return context.Cause(ctx)
}
