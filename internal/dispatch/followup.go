package dispatch

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Original is the message id for the original response of an interaction.
const Original snowflake.Message = 0

// followUps handle the requests with an interaction token after the first answer.
type followUps struct{ *service }

// open returns the interaction of a token, which must belong to the app.
func (s *followUps) open(ctx context.Context, app snowflake.Application, token string) (*store.Interaction, error) {
	id, ok := tokenID(token)
	if !ok {
		return nil, interaction.ErrUnknownWebhook
	}
	i, err := s.interactions.find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case i.ID == 0 && s.now().Sub(id.Time()) >= interaction.TokenLifetime:
		return nil, interaction.ErrTokenExpired // already deleted
	case i.ID == 0 || i.Application != app || !hasToken(i, token):
		return nil, interaction.ErrUnknownWebhook
	}
	return i, nil
}

// await waits while the first answer of the token's interaction may still arrive inline.
func (s *followUps) await(ctx context.Context, token string) error {
	id, ok := tokenID(token)
	if !ok {
		return interaction.ErrUnknownWebhook
	}
	return s.awaitInlineAnswer(ctx, id)
}

// messageUpdate is a new or edited message of an interaction.
type messageUpdate struct {
	message store.Message
	content message.Content
	owner   *store.Interaction // that created the message; its id is 0 when it no longer exists
	next    *store.Interaction // the next state of the token's interaction; nil: unchanged
	created bool               // the message is new
	filled  bool               // the message was loading before
	dropped []snowflake.Attachment

	used         snowflake.Interaction // the token's interaction
	final        bool                  // it fills a loading response, or completes a deferred update
	announcement messages.Announcement
	json         []byte
}

// FollowUp creates a follow-up message, or fills the original response when it is loading. It returns the message as
// JSON.
func (s *followUps) FollowUp(ctx context.Context, app snowflake.Application, token string, r Response) ([]byte, error) {
	return s.update(ctx, app, token, r, func(ctx context.Context, i *store.Interaction, files *messages.Uploads, ids newIDs) (*messageUpdate, error) {
		next, fills, err := followedUp(i, s.now())
		if err != nil {
			return nil, err
		}
		if files.TooLarge() {
			return nil, attachments.ErrFileTooLarge
		}
		content, err := message.Read(r.Body, files.Files)
		if err != nil {
			return nil, err
		}
		if i.Origin.Private {
			content.Flags |= message.Ephemeral
		}
		u := &messageUpdate{content: content, next: &next, created: !fills, filled: fills}
		if fills {
			return u, s.fill(ctx, i, u)
		}
		s.Messages.SetFiles(i.Origin.Channel, &u.content)
		u.message = messages.Compose(i, ids.message, referenced(i), u.content)
		u.owner = i
		return u, nil
	})
}

// referenced returns the message that a follow-up refers to: the original response, unless it was deleted.
func referenced(i *store.Interaction) snowflake.Message {
	if i.State.Deleted {
		return 0
	}
	return i.Original
}

// fill replaces the content of the loading original response.
func (s *followUps) fill(ctx context.Context, i *store.Interaction, u *messageUpdate) error {
	m, owner, err := s.loadMessage(ctx, i, i.Original)
	if err != nil {
		return err
	}
	loading, err := message.ParseContent(m.Content)
	if err != nil {
		return err
	}
	u.content = u.content.Fill(loading)
	s.Messages.SetFiles(m.Channel, &u.content)
	u.message, u.owner = messages.Revise(*m, u.content, time.Time{}), owner
	return nil
}

// update stores the files of a request and commits the message update that decide returns. It returns the message as
// JSON.
func (s *followUps) update(
	ctx context.Context, app snowflake.Application, token string, r Response,
	decide func(ctx context.Context, i *store.Interaction, files *messages.Uploads, ids newIDs) (*messageUpdate, error),
) ([]byte, error) {
	if err := s.await(ctx, token); err != nil {
		return nil, err
	}
	files, ids := s.Messages.Receive(ctx, r.Files, false), s.newIDs()
	var u *messageUpdate
	err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		i, err := s.open(ctx, app, token)
		if err != nil {
			return c, err
		}
		if r.Unread {
			return c, interaction.ErrUnknownWebhook
		}
		if u, err = decide(ctx, i, files, ids); err != nil {
			return c, err
		}
		if err := files.AddTo(ctx, &c, messages.Owner{Application: i.Application, Guild: i.Origin.Guild}, u.content.Attachments); err != nil {
			return c, err
		}
		u.used, u.final = i.ID, u.filled || u.message.ID == i.Original
		return c, s.addChange(ctx, &c, u)
	})
	if err != nil {
		files.Discard(ctx)
		return nil, err
	}
	files.Keep(ctx, u.content.Attachments)
	s.Messages.DeleteFiles(ctx, u.dropped)
	s.watches.awaitAnswer(u.used)
	s.announced(ctx, u.used, &u.announcement)
	if u.final {
		s.watches.finish(u.used, func(o *Outcome) { o.Result = Answered })
	}
	if u.filled {
		s.ended(u.next, Answered, "")
	}
	return u.json, nil
}

// addChange adds a new or edited message to a change.
func (s *followUps) addChange(ctx context.Context, c *store.Change, u *messageUpdate) (err error) {
	name := messages.Edited
	if u.created {
		name = messages.Created
	}
	if u.announcement, err = s.Messages.Put(ctx, c, name, &u.message, u.content, ""); err != nil {
		return err
	}
	if u.json, err = s.Messages.Render(ctx, &u.message, u.message.Author()); err != nil {
		return err
	}
	s.touch(c, &u.message, u.owner, u.next)
	if u.created {
		messages.ShareCommit(c, u.message.Channel)
	}
	return nil
}

