package messages

import (
	"context"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	rules "github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Open returns a message that a decision changes, and the place in which it is. The viewer sees the channel.
func (s *Messages) Open(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, id snowflake.Message,
) (*directory.Place, *store.Message, error) {
	place, err := s.enter(ctx, viewer, channel)
	if err != nil {
		return nil, nil, err
	}
	m, err := s.Load(ctx, channel, id)
	if err == nil && (m == nil || m.Ephemeral) {
		err = interaction.ErrUnknownMessage
	}
	return place, m, err
}

// revision is an edit of a message in a decision.
type revision struct {
	place   *directory.Place
	message *store.Message
	old     message.Content
	content message.Content
}

// Edit edits a message of a channel. It returns the message as JSON.
func (s *Messages) Edit(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, id snowflake.Message, r Request,
) (text []byte, err error) {
	return s.edit(ctx, r, func(ctx context.Context, files *Uploads) (*revision, error) {
		place, m, err := s.Open(ctx, viewer, channel, id)
		if err != nil {
			return nil, err
		}
		v := &revision{place: place, message: m}
		if v.old, err = message.ParseContent(m.Content); err != nil {
			return nil, err
		}
		if err := checkEdit(place, m, &v.old, r, files); err != nil {
			return nil, err
		}
		if v.content, err = message.ReadChannelEdit(r.Body, v.old, files.Files, !viewer.Bot); err != nil {
			return nil, err
		}
		return v, s.checkParts(ctx, place, &v.content)
	})
}

// edit stores the files of a request and commits the edit that revise returns. It returns the message as JSON.
func (s *Messages) edit(
	ctx context.Context, r Request, revise func(context.Context, *Uploads) (*revision, error),
) (text []byte, err error) {
	files := s.Receive(ctx, r.Files, false)
	var v *revision
	var done Announcement
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		if v, err = revise(ctx, files); err != nil {
			return c, err
		}
		m := v.message
		of := Owner{Application: snowflake.Application(v.place.Viewer.User), Guild: m.Guild}
		if err := files.AddTo(ctx, &c, of, v.content.Attachments); err != nil {
			return c, err
		}
		s.SetFiles(m.Channel, &v.content)
		d := draft{place: v.place, in: message.Create{Content: v.content}, record: *m}
		if message.MarksEdited(r.Body, files.Files) {
			d.record = Revise(*m, v.content, s.Clock.Now())
			err = s.setMentions(ctx, &d)
		} else {
			d.record.Content = v.content.Doc()
		}
		if err != nil {
			return c, err
		}
		if done, err = s.Put(ctx, &c, Edited, &d.record, v.content, ""); err != nil {
			return c, err
		}
		if err := s.markOwn(ctx, done.Post, v.place.Viewer.User); err != nil {
			return c, err
		}
		text = done.Post.AppendJSON(nil)
		return c, done.Err
	})
	if err != nil {
		files.Discard(ctx)
		return nil, err
	}
	files.Keep(ctx, v.content.Attachments)
	s.DeleteFiles(ctx, RemovedFiles(v.old.Attachments, v.content.Attachments))
	s.Announced(ctx, &done)
	return text, nil
}

// checkEdit checks whether the viewer may edit a message. Others than the author may change flags only.
func checkEdit(p *directory.Place, m *store.Message, old *message.Content, r Request, files *Uploads) error {
	own := m.Author() == p.Viewer.User
	op := permission.OpEditMessage
	if !own && message.OnlyFlags(r.Body, files.Files) {
		op = permission.OpSuppressEmbeds
	}
	if err := p.Allow(op, own); err != nil {
		return err
	}
	if err := p.AllowState(rules.ThreadEditMessage); err != nil {
		return err
	}
	if files.TooLarge() {
		return attachments.ErrFileTooLarge
	}
	return old.CheckEditable(m.Type)
}

// DeleteOne deletes a message of a channel. The audit log of the guild has an entry if a person deletes a message of another user.
func (s *Messages) DeleteOne(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, id snowflake.Message,
) error {
	logged := viewer.User
	if viewer.Bot {
		logged = 0
	}
	return s.deleteOne(ctx, logged, func(ctx context.Context) (*store.Message, error) {
		place, m, err := s.Open(ctx, viewer, channel, id)
		if err != nil {
			return nil, err
		}
		if err := place.Allow(permission.OpDeleteMessage, m.Author() == viewer.User); err != nil {
			return nil, err
		}
		if err := place.AllowState(rules.ThreadDeleteMessage); err != nil {
			return nil, err
		}
		if !m.Type.Deletable(place.Bits().Has(permission.ManageMessages)) {
			return nil, apierror.SystemMessage
		}
		return m, nil
	})
}

