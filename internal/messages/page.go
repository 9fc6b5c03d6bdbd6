package messages

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
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
	var list []store.Message
	err = s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
		list, err = p.read(r.Messages, channel)
		return err
	})
	if err != nil {
		return nil, err
	}
	b := []byte{'['}
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
	var list []store.Message
	err := s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
		list, err = Page{After: after, Limit: MaxPage}.read(r.Messages, channel)
		return err
	})
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
	if err := s.markOwn(ctx, &p, place.Viewer.User); err != nil {
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

// contentFlags are the flags of applications that may read the content of all messages.
const contentFlags = 1<<18 | 1<<19

// readsContent reports whether the viewer of a place gets the content of a message. Users always do.
func (s *Messages) readsContent(ctx context.Context, place *directory.Place, m *store.Message) (bool, error) {
	if !place.Viewer.Bot {
		return true, nil
	}
	app, err := s.Directory.Applications.Application(ctx, snowflake.Application(place.Viewer.User))
	if err != nil {
		return false, err
	}
	reader := message.Reader{Bot: place.Viewer.User, Intent: app.Intents&contentFlags != 0}
	return reader.Sees(message.Seen{Author: m.Author(), App: m.Application, Direct: m.Guild == 0, Mentions: m.Mentions}), nil
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
