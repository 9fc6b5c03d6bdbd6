// Package messages stores the messages of channels and their files. It builds the records of new and edited messages,
// renders message objects, builds the events about messages, and lists the messages of a channel. It does not decide
// who may send a message.
package messages

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/prometheus/client_golang/prometheus"
)

// FileStore stores the files of requests. *attachments.Files implements it. A file is durable when Put returns.
type FileStore interface {
	Put(ctx context.Context, id snowflake.Attachment, name string, r io.Reader) (size int64, err error)
	// Delete deletes files. A file that does not exist is no error.
	Delete(ctx context.Context, ids ...snowflake.Attachment) error
	// URL returns the download URL of a file in a channel.
	URL(channel snowflake.Channel, id snowflake.Attachment, name string) string
}

// Config contains the dependencies of Messages. All fields are required unless noted.
type Config struct {
	Cache *cache.Cache // of the store
	Clock clock.Clock
	IDs   interface {
		Next() uint64
		Observe(id uint64) // later ids are larger
	}
	Directory *directory.Directory
	Files     FileStore
	Metrics   *metrics.Metrics
	Log       *slog.Logger
	Quota     Quota        // of files; zero: no bound
	Hooks     *hooks.Hooks // may be nil
	// Events publishes the events that no change records. It may be nil.
	Events interface{ Publish(e events.Event) }
	// Linked is called in a decision on a message that all members of a guild channel see: the channel may be linked with a
	// lobby. It adds the events of the lobby to the change. name is the name of the event in the channel. It may be nil.
	Linked func(ctx context.Context, c *store.Change, name string, m *store.Message) error
	// Audit is the audit log of guilds. It may be nil.
	Audit *audit.Log
	// Threads keeps the threads that messages are in. It may be nil.
	Threads Threads
}

// Threads keeps the threads that messages are in. *threads.Threads implements it.
type Threads interface {
	// Enliven is called in the decision on a new message in a thread. It unarchives the thread, and adds the author and the
	// mentioned users to its members. author is 0 for a webhook.
	Enliven(ctx context.Context, c *store.Change, p *directory.Place, author snowflake.User, mentioned []snowflake.User) error
	// AddPost adds a post of a forum, the place of a webhook, to a change. The returned context sees the post.
	AddPost(ctx context.Context, c *store.Change, forum *directory.Place, p WebhookPost) (context.Context, error)
}

// WebhookPost is a post that a webhook creates in a forum.
type WebhookPost struct {
	ID      snowflake.Channel // also that of its first message
	Webhook snowflake.Webhook
	Name    string
	Tags    []snowflake.Tag
}

// Messages creates, reads and renders messages and stores their files. It is safe for concurrent use.
//
// An operation that creates or edits a message has three steps. It stores the files of the request with Receive. Its
// decision reads the content, composes the record, and adds both to its change with Uploads.AddTo and Put. After the
// commit it calls Uploads.Keep and Announced, or Uploads.Discard when the decision failed.
type Messages struct {
	Config

	storage   *storage
	nonces    cache.Kind[store.TokenHash, store.Nonce]
	slowModes cache.Kind[slowModeKey, store.SlowMode]
	// channels are the messages of channels as a whole. A decision that reads a message of a channel in order to change it
	// depends on this state.
	channels   cache.Kind[snowflake.Channel, cache.ChannelMessages]
	crossposts cache.Kind[snowflake.Message, store.Crosspost]
	stored     prometheus.Gauge // bytes of files
}

// New returns the service over the store of a cache.
func New(c Config) *Messages {
	s := &Messages{Config: c, storage: newStorage(c.Cache), channels: cache.NewChannelMessages(c.Cache), stored: newStored()}
	s.nonces, s.slowModes, s.crossposts = newNonces(c.Cache), newSlowModes(c.Cache), Crossposts(c.Cache)
	c.Metrics.Register(s.stored)
	return s
}

// Find returns a message, or nil if it does not exist.
func (s *Messages) Find(ctx context.Context, id snowflake.Message) (found *store.Message, err error) {
	if id == 0 {
		return found, nil
	}
	err = s.Cache.Store().Read(ctx, func(r store.Reader) error {
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
	err := s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
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
