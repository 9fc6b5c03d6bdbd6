package messages

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// Names of the events about messages.
const (
	Created = "MESSAGE_CREATE"
	Edited  = "MESSAGE_UPDATE"
	Deleted = "MESSAGE_DELETE"
)

// events returns the events about a new or edited message, in the order of publication. Their subject is the
// interaction of the message. Only the invoking user gets the nonce.
func (s *Messages) events(
	ctx context.Context, name string, m *store.Message, p message.Post, nonce string,
) ([]store.Event, error) {
	if m.Ephemeral { // only the invoking user and the app see it, without the guild
		e := events.Event{Name: name, Data: p.AppendJSON(nil), To: ephemeralBot(m)}
		return withSubject(m, toInvoker(name, m, p, nonce), e), nil
	}
	if m.Guild == 0 {
		return s.directEvents(ctx, name, m, p, nonce)
	}
	var err error
	p.Guild = m.Guild
	if p.Member, err = s.authorMember(ctx, m, p.Author); err != nil {
		return nil, err
	}
	e := events.Event{
		Name: name, Data: p.AppendJSON(nil), Reduced: reduced(p).AppendJSON(nil), Full: readers(m, &p),
		To: events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages},
	}
	if nonce == "" {
		return withSubject(m, e), nil
	}
	e.To.Except = []snowflake.User{m.User}
	return withSubject(m, toInvoker(name, m, p, nonce), e), nil
}

// withSubject returns events with the subject of a message: the interaction that created it.
func withSubject(m *store.Message, list ...events.Event) []store.Event {
	subject := store.InteractionSubject(m.Interaction)
	recorded := make([]store.Event, len(list))
	for i, e := range list {
		recorded[i] = store.Event{Subject: subject, Event: e}
	}
	return recorded
}

// notifyLinked calls Linked for a message of a guild channel that is not ephemeral. name is the name of the event. It
// is called after the commit.
func (s *Messages) notifyLinked(ctx context.Context, name string, m *store.Message) {
	if s.Linked != nil && m.Guild != 0 && !m.Ephemeral {
		s.Linked(ctx, name, m)
	}
}

// reduced returns a message for bots without the MESSAGE_CONTENT intent: without content.
func reduced(p message.Post) message.Post {
	p.Content = p.Content.Masked()
	p.Referenced = nil
	return p
}

// readers returns the applications that get the content regardless of their intents: the author's, and those of
// mentioned bots.
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
	p.Nonce = message.TextNonce(nonce)
	return events.Event{Name: name, Data: p.AppendJSON(nil), To: events.Audience{Users: []snowflake.User{m.User}}}
}

func ephemeralBot(m *store.Message) events.Audience {
	return events.Audience{Application: m.Application, Intents: events.DirectMessages | events.GuildMessages}
}

// directEvents returns the events about a message in a channel outside of guilds.
func (s *Messages) directEvents(
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
	return withSubject(m, list...), nil
}

// recipients returns the other users of a channel outside of guilds, and whether the app's bot is one of its users.
func (s *Messages) recipients(ctx context.Context, m *store.Message) (others []snowflake.User, bot bool, err error) {
	where, err := s.Directory.Channels.Channel(ctx, m.Channel)
	if err != nil {
		return nil, false, err
	}
	others = slices.DeleteFunc(slices.Clone(where.Recipients), func(id snowflake.User) bool {
		bot = bot || id == snowflake.User(m.Application)
		return id == m.User || id == snowflake.User(m.Application)
	})
	return others, bot, nil
}

// deletedEvents returns the events about a deleted message, in the order of publication.
func (s *Messages) deletedEvents(ctx context.Context, m *store.Message) ([]store.Event, error) {
	var p wire.Printer
	p.ID(`{"id":`, uint64(m.ID))
	p.ID(`,"channel_id":`, uint64(m.Channel))
	if m.Guild != 0 && !m.Ephemeral {
		p.ID(`,"guild_id":`, uint64(m.Guild))
		p.Raw(`}`)
		to := events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages}
		return withSubject(m, events.Event{Name: Deleted, Data: p.Out, To: to}), nil
	}
	p.Raw(`}`)
	data := p.Out
	if m.Ephemeral {
		return withSubject(m,
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
	return withSubject(m, append(list, events.Event{Name: Deleted, Data: data, To: to})...), nil
}
