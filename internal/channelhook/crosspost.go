package channelhook

import (
	"bytes"
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// sweepConcurrency is the number of published messages that are copied at the same time.
const sweepConcurrency = 16

// committed tells the sweeper of the published messages that a change writes.
func (s *Webhooks) committed(c *store.Change) {
	for _, r := range c.Put {
		if p, ok := r.(store.Crosspost); ok && p.After == 0 {
			s.Due(p.Due)
		}
	}
}

// repeat creates or changes the copies of a published message, each in a change of its own. It continues where an earlier call
// stopped.
func (s *Webhooks) repeat(ctx context.Context, id snowflake.Message) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var done messages.Announcement
		err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
			done, more, err = s.repeatOnce(ctx, &c, id)
			return c, err
		})
		if err != nil {
			return err
		}
		if done.Message != nil {
			s.Messages.Announced(ctx, &done)
		}
	}
	return nil
}

// repeatOnce adds the next copy of a published message to a change. It reports whether there may be more copies.
func (s *Webhooks) repeatOnce(
	ctx context.Context, c *store.Change, id snowflake.Message,
) (done messages.Announcement, more bool, err error) {
	work, err := s.crossposts.Load(ctx, id)
	if err != nil || work.Message == 0 {
		return done, false, err
	}
	source, err := s.Messages.Find(ctx, id) // an edit or a deletion changes work too
	if err != nil {
		return done, false, err
	}
	next, err := s.nextCopy(ctx, work, source != nil)
	if err != nil {
		return done, false, err
	}
	if next.Webhook == 0 {
		c.Delete = append(c.Delete, store.CrosspostKey(id))
		if source == nil {
			c.Delete = append(c.Delete, store.CopiesKey(id))
		}
		return done, false, nil
	}
	after := *work
	after.After = next.Webhook
	c.Put = append(c.Put, after)
	s.crossposts.Next(c, id, &after)
	if next.Message == 0 {
		done, err = s.addCopy(ctx, c, source, next)
	} else {
		done, err = s.changeCopy(ctx, c, source, next)
	}
	return done, true, err
}

// nextCopy returns the copy to create or to change next. Its Message is 0 if it does not exist, and its Webhook is 0 if there is
// nothing left to do. exists says that the published message exists.
func (s *Webhooks) nextCopy(ctx context.Context, work *store.Crosspost, exists bool) (next store.Copy, err error) {
	err = s.Cache.Store().Read(ctx, func(r store.Reader) error {
		if !work.Fresh || !exists {
			list, err := r.Messages.Copies(work.Message, work.After, 1)
			if len(list) > 0 {
				next = list[0]
			}
			return err
		}
		list, err := r.Webhooks.Followers(work.Channel, work.After, 1)
		if err != nil || len(list) == 0 {
			return err
		}
		next, err = r.Messages.Copy(work.Message, list[0])
		if errors.Is(err, store.ErrNotFound) {
			next, err = store.Copy{Source: work.Message, Webhook: list[0]}, nil
		}
		return err
	})
	return next, err
}

// addCopy adds a copy of a published message to a change, unless the webhook or its channel was deleted.
func (s *Webhooks) addCopy(
	ctx context.Context, c *store.Change, source *store.Message, to store.Copy,
) (done messages.Announcement, err error) {
	h, err := s.find(ctx, to.Webhook)
	if errors.Is(err, apierror.UnknownWebhook) {
		return done, nil
	}
	if err != nil {
		return done, err
	}
	if exists, err := s.exists(ctx, h.Channel); err != nil || !exists {
		return done, err
	}
	content, err := message.ParseContent(source.Content)
	if err != nil {
		return done, err
	}
	done, err = s.Messages.PutNew(ctx, c, store.Message{
		Channel: h.Channel, Guild: h.Guild, Webhook: &store.WebhookAuthor{ID: h.ID, Name: h.Name, Avatar: h.Avatar}, Edited: source.Edited,
		Source:   &store.Reference{Message: source.ID, Channel: source.Channel, Guild: source.Guild},
		Snapshot: source.Snapshot,
	}, content.Copied())
	if err != nil {
		return done, err
	}
	to.Channel, to.Message = h.Channel, done.Message.ID
	c.Put = append(c.Put, to)
	return done, nil
}

// changeCopy adds the new content of a copy to a change, if the copy exists and its content differs. source is nil if the
// published message was deleted.
func (s *Webhooks) changeCopy(
	ctx context.Context, c *store.Change, source *store.Message, to store.Copy,
) (done messages.Announcement, err error) {
	if exists, err := s.exists(ctx, to.Channel); err != nil || !exists {
		return done, err
	}
	m, err := s.Messages.Load(ctx, to.Channel, to.Message)
	if err != nil || m == nil {
		return done, err
	}
	next, content := *m, message.Withdrawn()
	if source != nil {
		if content, err = message.ParseContent(source.Content); err != nil {
			return done, err
		}
		content, next.Edited = content.Copied(), source.Edited
	}
	next.Content = content.Doc()
	if bytes.Equal(next.Content, m.Content) && next.Edited.Equal(m.Edited) {
		return done, nil
	}
	return s.Messages.Put(ctx, c, messages.Edited, &next, content, "")
}

// exists reports whether a channel exists.
func (s *Webhooks) exists(ctx context.Context, id snowflake.Channel) (bool, error) {
	_, err := s.Directory.Channels.Channel(ctx, id)
	if errors.Is(err, directory.ErrUnknownChannel) {
		return false, nil
	}
	return err == nil, err
}
