// Package messages keeps what interactions make people see: it composes messages, shows them as they are read, tells
// everybody who may see them, and gives out the history of a channel. Who may make a message is not decided here.
package messages

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Messages reads and renders messages, and builds the events about them. It is safe for concurrent use. All fields but
// Linked are required.
type Messages struct {
	Store     store.Store
	Clock     clock.Clock
	Directory *directory.Directory
	// Files says where a file of a channel can be had.
	Files interface {
		URL(channel snowflake.Channel, id snowflake.Attachment, name string) string
	}
	// Linked is called by TellLinked: it announces messages of a guild channel to those who follow the channel from
	// elsewhere. It may be nil.
	Linked func(ctx context.Context, name string, m *store.Message)
}

// Kept returns a message, or nil when there is none.
func (s *Messages) Kept(ctx context.Context, id snowflake.Message) (*store.Message, error) {
	if id == 0 {
		return nil, nil //nolint:nilnil // 0 names no message
	}
	var found *store.Message
	err := s.Store.Read(ctx, func(r store.Reader) error {
		m, err := r.Messages.Message(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		found = &m
		return err
	})
	return found, err
}

// FilesInUse returns which of the files belong to messages that are kept.
func (s *Messages) FilesInUse(ctx context.Context, ids []snowflake.Attachment) ([]snowflake.Attachment, error) {
	var used []snowflake.Attachment
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		used, err = r.Messages.FilesInUse(ids...)
		return err
	})
	return used, err
}

// Place sets where files can be had, under the names that they have by now.
func (s *Messages) Place(in snowflake.Channel, list []payload.Attachment) {
	for i := range list {
		list[i].URL, list[i].ProxyURL = s.Files.URL(in, list[i].ID, list[i].Filename), ""
	}
}

// Address sets where the files of a message can be had.
func (s *Messages) Address(in snowflake.Channel, c *message.Content) {
	s.Place(in, c.Attachments)
	for i := range c.Attachments {
		c.Attachments[i].Ephemeral = c.Flags.Has(message.Ephemeral)
	}
}

// UserOf returns a user as payloads and messages show it.
func UserOf(u *directory.User) payload.User {
	return payload.User{ID: u.ID, Username: u.Username, GlobalName: u.GlobalName, Bot: u.Bot}
}

// OwnersOf returns by whose install an interaction exists, as payloads and messages show it.
func OwnersOf(o store.Owners) interaction.Owners {
	return interaction.Owners{ByGuild: o.ByGuild, Guild: o.Guild, User: o.User}
}
