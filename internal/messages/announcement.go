package messages

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
)

// Announcement is a message that a change creates, edits or deletes. The caller passes it to Announced after the commit.
type Announcement struct {
	Message *store.Message
	Post    *message.Post // nil for a deleted message
	// Err is set when there are no events because the channel, guild or application was deleted.
	Err error

	name string // of the events
}

// Put adds a new or edited message and its events to a change. name is Created or Edited, and content the content of
// the message. Only the invoker gets the nonce.
func (s *Messages) Put(
	ctx context.Context, c *store.Change, name string, m *store.Message, content message.Content, nonce message.Nonce,
) (Announcement, error) {
	return s.put(ctx, c, name, m, content, nonce, false)
}

// put is Put. publish says that the followers of the channel get copies of the message.
func (s *Messages) put(
	ctx context.Context, c *store.Change, name string, m *store.Message, content message.Content, nonce message.Nonce, publish bool,
) (Announcement, error) {
	a, err := s.putUnlinked(ctx, c, name, m, content, nonce, publish)
	if err == nil && a.Err == nil {
		err = s.addLinked(ctx, c, name, m)
	}
	return a, err
}

// putUnlinked is put without the events of the lobby that is linked with the channel.
func (s *Messages) putUnlinked(
	ctx context.Context, c *store.Change, name string, m *store.Message, content message.Content, nonce message.Nonce, publish bool,
) (a Announcement, err error) {
	a.name, a.Message = name, m
	s.openPoll(c, name, m, content)
	var list []store.Event
	if a.Post, err = s.PostWith(ctx, m, content); err == nil {
		list, err = s.events(ctx, name, m, a.Post, nonce)
	}
	if isDeleted(err) {
		list, a.Err, err = nil, err, nil
	}
	if err != nil {
		return a, err
	}
	c.Put = append(c.Put, *m)
	c.Events = append(c.Events, list...)
	switch {
	case m.Ephemeral:
		return a, nil
	case name == Created:
		return a, s.addCreated(ctx, c, m)
	}
	if err := s.touch(ctx, c, m.Channel); err != nil || !content.Flags.Has(message.Crossposted) {
		return a, err
	}
	return a, s.addCrosspost(ctx, c, m, publish)
}

// Delete adds the deletion of a message and its events to a change.
func (s *Messages) Delete(ctx context.Context, c *store.Change, m *store.Message) (a Announcement, err error) {
	a.name, a.Message = Deleted, m
	list, err := s.deletedEvents(ctx, m)
	if isDeleted(err) {
		list, a.Err, err = nil, err, nil
	}
	if err != nil {
		return a, err
	}
	c.Delete = append(c.Delete, store.MessageKey(m.ID))
	c.Events = append(c.Events, list...)
	if m.Ephemeral {
		return a, nil
	}
	if err := s.addDeletedCrosspost(ctx, c, m); err != nil {
		return a, err
	}
	before, err := s.channels.Load(ctx, m.Channel)
	if err != nil {
		return a, err
	}
	next := before.ChannelMessages
	next.Count = max(next.Count-1, 0)
	if !m.Pinned.IsZero() {
		next.Pins = max(next.Pins-1, 0)
	}
	s.setChannel(c, next)
	if a.Err == nil {
		err = s.addLinked(ctx, c, Deleted, m)
	}
	return a, err
}

// isDeleted reports whether an error means that the channel, guild or application of a message was deleted. The message
// is still stored.
func isDeleted(err error) bool {
	return errors.Is(err, directory.ErrUnknownChannel) || errors.Is(err, directory.ErrUnknownGuild) ||
		errors.Is(err, directory.ErrUnknownApplication)
}

// Announced logs a message without events. It is called after the commit.
func (s *Messages) Announced(ctx context.Context, a *Announcement) {
	if a.Err != nil {
		s.Log.ErrorContext(ctx, "message not announced", "event", a.name, "message", a.Message.ID, "err", a.Err)
	}
}

// PutLobbyMessage adds a message that a user wrote in a lobby to the change, as a message of the linked channel.
func (s *Messages) PutLobbyMessage(ctx context.Context, c *store.Change, m *store.Message) error {
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return err
	}
	_, err = s.putUnlinked(ctx, c, Created, m, content, "", false)
	return err
}
