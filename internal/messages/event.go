package messages

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// The events about messages.
const (
	Created = "MESSAGE_CREATE"
	Edited  = "MESSAGE_UPDATE"
	Deleted = "MESSAGE_DELETE"
)

// Events returns the events about a message that is new or changed, in the order in which they are published. Their subject
// is the interaction that made the message. Only the invoker gets the nonce.
func (s *Messages) Events(
	ctx context.Context, name string, m *store.Message, p message.Post, nonce string,
) ([]store.Event, error) {
	if m.Ephemeral { // only the invoker and the app see it, and it belongs to no guild
		e := events.Event{Name: name, Data: p.AppendJSON(nil), To: ephemeralBot(m)}
		return about(m, toInvoker(name, m, p, nonce), e), nil
	}
	if m.Guild == 0 {
		return s.conversationEvents(ctx, name, m, p, nonce)
	}
	var err error
	p.Guild = m.Guild
	if p.Member, err = s.author(ctx, m, p.Author); err != nil {
		return nil, err
	}
	e := events.Event{
		Name: name, Data: p.AppendJSON(nil), Reduced: reduced(p).AppendJSON(nil), Full: readers(m, &p),
		To: events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages},
	}
	if nonce == "" {
		return about(m, e), nil
	}
	e.To.Except = []snowflake.User{m.User}
	return about(m, toInvoker(name, m, p, nonce), e), nil
}

// about returns events of a message with their subject.
func about(m *store.Message, list ...events.Event) []store.Event {
	subject := store.InteractionSubject(m.Interaction)
	recorded := make([]store.Event, len(list))
	for i, e := range list {
		recorded[i] = store.Event{Subject: subject, Event: e}
	}
	return recorded
}

// TellLinked announces what became of a message to those who follow its channel from elsewhere, when everybody in the
// channel sees it. name is that of the event. It is called after the commit.
func (s *Messages) TellLinked(ctx context.Context, name string, m *store.Message) {
	if s.Linked != nil && m.Guild != 0 && !m.Ephemeral {
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
func readers(m *store.Message, p *message.Post) []snowflake.Application {
	list := []snowflake.Application{m.Application}
	for i := range p.Mentions {
		if u := &p.Mentions[i]; u.Bot && snowflake.Application(u.ID) != m.Application {
			list = append(list, snowflake.Application(u.ID))
		}
	}
	return list
}

func toInvoker(name string, m *store.Message, p message.Post, nonce string) events.Event {
	p.Nonce = nonce
	return events.Event{Name: name, Data: p.AppendJSON(nil), To: events.Audience{Users: []snowflake.User{m.User}}}
}

func ephemeralBot(m *store.Message) events.Audience {
	return events.Audience{Application: m.Application, Intents: events.DirectMessages | events.GuildMessages}
}

// conversationEvents returns the events about a message in a channel between people.
func (s *Messages) conversationEvents(
	ctx context.Context, name string, m *store.Message, p message.Post, nonce string,
) ([]store.Event, error) {
	others, bot, err := s.recipients(ctx, m)
	if err != nil {
		return nil, err
	}
	list := []events.Event{toInvoker(name, m, p, nonce)}
	e := events.Event{Name: name, Data: p.AppendJSON(nil)}
	if len(others) > 0 {
		e.To = events.Audience{Users: others}
		list = append(list, e)
	}
	if bot {
		e.To = events.Audience{Application: m.Application, Intents: events.DirectMessages}
		list = append(list, e)
	}
	return about(m, list...), nil
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

// DeletedEvents returns the events about a message that is deleted, in the order in which they are published.
func (s *Messages) DeletedEvents(ctx context.Context, m *store.Message) ([]store.Event, error) {
	b := append([]byte(`{"id":"`), m.ID.String()...)
	b = append(b, `","channel_id":"`...)
	b = append(m.Channel.Append(b), '"')
	if m.Guild != 0 && !m.Ephemeral {
		b = append(m.Guild.Append(append(b, `,"guild_id":"`...)), '"')
		to := events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages}
		return about(m, events.Event{Name: Deleted, Data: append(b, '}'), To: to}), nil
	}
	data := append(b, '}')
	if m.Ephemeral {
		return about(m,
			events.Event{Name: Deleted, Data: data, To: ephemeralBot(m)},
			events.Event{Name: Deleted, Data: data, To: events.Audience{Users: []snowflake.User{m.User}}},
		), nil
	}
	others, bot, err := s.recipients(ctx, m)
	if err != nil {
		return nil, err
	}
	var list []events.Event
	if bot {
		to := events.Audience{Application: m.Application, Intents: events.DirectMessages}
		list = append(list, events.Event{Name: Deleted, Data: data, To: to})
	}
	to := events.Audience{Users: append(others, m.User)}
	return about(m, append(list, events.Event{Name: Deleted, Data: data, To: to})...), nil
}
