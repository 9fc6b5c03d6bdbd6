package messages

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// piece is how many messages one commit deletes. Each of them writes to a message and to an interaction.
const piece = 128

// Remove deletes a message of an interaction, with the list of its files. Whatever was decided about the message meanwhile
// is decided again.
func Remove(tx *store.Tx, m *store.Message) error {
	tx.Delete(store.MessageKey(m.ID))
	if m.Interaction == 0 {
		return nil
	}
	subject := store.InteractionSubject(m.Interaction)
	_, err := tx.Interactions.Interaction(m.Interaction)
	switch {
	case err == nil:
		tx.Touch(subject)
	case errors.Is(err, store.ErrNotFound):
		tx.End(subject) // it may be left from an edit of the message
	default:
		return err
	}
	return nil
}

// ChannelDeleted deletes the messages of a channel. Their files are removed by the sweep of the attachments.
func (s *Messages) ChannelDeleted(ctx context.Context, c store.Channel) error {
	for {
		var found int
		err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
			ids, err := tx.Messages.InChannel(c.ID, piece)
			if err != nil {
				return err
			}
			found = len(ids)
			for _, id := range ids {
				m, err := tx.Messages.Message(id)
				if err != nil {
					return err
				}
				if err := Remove(tx, &m); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || found < piece {
			return err
		}
	}
}

// UserDeleted does nothing: the messages of a user's direct-message channels are deleted with these.
func (s *Messages) UserDeleted(context.Context, snowflake.User) error { return nil }

// ApplicationDeleted does nothing: messages outlive the application that made them.
func (s *Messages) ApplicationDeleted(context.Context, snowflake.Application) error { return nil }

// GuildDeleted does nothing: the messages of a guild are deleted with its channels.
func (s *Messages) GuildDeleted(context.Context, snowflake.Guild) error { return nil }
