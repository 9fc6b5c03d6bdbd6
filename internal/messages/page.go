package messages

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/interaction"
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
	allowed, err := s.canRead(ctx, viewer, channel)
	if err != nil {
		return nil, err
	}
	if !allowed {
		return nil, directory.ErrHidden
	}
	m, err := s.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if m == nil || m.Channel != channel || m.Ephemeral {
		return nil, interaction.ErrUnknownMessage
	}
	return s.Render(ctx, m)
}

// List returns the JSON of a list of messages, the newest first. The list is empty for a user without the
// READ_MESSAGE_HISTORY permission.
func (s *Messages) List(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, p Page,
) ([]byte, error) {
	allowed, err := s.canRead(ctx, viewer, channel)
	if err != nil {
		return nil, err
	}
	var list []store.Message
	if allowed {
		err = s.Cache.Store().Read(ctx, func(r store.Reader) error {
			list, err = p.read(r.Messages, channel)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	b := []byte{'['}
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		p, err := s.Post(ctx, &list[i])
		if err != nil {
			return nil, err
		}
		b = p.AppendJSON(b)
	}
	return append(b, ']'), nil
}

// canRead reports whether a user may read the messages of a channel. The error is directory.ErrHidden if the user does
// not see the channel.
func (s *Messages) canRead(ctx context.Context, viewer directory.Viewer, channel snowflake.Channel) (bool, error) {
	record, err := s.Directory.Channels.Channel(ctx, channel)
	if err != nil {
		return false, err
	}
	if record.Guild == 0 {
		if !slices.Contains(record.Recipients, viewer.User) {
			return false, directory.ErrHidden
		}
		return true, nil
	}
	view, err := s.Directory.Guilds.View(ctx, record.Guild, viewer)
	if errors.Is(err, directory.ErrUnknownGuild) {
		return false, directory.ErrHidden
	}
	if err != nil {
		return false, err
	}
	c := view.Guild.Channel(channel)
	if c == nil {
		return false, directory.ErrUnknownChannel
	}
	rights := view.Member.In(c.Channel)
	if !rights.Has(permission.ViewChannel) {
		return false, directory.ErrHidden
	}
	return rights.Has(permission.ReadMessageHistory), nil
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
