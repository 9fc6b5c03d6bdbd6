package lobbies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/snowflake"
)

// post keeps a message of a lobby as one of the linked channel too, and returns it. When that is gone the lobby has it
// alone.
func post(tx store.Tx, m *lobby.Message) (*store.Message, error) {
	if m.Channel == 0 {
		return nil, nil //nolint:nilnil // there is no channel to post in
	}
	c, err := tx.Channel(m.Channel)
	if errors.Is(err, store.ErrNotFound) {
		m.Channel = 0
		return nil, nil //nolint:nilnil // nor here
	}
	if err != nil {
		return nil, err
	}
	said := message.Content{Text: m.Content, Flags: message.FromSocialLayer}
	called := said.Mentioned()
	p := &store.Message{
		ID: m.ID, Channel: c.ID, Guild: c.Guild, Application: m.Application, User: m.Author,
		Mentions: called.Users, Content: said.Doc(),
	}
	return p, tx.PutMessage(*p)
}

// postNowhere is post for a message that the lobby has alone.
func postNowhere(_ store.Tx, m *lobby.Message) (*store.Message, error) {
	m.Channel = 0
	return nil, nil //nolint:nilnil // it is not posted
}

// fromChannel returns a message of the linked channel as one of a lobby.
func fromChannel(id snowflake.Lobby, p *store.Message) (lobby.Message, error) {
	said, err := message.ParseContent(p.Content)
	if err != nil {
		return lobby.Message{}, fmt.Errorf("message %v: %w", p.ID, err)
	}
	return lobby.Message{ID: p.ID, Lobby: id, Channel: p.Channel, Author: p.Author(), Content: said.Text, Edited: p.Edited}, nil
}

// Written tells the members of the lobby that is linked with the channel of m what an application has done there. name is
// that of the event in the channel. What was said in the lobby itself is told there.
func (s *Lobbies) Written(ctx context.Context, name string, m *store.Message) {
	if s.Events == nil || m.Interaction == 0 {
		return
	}
	if err := s.written(ctx, name, m); err != nil && !errors.Is(err, ErrUnknownLobby) {
		s.Log.ErrorContext(ctx, "a message was not announced in the lobby of its channel", "message", m.ID, "err", err)
	}
}

func (s *Lobbies) written(ctx context.Context, name string, m *store.Message) error {
	id, linked, err := s.channels.Load(m.Channel, func() (id snowflake.Lobby, linked bool, err error) {
		err = s.Store.View(ctx, func(r store.Reader) error {
			id, err = r.LinkedLobby(m.Channel)
			return err
		})
		return id, err == nil, except(err, store.ErrNotFound)
	})
	if err != nil || !linked {
		return err
	}
	st, err := s.cache.Get(ctx, id)
	if err != nil || st.Channel != m.Channel {
		return err
	}
	said, err := fromChannel(id, m)
	if err == nil {
		s.tellMessage(ctx, "LOBBY_"+name, &st.Lobby.Lobby, &said)
	}
	return err
}

// withPosts returns a lobby's newest messages together with what others wrote in the linked channel, as many as limit and
// with ids above after, the newest first.
func withPosts(r store.Reader, st *State, list []lobby.Message, after snowflake.Message, limit int) ([]lobby.Message, error) {
	posts, err := r.MessagesBefore(st.Channel, math.MaxInt64, limit)
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
