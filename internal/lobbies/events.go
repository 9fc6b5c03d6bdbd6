package lobbies

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The names of the events about messages, which are also types of event webhooks.
const (
	messageCreate = "LOBBY_MESSAGE_CREATE"
	messageUpdate = "LOBBY_MESSAGE_UPDATE"
	messageDelete = "LOBBY_MESSAGE_DELETE"
)

// Publisher publishes an event. It does not block.
type Publisher interface{ Publish(e events.Event) }

// eventBuilder renders lobbies and messages, and builds their events.
type eventBuilder struct {
	directory   *directory.Directory
	isConnected func(ctx context.Context, app snowflake.Application, user snowflake.User) bool // may be nil
	listening   func(ctx context.Context, app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User
	publisher   Publisher // may be nil
	records     func(app *store.Application, event, url string, data any) ([]store.Record, error)
}

// body returns a lobby as JSON for requests.
func (b *eventBuilder) body(ctx context.Context, st *State) ([]byte, error) {
	if st.Channel == 0 {
		return st.json.get(func() []byte { return st.AppendJSON(make([]byte, 0, 128+96*len(st.Members)), nil) }), nil
	}
	channel, err := b.channel(ctx, st.Channel)
	if err != nil {
		return nil, err
	}
	return st.AppendJSON(nil, channel), nil
}

// eventBody returns a lobby as JSON for events: with the connected members.
func (b *eventBuilder) eventBody(ctx context.Context, l *lobby.Lobby) ([]byte, error) {
	var channel []byte
	if l.Channel != 0 {
		var err error
		if channel, err = b.channel(ctx, l.Channel); err != nil {
			return nil, err
		}
	}
	connected := func(m *lobby.Member) bool { return b.connected(ctx, l, m) }
	return l.AppendEvent(make([]byte, 0, 192+128*len(l.Members)), channel, connected), nil
}

// channel returns a channel as JSON, or nil if it does not exist.
func (b *eventBuilder) channel(ctx context.Context, id snowflake.Channel) ([]byte, error) {
	c, err := b.directory.Channels.Channel(ctx, id)
	if errors.Is(err, directory.ErrUnknownChannel) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(convert.WireChannel(*c, store.ChannelMessages{}))
}

// author returns the author of a message as JSON. The author may have been deleted.
func (b *eventBuilder) author(ctx context.Context, m *lobby.Message) ([]byte, error) {
	if m.Webhook != nil {
		return json.Marshal(m.Webhook)
	}
	u, err := b.directory.Users.User(ctx, m.Author)
	if errors.Is(err, directory.ErrUnknownUser) {
		u, err = &store.User{ID: m.Author, Username: "deleted_user"}, nil
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(convert.WireUser(u))
}

// ofChange returns the events of a decision. before is an empty state if the lobby is new.
func (b *eventBuilder) ofChange(ctx context.Context, before, after *State, d *decision) ([]store.Event, error) {
	l := &after.Lobby.Lobby
	stayed := l.Members[:len(l.Members)-len(d.joined)]
	var list []events.Event
	if before.ID != 0 && !looksSame(&before.Lobby.Lobby, l) {
		updated, err := b.lobbyEvent(ctx, "LOBBY_UPDATE", l, stayed)
		if err != nil {
			return nil, err
		}
		list = append(list, updated...)
	}
	if len(d.left) > 0 {
		list = append(list, b.deleted(ctx, l, d.left, "removed")...)
		list = append(list, b.memberEvents(ctx, "LOBBY_MEMBER_REMOVE", l, d.left, stayed)...)
	}
	if len(d.joined) > 0 {
		created, err := b.lobbyEvent(ctx, "LOBBY_CREATE", l, d.joined)
		if err != nil {
			return nil, err
		}
		list = append(list, created...)
		list = append(list, b.memberEvents(ctx, "LOBBY_MEMBER_ADD", l, d.joined, stayed)...)
	}
	list = append(list, b.memberEvents(ctx, "LOBBY_MEMBER_UPDATE", l, d.changed, stayed)...)
	if d.message != nil {
		name := messageCreate
		if d.edited {
			name = messageUpdate
		}
		message, err := b.messageEvent(ctx, name, l, d.message)
		if err != nil {
			return nil, err
		}
		list = append(list, message...)
	}
	return record(l.ID, list), nil
}

// record returns events as a change to a lobby records them.
func record(id snowflake.Lobby, list []events.Event) []store.Event {
	if len(list) == 0 {
		return nil
	}
	recorded := make([]store.Event, len(list))
	for i, e := range list {
		recorded[i] = store.Event{Subject: store.LobbySubject(id), Event: e}
	}
	return recorded
}

// publish publishes events that no change records.
func (b *eventBuilder) publish(list []events.Event) {
	if b.publisher == nil {
		return
	}
	for _, e := range list {
		b.publisher.Publish(e)
	}
}

// looksSame reports whether members see no difference between two states of a lobby, apart from the list of members.
func looksSame(a, b *lobby.Lobby) bool {
	return a.Metadata == b.Metadata && a.Flags == b.Flags && a.Channel == b.Channel
}

// lobbyEvent returns an event with a lobby for those members who listen, if any.
func (b *eventBuilder) lobbyEvent(ctx context.Context, name string, l *lobby.Lobby, to []*lobby.Member) ([]events.Event, error) {
	users := b.listeners(ctx, l, to)
	if len(users) == 0 {
		return nil, nil
	}
	body, err := b.eventBody(ctx, l)
	return []events.Event{event(name, body, l, users)}, err
}

// deleted returns LOBBY_DELETE for some members.
func (b *eventBuilder) deleted(ctx context.Context, l *lobby.Lobby, to []*lobby.Member, reason string) []events.Event {
	users := b.listeners(ctx, l, to)
	if len(users) == 0 {
		return nil
	}
	data := append(make([]byte, 0, 64), `{"id":"`...)
	data = append(l.ID.Append(data), `","reason":"`...)
	return []events.Event{event("LOBBY_DELETE", append(append(data, reason...), `"}`...), l, users)}
}

// memberEvents returns an event about each of some members.
func (b *eventBuilder) memberEvents(ctx context.Context, name string, l *lobby.Lobby, about, to []*lobby.Member) []events.Event {
	if len(about) == 0 {
		return nil
	}
	users := b.listeners(ctx, l, to)
	if len(users) == 0 {
		return nil
	}
	list := make([]events.Event, len(about))
	for i, m := range about {
		data := append(make([]byte, 0, 256), `{"lobby_id":"`...)
		data = append(l.ID.Append(data), `","application_id":"`...)
		data = append(l.Application.Append(data), `","member":`...)
		list[i] = event(name, append(m.AppendEvent(data, b.connected(ctx, l, m)), '}'), l, users)
	}
	return list
}

// presenceEvents returns the events about a member whose client connected or disconnected: the named one and
// LOBBY_MEMBER_UPDATE.
func (b *eventBuilder) presenceEvents(ctx context.Context, name string, l *lobby.Lobby, m *lobby.Member) []events.Event {
	users := b.listeners(ctx, l, l.Members)
	if len(users) == 0 {
		return nil
	}
	data := append(make([]byte, 0, 256), `{"lobby_id":"`...)
	data = append(l.ID.Append(data), `","member":`...)
	named := event(name, append(m.AppendEvent(data, b.connected(ctx, l, m)), '}'), l, users)
	return append([]events.Event{named}, b.memberEvents(ctx, "LOBBY_MEMBER_UPDATE", l, []*lobby.Member{m}, l.Members)...)
}

// messageEvent returns the event about a message of a lobby, if any member listens.
func (b *eventBuilder) messageEvent(ctx context.Context, name string, l *lobby.Lobby, m *lobby.Message) ([]events.Event, error) {
	users := b.listeners(ctx, l, l.Members)
	if len(users) == 0 {
		return nil, nil
	}
	data, err := b.messageData(ctx, name, m)
	return []events.Event{event(name, data, l, users)}, err
}

// messageData returns the data of the event about a message of a lobby.
func (b *eventBuilder) messageData(ctx context.Context, name string, m *lobby.Message) ([]byte, error) {
	if name == messageDelete {
		data := append(m.ID.Append([]byte(`{"id":"`)), `","lobby_id":"`...)
		return append(m.Lobby.Append(data), `"}`...), nil
	}
	author, err := b.author(ctx, m)
	if err != nil {
		return nil, err
	}
	if name == messageUpdate {
		return m.AppendUpdate(nil, author), nil
	}
	return m.AppendJSON(nil, author), nil
}

// addWebhooks adds the event webhook about a message of a lobby to a change.
func (b *eventBuilder) addWebhooks(ctx context.Context, c *store.Change, name string, l *lobby.Lobby, m *lobby.Message) error {
	if b.records == nil {
		return nil
	}
	app, err := b.directory.Applications.Application(ctx, l.Application)
	if err != nil || !convert.WantsEvent(app, name) {
		return except(err, directory.ErrUnknownApplication)
	}
	data, err := b.messageData(ctx, name, m)
	if err != nil {
		return err
	}
	list, err := b.records(app, name, l.WebhooksURL, jsontext.Value(data))
	c.Put = append(c.Put, list...)
	return err
}

// listeners returns those members who may receive events.
func (b *eventBuilder) listeners(ctx context.Context, l *lobby.Lobby, members []*lobby.Member) []snowflake.User {
	users := func(yield func(snowflake.User) bool) {
		for _, m := range members {
			if !yield(m.ID) {
				return
			}
		}
	}
	if b.listening == nil {
		return slices.Collect(users)
	}
	return b.listening(ctx, l.Application, users)
}

// anyConnected reports whether a client of any member is connected. It looks at all members, so that a decision asks other
// nodes about all of them at once.
func (b *eventBuilder) anyConnected(ctx context.Context, l *lobby.Lobby) bool {
	found := false
	for _, m := range l.Members {
		found = b.connected(ctx, l, m) || found
	}
	return found
}

// connected reports whether a client of a member is connected.
func (b *eventBuilder) connected(ctx context.Context, l *lobby.Lobby, m *lobby.Member) bool {
	return b.isConnected != nil && b.isConnected(ctx, l.Application, m.ID)
}

func event(name string, data []byte, l *lobby.Lobby, users []snowflake.User) events.Event {
	intent := events.Lobbies
	if name == "LOBBY_DELETE" {
		intent = events.LobbyDelete
	}
	return events.Event{Name: name, Data: data, To: events.Audience{Users: users, Application: l.Application, Intents: intent}}
}
