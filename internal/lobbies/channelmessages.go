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

// ChannelEvent adds the events of the lobby that is linked with a channel to a change of a message in the channel. name is the
// name of the event in the channel. Messages that were sent in the lobby itself have their own events, and do not get here.
func (s *Messages) ChannelEvent(ctx context.Context, c *store.Change, name string, m *store.Message) error {
	linked, err := s.states.links.Load(ctx, m.Channel)
	if err != nil || *linked == 0 {
		return err
	}
	st, err := s.states.lobbies.Load(ctx, *linked)
	if err != nil || st.Channel != m.Channel {
		return except(err, ErrUnknownLobby)
	}
	converted, err := fromChannel(*linked, m)
	if err != nil {
		return err
	}
	list, err := s.states.events.messageEvent(ctx, "LOBBY_"+name, &st.Lobby.Lobby, &converted)
	if err != nil {
		return err
	}
	for _, e := range list {
		c.Events = append(c.Events, store.Event{Subject: m.Subject(), Event: e})
	}
	return s.states.events.addWebhooks(ctx, c, "LOBBY_"+name, &st.Lobby.Lobby, &converted)
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
