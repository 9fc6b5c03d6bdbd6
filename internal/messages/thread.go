package messages

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// addThreads adds to a message of a guild when the thread was created that it is in, and the thread that was created from
// it.
func (s *Messages) addThreads(ctx context.Context, m *store.Message, p *message.Post) error {
	where, err := s.Directory.Channels.Channel(ctx, m.Channel)
	if err != nil && !errors.Is(err, directory.ErrUnknownChannel) {
		return err
	}
	if err == nil && world.IsThread(where.Type) {
		p.Thread = where.ID.Time()
	}
	if !p.Content.Flags.Has(message.HasThread) {
		return nil
	}
	thread, err := s.Directory.Channels.Channel(ctx, snowflake.Channel(m.ID))
	if errors.Is(err, directory.ErrUnknownChannel) {
		return nil
	}
	if err != nil {
		return err
	}
	shown, err := s.Directory.Channels.Thread(ctx, thread)
	if err == nil {
		p.ThreadChannel, err = json.Marshal(shown)
	}
	return err
}

// prepareThread adds the post that a new message begins to a change, or prepares the thread of the message for it. The returned
// context sees the post.
func (s *Messages) prepareThread(ctx context.Context, c *store.Change, d *draft) (context.Context, error) {
	switch {
	case s.Threads == nil:
		return ctx, nil
	case d.post != nil:
		return s.Threads.AddPost(ctx, c, d.place, *d.post)
	case d.place.IsThread():
		return ctx, s.Threads.Enliven(ctx, c, d.place, d.record.Author(), d.record.Mentions)
	}
	return ctx, nil
}

// PutSystem adds a system message with a new id and its events to a change. m has its channel, guild, type, user, reference and
// mentions.
func (s *Messages) PutSystem(ctx context.Context, c *store.Change, m store.Message, text string) (Announcement, error) {
	return s.PutNew(ctx, c, m, message.Content{Text: text})
}

// PutNew adds a message with a new id and its events to a change. m has everything but its id and its content.
func (s *Messages) PutNew(ctx context.Context, c *store.Change, m store.Message, content message.Content) (Announcement, error) {
	before, err := s.channels.Load(ctx, m.Channel)
	if err != nil {
		return Announcement{}, err
	}
	s.IDs.Observe(uint64(before.Last)) // the clock of another node may be ahead
	m.ID = snowflake.Message(s.IDs.Next())
	m.Content = content.Doc()
	return s.Put(ctx, c, Created, &m, content, "")
}

// SystemMessage returns a system message in a channel that a user or bot caused, without its id and content.
func SystemMessage(in *store.Channel, by directory.Viewer, kind message.Type) store.Message {
	m := store.Message{Channel: in.ID, Guild: in.Guild, User: by.User, Type: kind}
	if by.Bot {
		m.Application = snowflake.Application(by.User)
		m.Metadata.Owners = store.Owners{ByGuild: true, Guild: in.Guild}
	}
	return m
}

// PutFirst adds the first message of a post to a change. The message has the id of the post. place is the forum. The caller calls
// Uploads.Keep and Announced after the commit, or Uploads.Discard.
func (s *Messages) PutFirst(
	ctx context.Context, c *store.Change, place *directory.Place, id snowflake.Message, content *message.Content, files *Uploads,
) (Announcement, error) {
	if err := s.checkParts(ctx, place, content); err != nil {
		return Announcement{}, err
	}
	viewer, channel := place.Viewer, snowflake.Channel(id)
	if _, err := s.channels.Load(ctx, channel); err != nil {
		return Announcement{}, err
	}
	of := Owner{Application: snowflake.Application(viewer.User), Guild: place.Channel.Guild}
	if err := files.AddTo(ctx, c, of, content.Attachments); err != nil {
		return Announcement{}, err
	}
	s.SetFiles(channel, content)
	d := draft{place: place, in: message.Create{Content: *content}}
	d.record = store.Message{ID: id, Channel: channel, Guild: place.Channel.Guild, User: viewer.User}
	if viewer.Bot {
		d.record.Application = snowflake.Application(viewer.User)
		d.record.Metadata.Owners = store.Owners{ByGuild: true, Guild: place.Channel.Guild}
	}
	d.record.SetContent(*content)
	if err := s.setMentions(ctx, &d); err != nil {
		return Announcement{}, err
	}
	return s.Put(ctx, c, Created, &d.record, *content, "")
}

// SetLastPost adds to a change that a post is the last one of a forum. A forum shows it as its last message.
func (s *Messages) SetLastPost(ctx context.Context, c *store.Change, forum *store.Channel, post snowflake.Channel) error {
	next, err := s.upcoming(ctx, c, forum.ID)
	if err != nil {
		return err
	}
	next.Guild, next.Last = forum.Guild, max(next.Last, snowflake.Message(post))
	s.setChannel(c, next)
	return nil
}

// MarkThread adds to a change that a thread was created from a message.
func (s *Messages) MarkThread(ctx context.Context, c *store.Change, m store.Message) (Announcement, error) {
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return Announcement{}, err
	}
	content.Flags |= message.HasThread
	m.Content = content.Doc()
	return s.Put(ctx, c, Edited, &m, content, "")
}

// HasThread reports whether a thread was created from a message.
func HasThread(m *store.Message) bool {
	content, err := message.ParseContent(m.Content)
	return err == nil && content.Flags.Has(message.HasThread)
}