// touch adds interactions to a change of a message. owner created the message. next is the next state of the token's
// interaction, nil when it does not change.
func (s *followUps) touch(c *store.Change, m *store.Message, owner, next *store.Interaction) {
	if next != nil {
		s.put(c, *next)
	}
	switch {
	case !m.Ephemeral, next != nil && next.ID == m.Interaction:
	case owner.ID != 0:
		s.interactions.Next(c, owner.ID, owner) // the same state with a new revision
	default:
		c.Expect = append(c.Expect, store.Expectation{Subject: m.Subject()})
	}
}

// Message returns a message of an interaction as JSON.
func (s *followUps) Message(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message,
) ([]byte, error) {
	if err := s.await(ctx, token); err != nil {
		return nil, err
	}
	var text []byte
	err := s.Cache.Consistent(ctx, func(ctx context.Context) error {
		i, err := s.open(ctx, app, token)
		if err != nil {
			return err
		}
		if err := checkToken(i, id, s.now()); err != nil {
			return err
		}
		m, err := s.Messages.Find(ctx, messageID(i, id))
		if err != nil {
			return err
		}
		if m == nil || !belongs(m, i) {
			return interaction.ErrUnknownMessage
		}
		text, err = s.Messages.Render(ctx, m, m.Author())
		return err
	})
	return text, err
}

// messageID replaces Original with the id of the original response.
func messageID(i *store.Interaction, id snowflake.Message) snowflake.Message {
	if id == Original {
		return i.Original
	}
	return id
}

// checkToken returns an error when the token of an interaction does not give access to a message now.
func checkToken(i *store.Interaction, id snowflake.Message, now time.Time) error {
	if id == Original || id == i.Original {
		return i.State.Original(now)
	}
	return i.State.Messages(now)
}

// belongs reports whether a message belongs to an interaction: the interaction created it, or its first answer edited
// it.
func belongs(m *store.Message, i *store.Interaction) bool {
	return m.Interaction == i.ID || m.ID == i.Original
}

// ownMessage returns a message of an interaction to change, and the interaction that created it.
func (s *followUps) ownMessage(
	ctx context.Context, i *store.Interaction, id snowflake.Message,
) (*store.Message, *store.Interaction, error) {
	m, owner, err := s.loadMessage(ctx, i, messageID(i, id))
	if err == nil && !belongs(m, i) {
		err = interaction.ErrUnknownMessage
	}
	return m, owner, err
}

// EditMessage edits a message of an interaction and returns it as JSON.
func (s *followUps) EditMessage(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message, r Response,
) ([]byte, error) {
	return s.update(ctx, app, token, r, func(ctx context.Context, i *store.Interaction, files *messages.Uploads, _ newIDs) (*messageUpdate, error) {
		if err := checkToken(i, id, s.now()); err != nil {
			return nil, err
		}
		if files.TooLarge() {
			return nil, attachments.ErrFileTooLarge
		}
		m, owner, err := s.ownMessage(ctx, i, id)
		if err != nil {
			return nil, err
		}
		old, err := message.ParseContent(m.Content)
		if err != nil {
			return nil, err
		}
		u := &messageUpdate{owner: owner}
		if u.content, err = message.ReadEdit(r.Body, old, files.Files); err != nil {
			return nil, err
		}
		if m.ID == i.Original {
			next, err := originalEdited(i, s.now())
			if err != nil {
				return nil, err
			}
			u.next, u.filled = &next, i.State.Status == interaction.Deferred
		}
		edited := s.now()
		if old.Flags.Has(message.Loading) {
			edited = time.Time{} // filling a loading message is not an edit
		}
		u.dropped = messages.RemovedFiles(old.Attachments, u.content.Attachments)
		s.Messages.SetFiles(m.Channel, &u.content)
		u.message = messages.Revise(*m, u.content, edited)
		return u, nil
	})
}

// DeleteMessage deletes a message of an interaction.
func (s *followUps) DeleteMessage(ctx context.Context, app snowflake.Application, token string, id snowflake.Message) error {
	if err := s.await(ctx, token); err != nil {
		return err
	}
	var deleted messages.Announcement
	var used snowflake.Interaction
	err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		i, err := s.open(ctx, app, token)
		if err != nil {
			return c, err
		}
		used = i.ID
		deleted, err = s.remove(ctx, &c, i, id)
		return c, err
	})
	if err != nil {
		return err
	}
	m := deleted.Message
	if content, err := message.ParseContent(m.Content); err == nil {
		s.Messages.DeleteFiles(ctx, messages.RemovedFiles(content.Attachments, nil))
	}
	s.Messages.Announced(ctx, &deleted)
	s.watches.awaitAnswer(used)
	s.watches.dropMessage(m.Interaction, m.ID)
	return nil
}

// remove adds the deletion of a message of an interaction to a change.
func (s *followUps) remove(
	ctx context.Context, c *store.Change, i *store.Interaction, id snowflake.Message,
) (a messages.Announcement, err error) {
	if err := checkToken(i, id, s.now()); err != nil {
		return a, err
	}
	m, owner, err := s.ownMessage(ctx, i, id)
	if err != nil {
		return a, err
	}
	var next *store.Interaction
	if m.ID == i.Original {
		deleted, err := originalDeleted(i, s.now())
		if err != nil {
			return a, err
		}
		next = &deleted
	}
	s.touch(c, m, owner, next)
	return s.Messages.Delete(ctx, c, m)
}
