package messages

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Page selects messages of a channel. At most one of Before, After and Around is set.
type Page struct {
	Before, After, Around snowflake.Message
	Limit                 int // 1 to MaxPage; 0: DefaultPage
}

// Sizes of a page.
const (
	DefaultPage = 50
	MaxPage     = 100
)

// Message returns the JSON of a message. Ephemeral messages are not found.
func (s *Messages) Message(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, id snowflake.Message,
) ([]byte, error) {
	place, err := s.enter(ctx, viewer, channel)
	if err != nil {
		return nil, err
	}
	if err := place.Allow(permission.OpReadMessage, false); err != nil {
		return nil, err
	}
	m, err := s.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if m == nil || m.Channel != channel || m.Ephemeral {
		return nil, interaction.ErrUnknownMessage
	}
	return s.append(ctx, nil, place, m)
}

// List returns the JSON of a list of messages, the newest first. The list is empty for a user without the
// READ_MESSAGE_HISTORY permission.
func (s *Messages) List(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, p Page,
) ([]byte, error) {
	place, err := s.enter(ctx, viewer, channel)
	if err != nil {
		return nil, err
	}
	if !place.Decide(permission.OpReadMessages, false).Allowed {
		return []byte(`[]`), nil
	}
	if p == (Page{}) || p == (Page{Limit: DefaultPage}) {
		unmasked, err := s.readsAll(ctx, viewer)
		if err != nil {
			return nil, err
		}
		if unmasked {
			var text []byte
			err := s.Cache.Consistent(ctx, func(ctx context.Context) (err error) {
				text, err = s.newest(ctx, place)
				return err
			})
			return text, err
		}
	}
	list, err := s.read(ctx, channel, p)
	if err != nil {
		return nil, err
	}
	return s.appendAll(ctx, place, list)
}

// newest returns the JSON of the newest messages of a channel for a viewer who reads the content of all of them. It is rendered
// once for all viewers if all of them see the same.
func (s *Messages) newest(ctx context.Context, place *directory.Place) ([]byte, error) {
	channel := place.Channel.ID
	known, err := s.channels.Load(ctx, channel)
	if err != nil {
		return nil, err
	}
	old := known.Newest.Load()
	if old != nil && old.Current(ctx) {
		return old.Result, nil
	}
	shared := false
	memo, err := cache.Compute(ctx, func(ctx context.Context) ([]byte, error) {
		list, err := s.read(ctx, channel, Page{})
		if err != nil {
			return nil, err
		}
		shared = !slices.ContainsFunc(list, varies)
		return s.appendAll(ctx, place, list)
	})
	if err != nil || !shared {
		return memo.Result, err
	}
	grown := len(memo.Result)
	if old != nil {
		grown -= len(old.Result)
	}
	known.Newest.Store(memo)
	s.channels.Grow(channel, grown)
	return memo.Result, nil
}

// varies reports whether the JSON of a message depends on more than states in the cache: on the viewer (reactions and
// votes), on the time (URLs of files), or on another message.
func varies(m store.Message) bool {
	return len(m.Reactions) > 0 || m.Poll != nil || len(m.Files) > 0 || m.Reference != 0 || m.Source != nil
}

// read returns a page of the messages of a channel, the newest first.
func (s *Messages) read(ctx context.Context, channel snowflake.Channel, p Page) (list []store.Message, err error) {
	err = s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
		list, err = p.read(r.Messages, channel)
		return err
	})
	return list, err
}

// appendAll returns the JSON of a list of messages as the viewer of a place sees them.
func (s *Messages) appendAll(ctx context.Context, place *directory.Place, list []store.Message) (b []byte, err error) {
	b = []byte{'['}
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = s.append(ctx, b, place, &list[i]); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// Last returns the id of the newest message of a channel that was ever created, or 0. Ephemeral messages do not count.
func (s *Messages) Last(ctx context.Context, channel snowflake.Channel) (snowflake.Message, error) {
	known, err := s.channels.Load(ctx, channel)
	if err != nil {
		return 0, err
	}
	return known.Last, nil
}

// FromApps returns the JSON of up to MaxPage messages that apps sent to a channel after the message with an id, oldest
// first. It does not check permissions.
func (s *Messages) FromApps(ctx context.Context, channel snowflake.Channel, after snowflake.Message) ([][]byte, error) {
	list, err := s.read(ctx, channel, Page{After: after, Limit: MaxPage})
	if err != nil {
		return nil, err
	}
	var found [][]byte
	for _, m := range slices.Backward(list) {
		if m.Webhook == nil && m.Author() != snowflake.User(m.Application) {
			continue
		}
		text, err := s.Render(ctx, &m, 0)
		if err != nil {
			return nil, err
		}
		found = append(found, text)
	}
	return found, nil
}

// append appends the JSON of a message as the viewer of a place sees it.
func (s *Messages) append(ctx context.Context, b []byte, place *directory.Place, m *store.Message) ([]byte, error) {
	p, err := s.Post(ctx, m)
	if err != nil {
		return nil, err
	}
	if err := s.markOwn(ctx, p, place.Viewer.User); err != nil {
		return nil, err
	}
	readable, err := s.readsContent(ctx, place, m)
	if err != nil {
		return nil, err
	}
	if !readable {
		p.Content = p.Content.Masked()
	}
	return p.AppendJSON(b), nil
}

// readsContent reports whether the viewer of a place gets the content of a message.
func (s *Messages) readsContent(ctx context.Context, place *directory.Place, m *store.Message) (bool, error) {
	all, err := s.readsAll(ctx, place.Viewer)
	if err != nil || all {
		return all, err
	}
	reader := message.Reader{Bot: place.Viewer.User}
	return reader.Sees(message.Seen{Author: m.Author(), App: m.Application, Direct: m.Guild == 0, Mentions: m.Mentions}), nil
}

// readsAll reports whether a viewer gets the content of all messages: a user, or a bot whose app may read it.
func (s *Messages) readsAll(ctx context.Context, viewer directory.Viewer) (bool, error) {
	return s.Directory.Applications.HasIntent(ctx, viewer, world.MessageContent)
}

// read returns the messages of the page, the newest first.
func (p Page) read(r store.MessageQueries, channel snowflake.Channel) ([]store.Message, error) {
	limit := p.Limit
	if limit == 0 {
		limit = DefaultPage
	}
	limit = min(limit, MaxPage)
	switch {
	case p.Around != 0:
		after, err := r.After(channel, p.Around-1, limit-limit/2)
		if err != nil {
			return nil, err
		}
		before, err := r.Before(channel, p.Around, limit-len(after))
		slices.Reverse(after)
		return append(after, before...), err
	case p.After != 0:
		list, err := r.After(channel, p.After, limit)
		slices.Reverse(list)
		return list, err
	case p.Before != 0:
		return r.Before(channel, p.Before, limit)
	}
	return r.Before(channel, snowflake.Max, limit)
}
