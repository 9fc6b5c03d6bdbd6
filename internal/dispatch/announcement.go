package dispatch

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// announcement contains the events about a new or edited message.
type announcement struct {
	name    string // of the events
	message *store.Message
	post    message.Post
	events  []store.Event
	// err is set when there are no events because the channel, guild or application was deleted.
	err error
}

// announce returns the events about a new or edited message with the content c. Only the invoker gets the nonce.
func (s *service) announce(
	ctx context.Context, name string, m *store.Message, c message.Content, nonce string,
) (a announcement, err error) {
	a.name, a.message = name, m
	if a.post, err = s.messages.PostWith(ctx, m, c); err == nil {
		a.events, err = s.messages.Events(ctx, name, m, a.post, nonce)
	}
	if isDeleted(err) {
		a.err, err = err, nil
	}
	return a, err
}

// isDeleted reports whether an error means that the channel, guild or application of a message was deleted. The message
// is still stored.
func isDeleted(err error) bool {
	return errors.Is(err, directory.ErrUnknownChannel) || errors.Is(err, directory.ErrUnknownGuild) ||
		errors.Is(err, directory.ErrUnknownApplication)
}

// announced passes a message to the watches and to Linked, after the commit: to the watch of the interaction that created
// the message, and to that of the interaction by which the app created or edited it.
func (s *service) announced(ctx context.Context, by snowflake.Interaction, a *announcement) {
	if a.err != nil {
		s.Log.ErrorContext(ctx, "message not announced", "interaction", a.message.Interaction, "err", a.err)
		return
	}
	s.watches.putMessage(a.message.Interaction, a.message.ID, a.post)
	if by != a.message.Interaction {
		s.watches.putMessage(by, a.message.ID, a.post)
	}
	s.messages.NotifyLinked(ctx, a.name, a.message)
}

// AnnounceLobbyMessage publishes a durable message that a user wrote in a lobby, in the linked channel.
func (s *service) AnnounceLobbyMessage(ctx context.Context, m *store.Message) {
	p, err := s.messages.Post(ctx, m)
	var list []store.Event
	if err == nil {
		list, err = s.messages.Events(ctx, messages.Created, m, p, "")
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "lobby message not announced in the linked channel", "message", m.ID, "err", err)
		return
	}
	for _, e := range list {
		s.Events.Publish(e.Event)
	}
	s.messages.NotifyLinked(ctx, messages.Created, m)
}
