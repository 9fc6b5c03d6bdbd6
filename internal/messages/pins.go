package messages

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// MaxPins is the number of messages of a channel that can be pinned.
const MaxPins = 250

// MaxPinsPage is the largest number of pins in one response. It is the default too.
const MaxPinsPage = 50

// PinsPage selects pins of a channel.
type PinsPage struct {
	Before time.Time // only pins that were made before; zero: all
	Limit  int       // 1 to MaxPinsPage
}

// Pin pins a message. A system message in the channel says so. It changes nothing if the message is pinned.
func (s *Messages) Pin(ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, id snowflake.Message) error {
	return s.setPinned(ctx, viewer, channel, id, permission.OpPin, s.pin)
}

// Unpin unpins a message. It changes nothing if the message is not pinned.
func (s *Messages) Unpin(ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, id snowflake.Message) error {
	return s.setPinned(ctx, viewer, channel, id, permission.OpUnpin, s.unpin)
}

// pinned is a decision about the pin of a message.
type pinned struct {
	place *directory.Place
	m     *store.Message
	done  []Announcement
}

// setPinned runs a decision about the pin of a message, if permissions allow the operation.
func (s *Messages) setPinned(
	ctx context.Context, viewer directory.Viewer, where snowflake.Channel, id snowflake.Message, op permission.Operation,
	set func(context.Context, *store.Change, *pinned) error,
) error {
	var p *pinned
	err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		p = &pinned{}
		if p.place, p.m, err = s.Open(ctx, viewer, where, id); err != nil {
			return c, err
		}
		if err := p.place.Allow(op, false); err != nil {
			return c, err
		}
		if err := p.place.AllowState(channel.ThreadEditMessage); err != nil {
			return c, err
		}
		if p.m.Pinned.IsZero() != (op == permission.OpPin) {
			return c, nil // it is in this state
		}
		if err = set(ctx, &c, p); err == nil {
			err = s.record(ctx, &c, op, viewer.User, p.m)
		}
		return c, err
	})
	if err != nil {
		return err
	}
	for i := range p.done {
		s.Announced(ctx, &p.done[i])
	}
	return nil
}

func (s *Messages) pin(ctx context.Context, c *store.Change, p *pinned) error {
	if !p.m.Type.Written() {
		return apierror.SystemMessage
	}
	next, err := s.upcoming(ctx, c, p.m.Channel)
	if err != nil {
		return err
	}
	if next.Pins >= MaxPins {
		return apierror.TooManyPins
	}
	at := s.Clock.Now().UTC().Truncate(time.Microsecond) // the precision of the store
	if !at.After(next.LastPin) {
		at = next.LastPin.Add(time.Microsecond)
	}
	p.m.Pinned, next.Guild, next.LastPin = at, p.m.Guild, at
	next.Pins++
	s.setChannel(c, next)
	c.Put = append(c.Put, store.Pin{Channel: p.m.Channel, Message: p.m.ID, At: at})
	if err := s.announcePin(ctx, c, p, at); err != nil {
		return err
	}
	id, err := s.nextID(ctx, p.m.Channel, snowflake.Message(s.IDs.Next()))
	if err != nil {
		return err
	}
	notice := authored(p.place, id)
	notice.Type = message.ChannelPinnedMessage
	notice.Source = &store.Reference{Message: p.m.ID, Channel: p.m.Channel, Guild: p.m.Guild}
	notice.Content = message.Content{}.Doc()
	return s.putPart(ctx, c, p, Created, &notice)
}

func (s *Messages) unpin(ctx context.Context, c *store.Change, p *pinned) error {
	next, err := s.upcoming(ctx, c, p.m.Channel)
	if err != nil {
		return err
	}
	var pins []store.Pin
	err = s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
		pins, err = r.Messages.Pins(p.m.Channel)
		return err
	})
	if err != nil {
		return err
	}
	pins = slices.DeleteFunc(pins, func(other store.Pin) bool { return other.Message == p.m.ID })
	next.Pins, next.LastPin, p.m.Pinned = len(pins), time.Time{}, time.Time{}
	if len(pins) > 0 {
		next.LastPin = pins[len(pins)-1].At
	}
	s.setChannel(c, next)
	c.Delete = append(c.Delete, store.PinKey(p.m.Channel, p.m.ID))
	return s.announcePin(ctx, c, p, next.LastPin)
}

