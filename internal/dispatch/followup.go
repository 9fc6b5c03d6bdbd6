package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/scene"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// Original stands for the first answer where a message is named.
const Original snowflake.Message = 0

// open returns the interaction whose token an app shows.
func (d *Dispatch) open(ctx context.Context, app snowflake.Application, token string) (*store.Interaction, error) {
	id, ok := tokenID(token)
	if !ok {
		return nil, interaction.ErrUnknownWebhook
	}
	d.hold(ctx, id)
	i, err := scene.Recall(ctx, d.Store, id)
	switch {
	case err != nil:
		return nil, err
	case i == nil && d.now().Sub(id.Time()) >= interaction.TokenLifetime:
		return nil, interaction.ErrTokenExpired // forgotten by now
	case i == nil || i.Application != app || !opens(token, i):
		return nil, interaction.ErrUnknownWebhook
	}
	return i, nil
}

// change is what a request does to the messages of an interaction.
type change struct {
	files   []message.File
	message store.Message
	content message.Content
	fresh   bool // the message is new
	filled  bool // it was loading before
	dropped []snowflake.Attachment
}

// FollowUp makes another message of an interaction, or fills the one that is loading, and returns it as it goes on the
// wire.
func (d *Dispatch) FollowUp(ctx context.Context, app snowflake.Application, token string, r Response) ([]byte, error) {
	i, err := d.open(ctx, app, token)
	if err != nil {
		return nil, err
	}
	if _, _, err := i.State.FollowUp(d.now()); err != nil {
		return nil, err
	}
	if tooLarge(r.Files) {
		return nil, ErrFileTooLarge
	}
	files := d.receive(r.Files, false)
	content, err := message.Read(r.Body, files)
	if err != nil {
		return nil, err
	}
	if i.Origin.Private {
		content.Flags |= message.Ephemeral
	}
	id := snowflake.Message(d.IDs.Next())
	return d.apply(ctx, i, r.Files, files, content.Attachments, func(tx store.Tx, c *change) error {
		next, err := move(tx, i, func(cur *store.Interaction) (store.Interaction, error) {
			next := *cur
			var fills bool
			var err error
			if next.State, fills, err = cur.State.FollowUp(d.now()); err != nil {
				return next, err
			}
			c.fresh, c.filled = !fills, fills
			next.Due = dueOf(next.State, false)
			return next, nil
		})
		if err != nil {
			return err
		}
		c.content = content
		if c.fresh {
			d.messages.Address(i.Origin.Channel, &c.content)
			c.message = messages.Compose(&next, id, followed(&next), c.content)
			return nil
		}
		return d.fill(tx, c, next.Original)
	})
}

// followed returns the message that a follow-up follows: the first answer, where it is one that stands for itself.
func followed(i *store.Interaction) snowflake.Message {
	if i.State.Deleted {
		return 0
	}
	return i.Original
}

// fill puts content in the place of a message that is loading.
func (d *Dispatch) fill(tx store.Tx, c *change, id snowflake.Message) error {
	m, err := tx.Message(id)
	if err != nil {
		return missing(err)
	}
	loading, err := message.ParseContent(m.Content)
	if err != nil {
		return err
	}
	c.content = c.content.Fill(loading)
	d.messages.Address(m.Channel, &c.content)
	c.message = messages.Revise(m, c.content, zeroTime)
	return nil
}

// missing puts the store's word for a message that is not there into the service's.
func missing(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return interaction.ErrUnknownMessage
	}
	return err
}

// apply keeps the files of a request, lets decide say what becomes of a message in a unit of work, and tells of it. It
// returns the message as it goes on the wire.
func (d *Dispatch) apply(
	ctx context.Context, i *store.Interaction, uploads []Upload, files []message.File, used []payload.Attachment,
	decide func(tx store.Tx, c *change) error,
) ([]byte, error) {
	kept, err := d.keep(ctx, uploads, files, used)
	var c *change
	if err == nil {
		// A write that has begun is finished: others hear of it also when its sender has gone.
		err = d.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error {
			c = &change{files: files}
			if err := decide(tx, c); err != nil {
				return err
			}
			return tx.PutMessage(c.message)
		})
	}
	if err != nil {
		d.discard(ctx, kept)
		return nil, err
	}
	d.discard(ctx, c.dropped)
	name := messages.Edited
	if c.fresh {
		name = messages.Created
	}
	if err := d.publish(ctx, name, &c.message, c.content, ""); err != nil {
		d.untold(ctx, i.ID, err)
	}
	if c.filled {
		d.watches.finish(i.ID, func(o *Outcome) { o.Result = Answered })
	}
	return d.messages.Render(ctx, &c.message)
}

