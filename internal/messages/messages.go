// Package messages stores the messages of channels and their files. It builds the records of new and edited messages,
// renders message objects, builds the events about messages, and lists the messages of a channel. It does not decide
// who may send a message.
package messages

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Messages reads and renders messages and builds their events. It is safe for concurrent use. All fields but Linked are
// required.
type Messages struct {
	Store     store.Store
	Clock     clock.Clock
	Directory *directory.Directory
	// Files returns the URL of a file.
	Files interface {
		URL(channel snowflake.Channel, id snowflake.Attachment, name string) string
	}
	// Linked is called with the messages of guild channels that may be linked with a lobby. It may be nil.
	Linked func(ctx context.Context, name string, m *store.Message)
}

// Find returns a message, or nil if it does not exist.
func (s *Messages) Find(ctx context.Context, id snowflake.Message) (found *store.Message, err error) {
	if id == 0 {
		return found, nil
	}
	err = s.Store.Read(ctx, func(r store.Reader) error {
		m, err := r.Messages.Message(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		found = &m
		return err
	})
	return found, err
}

// FilesInUse returns the ids of files that belong to a message.
func (s *Messages) FilesInUse(ctx context.Context, ids []snowflake.Attachment) ([]snowflake.Attachment, error) {
	var used []snowflake.Attachment
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		used, err = r.Messages.FilesInUse(ids...)
		return err
	})
	return used, err
}

// SetURLs sets the URLs of files in a channel, according to their current names.
func (s *Messages) SetURLs(channel snowflake.Channel, list []wire.Attachment) {
	for i := range list {
		list[i].URL, list[i].ProxyURL = s.Files.URL(channel, list[i].ID, list[i].Filename), ""
	}
}

// SetFiles sets the URLs of a message's files, and whether they are ephemeral.
func (s *Messages) SetFiles(channel snowflake.Channel, c *message.Content) {
	s.SetURLs(channel, c.Attachments)
	for i := range c.Attachments {
		c.Attachments[i].Ephemeral = c.Flags.Has(message.Ephemeral)
	}
}

// OwnersOf converts the stored owners of an install into those that interactions and messages show.
func OwnersOf(o store.Owners) interaction.Owners {
	return interaction.Owners{ByGuild: o.ByGuild, Guild: o.Guild, User: o.User}
}
