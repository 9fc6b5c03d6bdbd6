package messages

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Page says which messages of a channel are wanted: at most one of Before, After and Around is set.
type Page struct {
	Before, After, Around snowflake.Message
	Limit                 int // 1 to MaxPage; 0: DefaultPage
}

// How many messages a page holds.
const (
	DefaultPage = 50
	MaxPage     = 100
)

// One returns a message of a channel as a visitor sees it. Ephemeral ones are not there.
func (s *Messages) One(
	ctx context.Context, who directory.Visitor, channel snowflake.Channel, id snowflake.Message,
) ([]byte, error) {
	reads, err := s.reads(ctx, who, channel)
	if err != nil {
		return nil, err
	}
	if !reads {
		return nil, directory.ErrHidden
	}
	m, err := s.Kept(ctx, id)
	if err != nil {
		return nil, err
	}
	if m == nil || m.Channel != channel || m.Ephemeral {
		return nil, interaction.ErrUnknownMessage
	}
	return s.Render(ctx, m)
}

// List returns messages of a channel as a visitor sees them: a JSON list, the newest first. Who may not read
// what was before finds nothing.
func (s *Messages) List(
	ctx context.Context, who directory.Visitor, channel snowflake.Channel, p Page,
) ([]byte, error) {
	reads, err := s.reads(ctx, who, channel)
	if err != nil {
		return nil, err
	}
	var list []store.Message
	if reads {
		err = s.Store.Read(ctx, func(r store.Reader) error {
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

// reads reports whether a visitor may read what was said in a channel. One that the visitor does not see is an error.
func (s *Messages) reads(ctx context.Context, who directory.Visitor, channel snowflake.Channel) (bool, error) {
	where, err := s.Directory.Where(ctx, channel)
	if err != nil {
		return false, err
	}
	if where.Guild == 0 {
		if !slices.Contains(where.Recipients, who.User) {
			return false, directory.ErrHidden
		}
		return true, nil
	}
	stay, err := s.Directory.Enter(ctx, where.Guild, who)
	if errors.Is(err, directory.ErrUnknownGuild) {
		return false, directory.ErrHidden
	}
	if err != nil {
		return false, err
	}
	c := stay.Place.Channel(channel)
	if c == nil {
		return false, directory.ErrUnknownChannel
	}
	may := stay.Member.In(c.Channel)
	if !may.Has(permission.ViewChannel) {
		return false, directory.ErrHidden
	}
	return may.Has(permission.ReadMessageHistory), nil
}

// read returns the page, the newest message first.
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
