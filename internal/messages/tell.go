package messages

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/snowflake"
)

// The events about messages.
const (
	Created = "MESSAGE_CREATE"
	Edited  = "MESSAGE_UPDATE"
	gone    = "MESSAGE_DELETE"
)

// Publish tells of a message, new or changed. A nonce is for the eyes of whoever invoked it.
func (s *Messages) Publish(ctx context.Context, name string, m *store.Message, p message.Post, nonce string) error {
	if m.Ephemeral {
		s.tellEphemeral(name, m, p, nonce)
		return nil
	}
	if m.Guild == 0 {
		return s.tellConversation(ctx, name, m, p, nonce)
	}
	var err error
	p.Guild = m.Guild
	if p.Member, err = s.author(ctx, m, p.Author); err != nil {
		return err
	}
	e := events.Event{
		Name: name, Data: p.AppendJSON(nil), Reduced: reduced(p).AppendJSON(nil), Full: s.readers(m, &p),
		To: events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages},
	}
	if nonce != "" {
		e.To.Except = []snowflake.User{m.User}
		s.toInvoker(name, m, p, nonce)
	}
	s.Events.Publish(e)
	s.tellLinked(ctx, name, m)
	return nil
}

func (s *Messages) tellLinked(ctx context.Context, name string, m *store.Message) {
	if s.Linked != nil {
		s.Linked(ctx, name, m)
	}
}

// reduced returns a message as bots see it that may not read what others write.
func reduced(p message.Post) message.Post {
	p.Content = message.Content{TTS: p.Content.TTS, Flags: p.Content.Flags}
	p.Referenced = nil
	return p
}

// readers returns the applications that read the message whatever they asked for: the author's, and those it calls.
func (s *Messages) readers(m *store.Message, p *message.Post) []snowflake.Application {
	list := []snowflake.Application{m.Application}
	for i := range p.Mentions {
		if u := &p.Mentions[i]; u.Bot && snowflake.Application(u.ID) != m.Application {
			list = append(list, snowflake.Application(u.ID))
		}
	}
	return list
}

func (s *Messages) toInvoker(name string, m *store.Message, p message.Post, nonce string) {
	p.Nonce = nonce
	s.Events.Publish(events.Event{
		Name: name, Data: p.AppendJSON(nil), To: events.Audience{Users: []snowflake.User{m.User}},
	})
}

// tellEphemeral tells of a message that only the invoker and the app see: it belongs to no guild.
func (s *Messages) tellEphemeral(name string, m *store.Message, p message.Post, nonce string) {
	s.toInvoker(name, m, p, nonce)
	s.Events.Publish(events.Event{Name: name, Data: p.AppendJSON(nil), To: ephemeralBot(m)})
}

func ephemeralBot(m *store.Message) events.Audience {
	return events.Audience{Application: m.Application, Intents: events.DirectMessages | events.GuildMessages}
}

// tellConversation tells those between whom the channel is.
func (s *Messages) tellConversation(ctx context.Context, name string, m *store.Message, p message.Post, nonce string) error {
	others, bot, err := s.recipients(ctx, m)
	if err != nil {
		return err
	}
	s.toInvoker(name, m, p, nonce)
	if len(others) == 0 && !bot {
		return nil
	}
	e := events.Event{Name: name, Data: p.AppendJSON(nil)}
	if len(others) > 0 {
		e.To = events.Audience{Users: others}
		s.Events.Publish(e)
	}
	if bot {
		e.To = events.Audience{Application: m.Application, Intents: events.DirectMessages}
		s.Events.Publish(e)
	}
	return nil
}

// recipients returns who else is in a channel between people, and whether the app's bot is.
func (s *Messages) recipients(ctx context.Context, m *store.Message) (others []snowflake.User, bot bool, err error) {
	where, err := s.Directory.Where(ctx, m.Channel)
	if err != nil {
		return nil, false, err
	}
	others = slices.DeleteFunc(slices.Clone(where.Recipients), func(id snowflake.User) bool {
		bot = bot || id == snowflake.User(m.Application)
		return id == m.User || id == snowflake.User(m.Application)
	})
	return others, bot, nil
}

// PublishGone tells of a message that was deleted.
func (s *Messages) PublishGone(ctx context.Context, m *store.Message) error {
	b := append([]byte(`{"id":"`), m.ID.String()...)
	b = append(b, `","channel_id":"`...)
	b = append(m.Channel.Append(b), '"')
	e := events.Event{Name: gone}
	switch {
	case m.Ephemeral:
		e.Data = append(b, '}')
		e.To = ephemeralBot(m)
		s.Events.Publish(e)
		e.To = events.Audience{Users: []snowflake.User{m.User}}
	case m.Guild != 0:
		b = append(m.Guild.Append(append(b, `,"guild_id":"`...)), '"')
		e.Data = append(b, '}')
		e.To = events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages}
	default:
		others, bot, err := s.recipients(ctx, m)
		if err != nil {
			return err
		}
		e.Data = append(b, '}')
		if bot {
			e.To = events.Audience{Application: m.Application, Intents: events.DirectMessages}
			s.Events.Publish(e)
		}
		e.To = events.Audience{Users: append(others, m.User)}
	}
	s.Events.Publish(e)
	if e.To.Guild != 0 {
		s.tellLinked(ctx, gone, m)
	}
	return nil
}
