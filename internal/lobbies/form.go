package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Body returns a lobby as it goes on the wire, with the channel it is linked with unless that is gone. The caller does not
// change it.
func (s *Lobbies) Body(ctx context.Context, st *State) ([]byte, error) {
	if st.Channel == 0 {
		return st.rendered.get(func() []byte { return st.AppendJSON(make([]byte, 0, 128+96*len(st.Members)), nil) }), nil
	}
	linked, err := s.linked(ctx, st.Channel)
	if err != nil {
		return nil, err
	}
	return st.AppendJSON(nil, linked), nil
}

// MessageBody returns a message as it goes on the wire.
func (s *Lobbies) MessageBody(ctx context.Context, m *lobby.Message) ([]byte, error) {
	author, err := s.author(ctx, m.Author)
	if err != nil {
		return nil, err
	}
	return m.AppendJSON(nil, author), nil
}

// MessagesBody returns a list of messages as it goes on the wire.
func (s *Lobbies) MessagesBody(ctx context.Context, list []lobby.Message) ([]byte, error) {
	authors := map[snowflake.User][]byte{}
	body := []byte{'['}
	for i := range list {
		m := &list[i]
		if authors[m.Author] == nil {
			var err error
			if authors[m.Author], err = s.author(ctx, m.Author); err != nil {
				return nil, err
			}
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = m.AppendJSON(body, authors[m.Author])
	}
	return append(body, ']'), nil
}

// form returns a lobby as events show it.
func (s *Lobbies) form(ctx context.Context, l *lobby.Lobby) ([]byte, error) {
	var linked []byte
	if l.Channel != 0 {
		var err error
		if linked, err = s.linked(ctx, l.Channel); err != nil {
			return nil, err
		}
	}
	connected := func(m *lobby.Member) bool { return s.connected(l, m) }
	return l.AppendEvent(make([]byte, 0, 192+128*len(l.Members)), linked, connected), nil
}

// linked returns a channel as it goes on the wire, nothing when it is gone.
func (s *Lobbies) linked(ctx context.Context, id snowflake.Channel) ([]byte, error) {
	c, err := s.Directory.Channel(ctx, id)
	if errors.Is(err, directory.ErrUnknownChannel) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(wire.ChannelOf(c))
}

// author returns the author of a message, as it goes on the wire. The author may have been deleted.
func (s *Lobbies) author(ctx context.Context, id snowflake.User) ([]byte, error) {
	u, err := s.Directory.User(ctx, id)
	if errors.Is(err, directory.ErrUnknownUser) {
		u, err = &directory.User{User: store.User{ID: id, Username: "deleted_user"}}, nil
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(wire.UserOf(u))
}