// Message returns a message of an interaction.
func (d *Dispatch) Message(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message,
) ([]byte, error) {
	i, err := d.open(ctx, app, token)
	if err != nil {
		return nil, err
	}
	if err := readable(i, id, d.now()); err != nil {
		return nil, err
	}
	m, err := d.messages.Kept(ctx, named(i, id))
	if err != nil {
		return nil, err
	}
	if m == nil || !belongs(m, i) {
		return nil, interaction.ErrUnknownMessage
	}
	return d.messages.Render(ctx, m)
}

// named returns the message that an id stands for.
func named(i *store.Interaction, id snowflake.Message) snowflake.Message {
	if id == Original {
		return i.Original
	}
	return id
}

// readable reports whether the token opens a message.
func readable(i *store.Interaction, id snowflake.Message, now time.Time) error {
	if id == Original || id == i.Original {
		return i.State.Original(now)
	}
	return i.State.Messages(now)
}

// belongs reports whether a message is one of an interaction's: made by it, or the one that its first answer changed.
func belongs(m *store.Message, i *store.Interaction) bool {
	return m.Interaction == i.ID || m.ID == i.Original
}

// EditMessage changes a message of an interaction and returns it.
func (d *Dispatch) EditMessage(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message, r Response,
) ([]byte, error) {
	i, err := d.open(ctx, app, token)
	if err != nil {
		return nil, err
	}
	if err := readable(i, id, d.now()); err != nil {
		return nil, err
	}
	if tooLarge(r.Files) {
		return nil, ErrFileTooLarge
	}
	files := d.receive(r.Files, false)
	used, err := d.foresee(ctx, i, id, r, files)
	if err != nil {
		return nil, err
	}
	return d.apply(ctx, i, r.Files, files, used, func(tx store.Tx, c *change) error {
		return d.edit(tx, i, id, r, c)
	})
}

// foresee reads an edit against the message as it is now, and returns the files that it will have. What is wrong with the
// edit shows before a file is kept.
func (d *Dispatch) foresee(
	ctx context.Context, i *store.Interaction, id snowflake.Message, r Response, files []message.File,
) ([]payload.Attachment, error) {
	m, err := d.messages.Kept(ctx, named(i, id))
	if err != nil {
		return nil, err
	}
	if m == nil || !belongs(m, i) {
		return nil, interaction.ErrUnknownMessage
	}
	old, err := message.ParseContent(m.Content)
	if err != nil {
		return nil, err
	}
	content, err := message.ReadEdit(r.Body, old, files)
	return content.Attachments, err
}

// edit changes a message within a unit of work.
func (d *Dispatch) edit(tx store.Tx, i *store.Interaction, id snowflake.Message, r Response, c *change) error {
	m, err := tx.Message(named(i, id))
	if err != nil {
		return missing(err)
	}
	old, err := message.ParseContent(m.Content)
	if err != nil {
		return err
	}
	if c.content, err = message.ReadEdit(r.Body, old, c.files); err != nil {
		return err
	}
	if m.ID == i.Original {
		_, err = move(tx, i, func(cur *store.Interaction) (store.Interaction, error) {
			next := *cur
			var err error
			next.State, err = cur.State.EditOriginal(d.now())
			c.filled = cur.State.Status == interaction.Deferred
			next.Due = dueOf(next.State, false)
			return next, err
		})
		if err != nil {
			return err
		}
	}
	edited := d.now()
	if old.Flags.Has(message.Loading) {
		edited = zeroTime // it is there for the first time
	}
	c.dropped = lost(old.Attachments, c.content.Attachments)
	d.messages.Address(m.Channel, &c.content)
	c.message = messages.Revise(m, c.content, edited)
	return nil
}

// DeleteMessage removes a message of an interaction.
func (d *Dispatch) DeleteMessage(ctx context.Context, app snowflake.Application, token string, id snowflake.Message) error {
	i, err := d.open(ctx, app, token)
	if err != nil {
		return err
	}
	if err := readable(i, id, d.now()); err != nil {
		return err
	}
	var m store.Message
	err = d.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) (err error) {
		if m, err = tx.Message(named(i, id)); err != nil {
			return missing(err)
		}
		if !belongs(&m, i) {
			return interaction.ErrUnknownMessage
		}
		if m.ID == i.Original {
			_, err = move(tx, i, func(cur *store.Interaction) (store.Interaction, error) {
				next := *cur
				var err error
				next.State, err = cur.State.DeleteOriginal(d.now())
				return next, err
			})
			if err != nil {
				return err
			}
		}
		return tx.DeleteMessages(m.ID)
	})
	if err != nil {
		return err
	}
	if content, err := message.ParseContent(m.Content); err == nil {
		d.discard(ctx, lost(content.Attachments, nil))
	}
	if err := d.messages.PublishGone(ctx, &m); err != nil {
		d.untold(ctx, i.ID, err)
	}
	d.watches.gone(i.ID, m.ID)
	return nil
}