// announcePin adds a message whose pin changed, and the events about it. last is the time of the channel's newest pin.
func (s *Messages) announcePin(ctx context.Context, c *store.Change, p *pinned, last time.Time) error {
	if err := s.putPart(ctx, c, p, Edited, p.m); err != nil {
		return err
	}
	var data wire.Printer
	data.Raw(`{`)
	if p.m.Guild != 0 {
		data.ID(`"guild_id":`, uint64(p.m.Guild))
		data.Raw(`,`)
	}
	data.ID(`"channel_id":`, uint64(p.m.Channel))
	data.Time(`,"last_pin_timestamp":`, last)
	data.Raw(`}`)
	e := events.Event{Name: "CHANNEL_PINS_UPDATE", Data: data.Out}
	list, err := s.channelEvents(ctx, p.m.Channel, p.m.Guild, e, events.Guilds, events.DirectMessages)
	c.Events = append(c.Events, withSubject(p.m, list...)...)
	return err
}

// putPart adds one of the messages of the decision.
func (s *Messages) putPart(ctx context.Context, c *store.Change, p *pinned, name string, m *store.Message) error {
	content, err := message.ParseContent(m.Content)
	if err != nil {
		return err
	}
	a, err := s.Put(ctx, c, name, m, content, "")
	p.done = append(p.done, a)
	if err != nil {
		return err
	}
	return a.Err
}

// Pins returns the JSON of a page of pins, the newest first. The list is empty for a user without the
// READ_MESSAGE_HISTORY permission.
func (s *Messages) Pins(ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, page PinsPage) ([]byte, error) {
	place, list, more, err := s.readPins(ctx, viewer, channel, page)
	if err != nil {
		return nil, err
	}
	p := wire.Printer{Out: []byte(`{"items":[`)}
	for i := range list {
		p.Comma(i > 0)
		p.Time(`{"pinned_at":`, list[i].Pinned)
		p.Raw(`,"message":`)
		if p.Out, err = s.append(ctx, p.Out, place, &list[i]); err != nil {
			return nil, err
		}
		p.Raw(`}`)
	}
	p.Bool(`],"has_more":`, more)
	p.Raw(`}`)
	return p.Out, nil
}

// OldPins returns the JSON of the newest MaxPinsPage pinned messages without their reactions, as the older route shows
// them.
func (s *Messages) OldPins(ctx context.Context, viewer directory.Viewer, channel snowflake.Channel) ([]byte, error) {
	place, list, _, err := s.readPins(ctx, viewer, channel, PinsPage{Limit: MaxPinsPage})
	if err != nil {
		return nil, err
	}
	p := wire.Printer{Out: []byte(`[`)}
	for i := range list {
		p.Comma(i > 0)
		list[i].Reactions = nil
		if p.Out, err = s.append(ctx, p.Out, place, &list[i]); err != nil {
			return nil, err
		}
	}
	return append(p.Out, ']'), nil
}

// readPins returns the pinned messages of a page as a viewer may see them, the newest pin first, and whether there are
// older ones.
func (s *Messages) readPins(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, page PinsPage,
) (place *directory.Place, list []store.Message, more bool, err error) {
	if place, err = s.enter(ctx, viewer, channel); err != nil {
		return nil, nil, false, err
	}
	if !place.Decide(permission.OpListPins, false).Allowed {
		return place, nil, false, nil
	}
	err = s.Cache.Store().Read(ctx, func(r store.Reader) error {
		pins, err := r.Messages.Pins(channel)
		if err != nil {
			return err
		}
		if !page.Before.IsZero() {
			pins = slices.DeleteFunc(pins, func(p store.Pin) bool { return !p.At.Before(page.Before) })
		}
		slices.Reverse(pins)
		list, more = nil, len(pins) > page.Limit
		for _, pin := range pins[:min(page.Limit, len(pins))] {
			m, err := r.Messages.Message(pin.Message)
			switch {
			case err == nil:
				list = append(list, m)
			case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrDamaged):
				return err
			}
		}
		return nil
	})
	return place, list, more, err
}
