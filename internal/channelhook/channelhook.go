// Package channelhook keeps the webhooks of channels: URLs with a token that write messages into a channel, and followers, which
// repeat the published messages of an announcement channel. Package messages stores and announces those messages.
package channelhook

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"log/slog"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The types of webhooks.
const (
	Incoming = 1 // its token writes messages
	Follower = 2 // it repeats the published messages of an announcement channel
)

// Secrets makes the tokens of webhooks. *attachments.Files implements it.
type Secrets interface {
	// WebhookToken returns the token of a webhook. It is the same as long as the key of the service and salt are the same.
	WebhookToken(id snowflake.Webhook, salt []byte) string
	// Base returns the first part of the URLs of the service.
	Base() string
}

// Config contains the dependencies of Webhooks. All fields are required unless noted.
type Config struct {
	Cache     *cache.Cache // of the store
	Clock     clock.Clock
	IDs       interface{ Next() uint64 }
	Directory *directory.Directory
	Messages  *messages.Messages
	Images    *images.Images
	Secrets   Secrets
	Audit     *audit.Log // of guilds; may be nil
	Log       *slog.Logger
}

// Webhooks keeps the webhooks of channels. It is safe for concurrent use.
type Webhooks struct {
	Config
	*clock.Sweeper // changes the copies of published messages

	hooks cache.Kind[snowflake.Webhook, store.Webhook]
	lists cache.Kind[snowflake.Channel, []store.Webhook] // of channels

	crossposts cache.Kind[snowflake.Message, store.Crosspost]
}

// New returns the service over the store of a cache. It must be called before the first commit.
func New(c Config) *Webhooks {
	const size = 256
	s := &Webhooks{
		Config: c,
		hooks: cache.Kind[snowflake.Webhook, store.Webhook]{
			Cache: c.Cache, Subject: store.WebhookSubject,
			Read: func(r store.Reader, id snowflake.Webhook) (*store.Webhook, error) {
				h, err := r.Webhooks.Webhook(id)
				return &h, err
			},
			Size: func(*store.Webhook) int { return size },
		},
		lists: cache.Kind[snowflake.Channel, []store.Webhook]{
			Cache: c.Cache, Subject: store.WebhooksSubject,
			Read: func(r store.Reader, id snowflake.Channel) (*[]store.Webhook, error) {
				list, err := r.Webhooks.OfChannel(id)
				return &list, err
			},
			Size: func(list *[]store.Webhook) int { return size * len(*list) },
		},
		crossposts: messages.Crossposts(c.Cache),
	}
	due := &store.Sweep[snowflake.Message]{
		Store: c.Cache.Store(), Work: store.CrosspostWork, Now: c.Clock.Now, Log: c.Log, Handle: s.repeat, Concurrency: sweepConcurrency,
		List: func(r store.Reader, limit int) ([]store.DueRecord[snowflake.Message], error) {
			return r.Messages.DueCrossposts(limit)
		},
	}
	s.Sweeper = clock.NewSweeper(c.Clock, c.Log, "published messages", due.Run)
	c.Cache.Store().Subscribe(s.committed)
	return s
}

// Caller is the sender of a request about a webhook: a user or a bot, or the holder of the token of the webhook.
type Caller struct {
	Viewer directory.Viewer
	Token  string // empty: Viewer is the sender
}

// find returns a webhook.
func (s *Webhooks) find(ctx context.Context, id snowflake.Webhook) (*store.Webhook, error) {
	h, err := s.hooks.Load(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, apierror.UnknownWebhook
	}
	return h, err
}

// open returns a webhook if the caller may perform an operation on it.
func (s *Webhooks) open(ctx context.Context, by Caller, id snowflake.Webhook, op permission.Operation) (*store.Webhook, error) {
	if by.Token != "" {
		return s.withToken(ctx, id, by.Token)
	}
	h, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	place, err := s.Directory.Channels.Enter(ctx, h.Channel, by.Viewer)
	if errors.Is(err, directory.ErrUnknownChannel) {
		return nil, apierror.UnknownWebhook // it is deleted with the channel
	}
	if err != nil {
		return nil, err
	}
	if op == permission.OpListWebhooks && owns(by.Viewer, h) {
		return h, nil
	}
	return h, place.Allow(op, false)
}

// owns reports whether the application of a bot created a webhook.
func owns(v directory.Viewer, h *store.Webhook) bool {
	return v.Bot && h.Application == snowflake.Application(v.User)
}

// withToken returns a webhook if the token belongs to it.
func (s *Webhooks) withToken(ctx context.Context, id snowflake.Webhook, token string) (*store.Webhook, error) {
	h, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if h.Type != Incoming || subtle.ConstantTimeCompare([]byte(token), []byte(s.token(h))) == 0 {
		return nil, apierror.InvalidWebhookToken
	}
	_, err = s.Directory.Channels.Channel(ctx, h.Channel)
	if errors.Is(err, directory.ErrUnknownChannel) {
		return nil, apierror.UnknownWebhook
	}
	return h, err
}

// ChannelOf returns the channel of a webhook if the token belongs to it.
func (s *Webhooks) ChannelOf(ctx context.Context, id snowflake.Webhook, token string) (snowflake.Channel, error) {
	h, err := s.withToken(ctx, id, token)
	if err != nil {
		return 0, err
	}
	return h.Channel, nil
}

// Opener returns a function that finds a webhook by its id and its token.
func (s *Webhooks) Opener(id snowflake.Webhook, token string) func(context.Context) (*store.Webhook, error) {
	return func(ctx context.Context) (*store.Webhook, error) { return s.withToken(ctx, id, token) }
}

// Holds reports whether a token belongs to a webhook, for rate limits.
func (s *Webhooks) Holds(ctx context.Context, id snowflake.Webhook, token string) (bool, error) {
	_, err := s.withToken(ctx, id, token)
	if _, refused := errors.AsType[*apierror.Error](err); refused {
		return false, nil
	}
	return err == nil, err
}

func (s *Webhooks) token(h *store.Webhook) string { return s.Secrets.WebhookToken(h.ID, h.Salt) }

// newSalt returns what makes the token of a webhook differ from those of other webhooks with the same id.
func newSalt() []byte {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // it never returns an error
	return salt
}