// deleteOne deletes the message that open returns. by is the person who does it, 0 for a bot or a webhook.
func (s *Messages) deleteOne(ctx context.Context, by snowflake.User, open func(context.Context) (*store.Message, error)) error {
	var done Announcement
	err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		m, err := open(ctx)
		if err != nil {
			return c, err
		}
		if done, err = s.Delete(ctx, &c, m); err == nil {
			err = done.Err
		}
		if err == nil && by != 0 && by != m.Author() {
			err = s.record(ctx, &c, permission.OpDeleteMessage, by, m)
		}
		return c, err
	})
	if err != nil {
		return err
	}
	s.DeleteFiles(ctx, done.Message.Files)
	s.Announced(ctx, &done)
	return nil
}

// DeleteBulk deletes many messages of a guild channel at once.
func (s *Messages) DeleteBulk(ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, body jsonbody.Value) error {
	return s.deleteAll(ctx, func(ctx context.Context, c *store.Change) ([]*store.Message, error) {
		place, err := s.enter(ctx, viewer, channel)
		if err != nil {
			return nil, err
		}
		if err := place.Allow(permission.OpBulkDeleteMessages, false); err != nil {
			return nil, err
		}
		ids, err := message.ReadBulkDelete(body, s.Clock.Now())
		if err != nil {
			return nil, err
		}
		deleted, err := s.removeAll(ctx, c, channel, ids)
		if err == nil && len(deleted) > 0 {
			err = s.recordBulk(ctx, c, viewer.User, deleted)
		}
		return deleted, err
	})
}

// deleteAll commits a decision that deletes messages, and then deletes their files.
func (s *Messages) deleteAll(
	ctx context.Context, decide func(context.Context, *store.Change) ([]*store.Message, error),
) error {
	var deleted []*store.Message
	err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		deleted, err = decide(ctx, &c)
		return c, err
	})
	if err != nil {
		return err
	}
	for _, m := range deleted {
		s.DeleteFiles(ctx, m.Files)
	}
	return nil
}

// removeAll adds the deletion of those messages that are in the channel to a change, with one event.
func (s *Messages) removeAll(
	ctx context.Context, c *store.Change, channel snowflake.Channel, ids []snowflake.Message,
) ([]*store.Message, error) {
	before, err := s.channels.Load(ctx, channel)
	if err != nil {
		return nil, err
	}
	next := before.ChannelMessages
	var deleted []*store.Message
	for _, id := range ids {
		m, err := s.Load(ctx, channel, id)
		switch {
		case err != nil:
			return nil, err
		case m == nil || m.Ephemeral:
			continue
		case !m.Type.Deletable(true):
			return nil, apierror.SystemMessage
		}
		if err := s.addDeletedCrosspost(ctx, c, m); err != nil {
			return nil, err
		}
		deleted = append(deleted, m)
		c.Delete = append(c.Delete, store.MessageKey(id))
		next.Count = max(next.Count-1, 0)
		if !m.Pinned.IsZero() {
			next.Pins = max(next.Pins-1, 0)
		}
		if err := s.addLinked(ctx, c, Deleted, m); err != nil {
			return nil, err
		}
	}
	if len(deleted) == 0 {
		return nil, nil
	}
	s.setChannel(c, next)
	c.Events = append(c.Events, bulkEvent(deleted))
	return deleted, nil
}

// bulkEvent returns the event about many deleted messages of a guild channel.
func bulkEvent(deleted []*store.Message) store.Event {
	var p wire.Printer
	p.Raw(`{"ids":[`)
	for i, m := range deleted {
		p.Comma(i > 0)
		p.ID("", uint64(m.ID))
	}
	first := deleted[0]
	p.ID(`],"channel_id":`, uint64(first.Channel))
	p.ID(`,"guild_id":`, uint64(first.Guild))
	p.Raw(`}`)
	return store.Event{Subject: first.Subject(), Event: events.Event{
		Name: "MESSAGE_DELETE_BULK", Data: p.Out,
		To: events.Audience{Guild: first.Guild, Channel: first.Channel, Intents: events.GuildMessages},
	}}
}
