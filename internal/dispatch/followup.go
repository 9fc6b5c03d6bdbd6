package dispatch

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
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
	i, err := d.interactions.Recall(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case i.ID == 0 && d.now().Sub(id.Time()) >= interaction.TokenLifetime:
		return nil, interaction.ErrTokenExpired // forgotten by now
	case i.ID == 0 || i.Application != app || !opens(token, i):
		return nil, interaction.ErrUnknownWebhook
	}
	return i, nil
}

// await waits for the answer of the interaction of a token that may be on its way inline.
func (d *Dispatch) await(ctx context.Context, token string) error {
	id, ok := tokenID(token)
	if !ok {
		return interaction.ErrUnknownWebhook
	}
	return d.hold(ctx, id)
}

// revision is what a request does to a message of an interaction.
type revision struct {
	message store.Message
	content message.Content
	owner   *store.Interaction // that made the message; its id is 0 when it is not kept any more
	next    *store.Interaction // what becomes of the interaction whose token is used; nil: it stays as it is
	fresh   bool               // the message is new
	filled  bool               // it was loading before
	dropped []snowflake.Attachment

	told bulletin
	json []byte // the message as it goes on the wire
}

// FollowUp makes another message of an interaction, or fills the one that is loading, and returns it as it goes on the
// wire.
func (d *Dispatch) FollowUp(ctx context.Context, app snowflake.Application, token string, r Response) ([]byte, error) {
	return d.revise(ctx, app, token, r, func(ctx context.Context, i *store.Interaction, files *uploads) (*revision, error) {
		next, fills, err := followUp(i, d.now())
		if err != nil {
			return nil, err
		}
		if files.tooLarge() {
			return nil, ErrFileTooLarge
		}
		content, err := message.Read(r.Body, files.files)
		if err != nil {
			return nil, err
		}
		if i.Origin.Private {
			content.Flags |= message.Ephemeral
		}
		v := &revision{content: content, next: &next, fresh: !fills, filled: fills}
		if fills {
			return v, d.fill(ctx, i, v)
		}
		d.messages.Address(i.Origin.Channel, &v.content)
		v.message = messages.Compose(i, snowflake.Message(d.IDs.Next()), followed(i), v.content)
		v.owner = i
		return v, nil
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
func (d *Dispatch) fill(ctx context.Context, i *store.Interaction, v *revision) error {
	m, owner, err := d.load(ctx, i, i.Original)
	if err != nil {
		return err
	}
	loading, err := message.ParseContent(m.Content)
	if err != nil {
		return err
	}
	v.content = v.content.Fill(loading)
	d.messages.Address(m.Channel, &v.content)
	v.message, v.owner = messages.Revise(*m, v.content, zeroTime), owner
	return nil
}

// revise lets decide say what becomes of a message of an interaction, keeps the files of the request that it has, and
// commits that. It returns the message as it goes on the wire.
func (d *Dispatch) revise(
	ctx context.Context, app snowflake.Application, token string, r Response,
	decide func(ctx context.Context, i *store.Interaction, files *uploads) (*revision, error),
) ([]byte, error) {
	if err := d.await(ctx, token); err != nil {
		return nil, err
	}
	files := d.receive(r.Files, false)
	var v *revision
	err := d.decide(ctx, func(ctx context.Context) (c store.Change, err error) {
		i, err := d.open(ctx, app, token)
		if err != nil {
			return c, err
		}
		if r.Unread {
			return c, interaction.ErrUnknownWebhook
		}
		if v, err = decide(ctx, i, files); err != nil {
			return c, err
		}
		if err := files.keep(ctx, v.content.Attachments); err != nil {
			return c, err
		}
		return d.rewrite(ctx, v)
	})
	if err != nil {
		files.discard(ctx)
		return nil, err
	}
	files.release(ctx)
	d.discard(ctx, v.dropped)
	d.show(ctx, &v.told)
	if v.filled {
		d.watches.finish(v.next.ID, func(o *Outcome) { o.Result = Answered })
	}
	return v.json, nil
}

// rewrite returns the change that stores a message that is new or changed.
func (d *Dispatch) rewrite(ctx context.Context, v *revision) (c store.Change, err error) {
	name := messages.Edited
	if v.fresh {
		name = messages.Created
	}
	if v.told, err = d.announce(ctx, name, &v.message, v.content, ""); err != nil {
		return c, err
	}
	if v.json, err = d.messages.Render(ctx, &v.message); err != nil {
		return c, err
	}
	c.Events = v.told.events
	c.Put = append(c.Put, v.message)
	d.touch(&c, v.message.Interaction, v.owner, v.next)
	return c, nil
}

// touch adds the interactions to a change that changes one of their messages. of made the message, and owner is its state.
// next is what becomes of the interaction whose token is used, nil when it stays as it is.
func (d *Dispatch) touch(c *store.Change, of snowflake.Interaction, owner, next *store.Interaction) {
	if next != nil {
		d.put(c, *next)
	}
	switch {
	case next != nil && next.ID == of:
	case owner.ID != 0:
		d.interactions.Next(c, of, owner) // the same state at another revision
	default:
		c.Expect = append(c.Expect, store.Expectation{Subject: store.InteractionSubject(of)})
	}
}

// Message returns a message of an interaction.
func (d *Dispatch) Message(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message,
) ([]byte, error) {
	if err := d.await(ctx, token); err != nil {
		return nil, err
	}
	var text []byte
	err := d.Cache.Consistent(ctx, func(ctx context.Context) error {
		i, err := d.open(ctx, app, token)
		if err != nil {
			return err
		}
		if err := readable(i, id, d.now()); err != nil {
			return err
		}
		m, err := d.messages.Kept(ctx, named(i, id))
		if err != nil {
			return err
		}
		if m == nil || !belongs(m, i) {
			return interaction.ErrUnknownMessage
		}
		text, err = d.messages.Render(ctx, m)
		return err
	})
	return text, err
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

// own returns a message of an interaction to change, and the interaction that made it.
func (d *Dispatch) own(
	ctx context.Context, i *store.Interaction, id snowflake.Message,
) (*store.Message, *store.Interaction, error) {
	m, owner, err := d.load(ctx, i, named(i, id))
	if err == nil && !belongs(m, i) {
		err = interaction.ErrUnknownMessage
	}
	return m, owner, err
}

// EditMessage changes a message of an interaction and returns it.
func (d *Dispatch) EditMessage(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message, r Response,
) ([]byte, error) {
	return d.revise(ctx, app, token, r, func(ctx context.Context, i *store.Interaction, files *uploads) (*revision, error) {
		if err := readable(i, id, d.now()); err != nil {
			return nil, err
		}
		if files.tooLarge() {
			return nil, ErrFileTooLarge
		}
		m, owner, err := d.own(ctx, i, id)
		if err != nil {
			return nil, err
		}
		old, err := message.ParseContent(m.Content)
		if err != nil {
			return nil, err
		}
		v := &revision{owner: owner}
		if v.content, err = message.ReadEdit(r.Body, old, files.files); err != nil {
			return nil, err
		}
		if m.ID == i.Original {
			next, err := editOriginal(i, d.now())
			if err != nil {
				return nil, err
			}
			v.next, v.filled = &next, i.State.Status == interaction.Deferred
		}
		edited := d.now()
		if old.Flags.Has(message.Loading) {
			edited = zeroTime // it is there for the first time
		}
		v.dropped = lost(old.Attachments, v.content.Attachments)
		d.messages.Address(m.Channel, &v.content)
		v.message = messages.Revise(*m, v.content, edited)
		return v, nil
	})
}

// DeleteMessage removes a message of an interaction.
func (d *Dispatch) DeleteMessage(ctx context.Context, app snowflake.Application, token string, id snowflake.Message) error {
	if err := d.await(ctx, token); err != nil {
		return err
	}
	var m *store.Message
	var untold error // why there are no events
	err := d.decide(ctx, func(ctx context.Context) (c store.Change, err error) {
		m, c, err = d.remove(ctx, app, token, id)
		if err != nil {
			return c, err
		}
		untold = nil
		if c.Events, err = d.messages.DeletedEvents(ctx, m); unknown(err) {
			untold, err = err, nil
		}
		return c, err
	})
	if err != nil {
		return err
	}
	if content, err := message.ParseContent(m.Content); err == nil {
		d.discard(ctx, lost(content.Attachments, nil))
	}
	if untold != nil {
		d.Log.ErrorContext(ctx, "deleted message not announced", "interaction", m.Interaction, "err", untold)
	} else {
		d.messages.TellLinked(ctx, messages.Deleted, m)
	}
	d.watches.gone(m.Interaction, m.ID)
	return nil
}

// remove returns a message of an interaction and the change that deletes it.
func (d *Dispatch) remove(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message,
) (m *store.Message, c store.Change, err error) {
	i, err := d.open(ctx, app, token)
	if err != nil {
		return nil, c, err
	}
	if err := readable(i, id, d.now()); err != nil {
		return nil, c, err
	}
	m, owner, err := d.own(ctx, i, id)
	if err != nil {
		return nil, c, err
	}
	var next *store.Interaction
	if m.ID == i.Original {
		deleted, err := deleteOriginal(i, d.now())
		if err != nil {
			return nil, c, err
		}
		next = &deleted
	}
	c.Delete = []store.Key{store.MessageKey(m.ID)}
	d.touch(&c, m.Interaction, owner, next)
	return m, c, nil
}
