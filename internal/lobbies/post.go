package lobbies

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// post returns a message of a lobby as one of the linked channel.
func post(m *lobby.Message, guild snowflake.Guild) *store.Message {
	said := message.Content{Text: m.Content, Flags: message.FromSocialLayer}
	return &store.Message{
		ID: m.ID, Channel: m.Channel, Guild: guild, Application: m.Application, User: m.Author,
		Mentions: said.Mentioned().Users, Content: said.Doc(),
	}
}

// fromChannel returns a message of the linked channel as one of a lobby.
func fromChannel(id snowflake.Lobby, p *store.Message) (lobby.Message, error) {
	said, err := message.ParseContent(p.Content)
	if err != nil {
		return lobby.Message{}, fmt.Errorf("message %v: %w", p.ID, err)
	}
	return lobby.Message{ID: p.ID, Lobby: id, Channel: p.Channel, Author: p.Author(), Content: said.Text, Edited: p.Edited}, nil
}

// Written publishes to the members of the lobby that is linked with the channel of m what an application has done there.
// name is that of the event in the channel. Messages that were sent in the lobby itself are announced there.
func (s *Lobbies) Written(ctx context.Context, name string, m *store.Message) {
	if s.Events == nil || m.Interaction == 0 {
		return
	}
	if err := s.written(ctx, name, m); err != nil {
		s.Log.ErrorContext(ctx, "a message was not announced in the lobby of its channel", "message", m.ID, "err", err)
	}
}

func (s *Lobbies) written(ctx context.Context, name string, m *store.Message) error {
	var id snowflake.Lobby
	err := s.db.Read(ctx, func(r store.Reader) (err error) {
		id, err = r.Lobbies.Linked(m.Channel)
		return except(err, store.ErrNotFound)
	})
	if err != nil || id == 0 {
		return err
	}
	st, err := s.lobbies.Load(ctx, id)
	if err != nil || st.Channel != m.Channel {
		return except(err, ErrUnknownLobby)
	}
	said, err := fromChannel(id, m)
	if err != nil {
		return err
	}
	list, err := s.messageEvent(ctx, "LOBBY_"+name, &st.Lobby.Lobby, &said)
	s.publish(list)
	return err
}

// withPosts returns a lobby's newest messages together with those of the linked channel, at most limit, with ids above after,
// the newest first.
func withPosts(r store.Reader, st *State, list []lobby.Message, after snowflake.Message, limit int) ([]lobby.Message, error) {
	posts, err := r.Messages.Before(st.Channel, math.MaxInt64, limit)
	if err != nil {
		return nil, err
	}
	for i := range posts {
		p := &posts[i]
		if p.ID <= after {
			break
		}
		if slices.ContainsFunc(list, func(m lobby.Message) bool { return m.ID == p.ID }) {
			continue // it was said in the lobby
		}
		said, err := fromChannel(st.ID, p)
		if err != nil {
			return nil, err
		}
		list = append(list, said)
	}
	slices.SortFunc(list, func(a, b lobby.Message) int { return cmp.Compare(b.ID, a.ID) })
	return list[:min(len(list), limit)], nil
}
