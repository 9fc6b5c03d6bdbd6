package messages

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
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

// events returns the events about a new or edited message, in the order of publication. Only the user who invoked an
// interaction gets its nonce; all recipients get that of another message. shown is the message without what only events
// have.
func (s *Messages) events(
	ctx context.Context, name string, m *store.Message, shown *message.Post, nonce message.Nonce,
) ([]store.Event, error) {
	p := *shown
	if m.Interaction == 0 {
		p.Nonce, nonce = nonce, ""
	}
	if m.Ephemeral { // only the invoking user and the app see it, without the guild
		e := events.Event{Name: name, Data: p.AppendJSON(nil), To: ephemeralBot(m)}
		return withSubject(m, toInvoker(name, m, &p, nonce), e), nil
	}
	channel, err := s.Directory.Channels.Channel(ctx, m.Channel)
	if err != nil {
		return nil, err
	}
	p.ChannelType = &channel.Type
	if m.Guild == 0 {
		return s.directEvents(ctx, name, m, &p, nonce)
	}
	p.Guild = m.Guild
	if m.Webhook == nil {
		if p.Member, err = s.member(ctx, m.Guild, p.Author); err != nil {
			return nil, err
		}
	}
	for _, u := range p.Mentions {
		mentioned, err := s.member(ctx, m.Guild, u)
		if err != nil {
			return nil, err
		}
		p.Members = append(p.Members, mentioned)
	}
	e := events.Event{
		Name: name, Data: p.AppendJSON(nil), Reduced: reduced(&p), Full: readers(m, &p),
		To: events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages},
	}
	if nonce == "" {
		return withSubject(m, e), nil
	}
	e.To.Except = []snowflake.User{m.User}
	return withSubject(m, toInvoker(name, m, &p, nonce), e), nil
}

// withSubject returns events with the subject of a message.
func withSubject(m *store.Message, list ...events.Event) []store.Event {
	subject := m.Subject()
	recorded := make([]store.Event, len(list))
	for i, e := range list {
		recorded[i] = store.Event{Subject: subject, Event: e}
	}
	return recorded
}

// addLinked calls Linked for a message of a guild channel that is not ephemeral. name is the name of the event.
func (s *Messages) addLinked(ctx context.Context, c *store.Change, name string, m *store.Message) error {
	if s.Linked == nil || m.Guild == 0 || m.Ephemeral {
		return nil
	}
	return s.Linked(ctx, c, name, m)
}

// reduced returns the JSON of a message for bots without the MESSAGE_CONTENT intent: without content.
func reduced(p *message.Post) []byte {
	masked := *p
	masked.Content = p.Content.Masked()
	masked.Referenced = nil
	return masked.AppendJSON(nil)
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

func toInvoker(name string, m *store.Message, p *message.Post, nonce message.Nonce) events.Event {
	own := *p
	own.Nonce = nonce
	return events.Event{Name: name, Data: own.AppendJSON(nil), To: events.Audience{Users: []snowflake.User{m.User}}}
}

func ephemeralBot(m *store.Message) events.Audience {
	return events.Audience{Application: m.Application, Intents: events.DirectMessages | events.GuildMessages}
}

// directEvents returns the events about a message in a channel outside of guilds.
func (s *Messages) directEvents(
	ctx context.Context, name string, m *store.Message, p *message.Post, nonce message.Nonce,
) ([]store.Event, error) {
	people, bots, err := s.recipients(ctx, m.Channel)
	if err != nil {
		return nil, err
	}
	var list []events.Event
	if m.Interaction != 0 { // the invoker, who may not be in the channel, gets the nonce
		list = append(list, toInvoker(name, m, p, nonce))
		people = slices.DeleteFunc(people, func(id snowflake.User) bool { return id == m.User })
	}
	return withSubject(m, append(list, toRecipients(name, p.AppendJSON(nil), people, bots, events.DirectMessages)...)...), nil
}

// channelEvents returns an event for all sessions that see a channel. inGuild and direct are the intents that bots need in
// a guild and outside of guilds.
func (s *Messages) channelEvents(
	ctx context.Context, channel snowflake.Channel, guild snowflake.Guild, e events.Event, inGuild, direct uint32,
) ([]events.Event, error) {
	if guild != 0 {
		e.To = events.Audience{Guild: guild, Channel: channel, Intents: inGuild}
		return []events.Event{e}, nil
	}
	people, bots, err := s.recipients(ctx, channel)
	return toRecipients(e.Name, e.Data, people, bots, direct), err
}

// toRecipients returns an event for the users and bots of a channel outside of guilds. Bots need the intents.
func toRecipients(
	name string, data []byte, people []snowflake.User, bots []snowflake.Application, intents uint32,
) []events.Event {
	var list []events.Event
	if len(people) > 0 {
		list = append(list, events.Event{Name: name, Data: data, To: events.Audience{Users: people}})
	}
	for _, bot := range bots {
		to := events.Audience{Application: bot, Intents: intents}
		list = append(list, events.Event{Name: name, Data: data, To: to})
	}
	return list
}

// recipients returns the users and the bots of a channel outside of guilds.
func (s *Messages) recipients(
	ctx context.Context, channel snowflake.Channel,
) (people []snowflake.User, bots []snowflake.Application, err error) {
	where, err := s.Directory.Channels.Channel(ctx, channel)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range where.Recipients {
		u, err := s.Directory.Users.User(ctx, id)
		switch {
		case errors.Is(err, directory.ErrUnknownUser):
		case err != nil:
			return nil, nil, err
		case u.Bot:
			bots = append(bots, snowflake.Application(id))
		default:
			people = append(people, id)
		}
	}
	return people, bots, nil
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
	people, bots, err := s.recipients(ctx, m.Channel)
	if err != nil {
		return nil, err
	}
	if m.Interaction != 0 && !slices.Contains(people, m.User) {
		people = append(people, m.User)
	}
	return withSubject(m, toRecipients(Deleted, data, people, bots, events.DirectMessages)...), nil
}
