package lobbies

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// toChannel returns a lobby's message as a message of the linked channel.
func toChannel(m *lobby.Message, guild snowflake.Guild) *store.Message {
	content := message.Content{Text: m.Content, Flags: message.FromSocialLayer}
	return &store.Message{
		ID: m.ID, Channel: m.Channel, Guild: guild, Application: m.Application, User: m.Author,
		Mentions: content.Mentioned().Users, Content: content.Doc(),
	}
}

// fromChannel returns a message of the linked channel as a lobby's message.
func fromChannel(id snowflake.Lobby, p *store.Message) (lobby.Message, error) {
	content, err := message.ParseContent(p.Content)
	if err != nil {
		return lobby.Message{}, fmt.Errorf("message %v: %w", p.ID, err)
	}
	m := lobby.Message{ID: p.ID, Lobby: id, Channel: p.Channel, Author: p.Author(), Content: content.Text, Edited: p.Edited}
	if p.Webhook != nil {
		m.Webhook = new(convert.WireWebhookAuthor(p.Webhook))
	}
	return m, nil
}

// ChannelEvent publishes a message in a channel to the members of the lobby that is linked with the channel. name is the
// name of the event in the channel. Messages that were sent in the lobby itself have their own events, and do not get here.
func (s *Messages) ChannelEvent(ctx context.Context, name string, m *store.Message) {
	if s.states.Events == nil {
		return
	}
	if err := s.channelEvent(ctx, name, m); err != nil {
		s.states.Log.ErrorContext(ctx, "message of a linked channel not published to the lobby", "message", m.ID, "err", err)
	}
}

func (s *Messages) channelEvent(ctx context.Context, name string, m *store.Message) error {
	var id snowflake.Lobby
	// One query needs no snapshot. Load shares its round trip with other requests.
	_, err := s.states.db.Load(ctx, store.ChannelSubject(m.Channel), func(r store.Reader) (err error) {
		id, err = r.Lobbies.Linked(m.Channel)
		return except(err, store.ErrNotFound)
	})
	if err != nil || id == 0 {
		return err
	}
	st, err := s.states.lobbies.Load(ctx, id)
	if err != nil || st.Channel != m.Channel {
		return except(err, ErrUnknownLobby)
	}
	converted, err := fromChannel(id, m)
	if err != nil {
		return err
	}
	list, err := s.states.events.messageEvent(ctx, "LOBBY_"+name, &st.Lobby.Lobby, &converted)
	s.states.events.publish(list)
	return err
}

// withChannel merges a lobby's newest messages with those of the linked channel: up to limit, with ids above after,
// newest first.
func withChannel(r store.Reader, st *State, list []lobby.Message, after snowflake.Message, limit int) ([]lobby.Message, error) {
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
			continue // it was sent in the lobby
		}
		converted, err := fromChannel(st.ID, p)
		if err != nil {
			return nil, err
		}
		list = append(list, converted)
	}
	slices.SortFunc(list, func(a, b lobby.Message) int { return cmp.Compare(b.ID, a.ID) })
	return list[:min(len(list), limit)], nil
}
