package messages

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// deleteBatch is the number of messages that one commit deletes.
const deleteBatch = 128

// RemoveEphemeral deletes an ephemeral message and the list of its files. It changes the revision of its interaction, so
// that concurrent changes of the message are decided again.
func RemoveEphemeral(tx *store.Tx, m *store.Message) error {
	tx.Delete(store.MessageKey(m.ID))
	subject := m.Subject()
	_, err := tx.Interactions.Interaction(m.Interaction)
	switch {
	case err == nil, errors.Is(err, store.ErrDamaged): // the interaction is stored
		tx.Touch(subject)
	case errors.Is(err, store.ErrNotFound):
		tx.End(subject) // an edit of the message may have left the subject
	default:
		return err
	}
	return nil
}

// Remove deletes a message without events. The copies of a published message stay. The caller touches the messages of the channel.
func Remove(tx *store.Tx, id snowflake.Message) error {
	m, err := tx.Messages.Message(id)
	switch {
	case errors.Is(err, store.ErrDamaged): // its interaction is unknown
	case err != nil:
		return err
	case m.Ephemeral:
		return RemoveEphemeral(tx, &m)
	case isPublished(&m):
		tx.Delete(store.CrosspostKey(id), store.CopiesKey(id))
	}
	tx.Delete(store.MessageKey(id))
	return nil
}

// ChannelDeleted deletes the messages of a channel. attachments.Files removes their files.
func (s *Messages) ChannelDeleted(ctx context.Context, c store.Channel) error {
	for {
		var found int
		err := store.Decide(ctx, s.Cache.Store(), func(tx *store.Tx) error {
			ids, err := tx.Messages.InChannel(c.ID, deleteBatch)
			if err != nil {
				return err
			}
			found = len(ids)
			for _, id := range ids {
				if err := Remove(tx, id); err != nil {
					return err
				}
			}
			tx.Touch(store.MessagesSubject(c.ID))
			if found < deleteBatch {
				tx.Delete(store.ChannelMessagesKey(c.ID))
			}
			return nil
		})
		if err != nil || found < deleteBatch {
			return err
		}
	}
}

// UserDeleted does nothing. The messages of a user's direct message channels are deleted with the channels.
func (s *Messages) UserDeleted(context.Context, snowflake.User) error { return nil }

// ApplicationDeleted does nothing. Messages stay when their application is deleted.
func (s *Messages) ApplicationDeleted(context.Context, snowflake.Application) error { return nil }

// GuildDeleted does nothing. The messages of a guild are deleted with its channels.
func (s *Messages) GuildDeleted(context.Context, snowflake.Guild) error { return nil }
