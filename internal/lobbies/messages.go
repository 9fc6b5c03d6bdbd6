package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Messages provides the messages of lobbies.
type Messages struct {
	states  *states
	cleaner *cleaner
}

// Send stores a message of a member in a lobby, and in the linked channel if there is one.
func (s *Messages) Send(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body jsonbody.Value,
) (*lobby.Message, error) {
	m, err := lobby.ReadMessage(body)
	if err != nil {
		return nil, err
	}
	about := hooks.LobbyMessageData{Application: app, Lobby: id, User: user, Content: m.Content}
	changed, err := s.states.Hooks.Before(ctx, hooks.LobbyMessage, about)
	if err != nil {
		return nil, err
	}
	if changed.Changes("content") {
		if m, err = lobby.ReadMessage(changed.Apply(body, "content", "content")); err != nil {
			return nil, err
		}
	}
	ctx = context.WithoutCancel(ctx)
	m.ID, m.Lobby, m.Application, m.Author = snowflake.Message(s.states.IDs.Next()), id, app, user
	posted, err := s.store(ctx, &m, true)
	if err != nil && posted != nil && !errors.Is(err, store.ErrUnavailable) { // keep the message even if the channel fails
		s.states.Log.ErrorContext(ctx, "lobby message not stored in its channel", "lobby", id, "message", m.ID, "err", err)
		_, err = s.store(ctx, &m, false)
	}
	if err != nil {
		return nil, err
	}
	s.cleaner.schedule(lobby.MessageLife)
	return &m, nil
}

// store stores a message in the lobby and, with posting, in the linked channel: in both or in none. It returns the
// message of the channel, or nil.
func (s *Messages) store(ctx context.Context, m *lobby.Message, posting bool) (posted *store.Message, err error) {
	decide := func(ctx context.Context, base *State) (decision, error) {
		posted = nil
		author := base.Member(m.Author)
		if author == nil {
			return decision{}, ErrNotMember
		}
		d := decision{next: s.states.Settings.Activity.Touch(base.Lobby.Lobby, s.states.now()), message: m}
		m.AdditionalName, m.Channel = author.AdditionalName, 0
		if base.Channel == 0 || !posting {
			return d, nil
		}
		channel, err := s.states.Directory.Channels.Channel(ctx, base.Channel)
		if errors.Is(err, directory.ErrUnknownChannel) {
			return d, nil // the message is stored in the lobby only
		}
		if err != nil {
			return d, err
		}
		m.Channel = channel.ID
		posted = toChannel(m, channel.Guild)
		d.posted = posted
		return d, nil
	}
	err = s.states.Cache.Decide(ctx, s.states.decider(m.Application, m.Lobby, nil, decide))
	return posted, err
}

// List returns the newest messages of a lobby and of its linked channel for one of its members, newest first.
func (s *Messages) List(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, limit int,
) ([]lobby.Message, error) {
	st, err := s.states.load(ctx, app, id)
	if err != nil {
		return nil, err
	}
	if st.Member(user) == nil {
		return nil, ErrNotMember
	}
	var list []lobby.Message
	limit = min(limit, lobby.MaxMessages)
	err = s.states.db.Read(ctx, func(r store.Reader) error {
		after := s.states.oldestMessage() - 1
		if list, err = r.Lobbies.Messages(id, after, limit); err == nil && st.Channel != 0 {
			list, err = withChannel(r, st, list, after, limit)
		}
		return err
	})
	return list, err
}

// Moderate replaces the moderation data of a message in a lobby of an application.
func (s *Messages) Moderate(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, message snowflake.Message, body jsonbody.Value,
) error {
	moderation, err := lobby.ReadModeration(body)
	if err != nil {
		return err
	}
	return s.states.Cache.Decide(context.WithoutCancel(ctx), s.states.decider(app, id, nil, func(ctx context.Context, base *State) (decision, error) {
		var m lobby.Message
		err := s.states.db.Read(ctx, func(r store.Reader) (err error) { // part of the lobby, whose revision the commit expects
			m, err = r.Lobbies.Message(id, message)
			return err
		})
		if errors.Is(err, store.ErrNotFound) || err == nil && m.ID < s.states.oldestMessage() {
			return decision{}, ErrUnknownMessage
		}
		m.Moderation = moderation
		return decision{next: base.Lobby.Lobby, message: &m, edited: true}, err
	}))
}

// Body returns a message as JSON.
func (s *Messages) Body(ctx context.Context, m *lobby.Message) ([]byte, error) {
	author, err := s.states.events.author(ctx, m)
	if err != nil {
		return nil, err
	}
	return m.AppendJSON(nil, author), nil
}

// ListBody returns a list of messages as JSON.
func (s *Messages) ListBody(ctx context.Context, list []lobby.Message) ([]byte, error) {
	authors := map[snowflake.User][]byte{}
	body := []byte{'['}
	for i := range list {
		m := &list[i]
		author := authors[m.Author]
		if author == nil {
			var err error
			if author, err = s.states.events.author(ctx, m); err != nil {
				return nil, err
			}
		}
		if m.Webhook == nil {
			authors[m.Author] = author
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = m.AppendJSON(body, author)
	}
	return append(body, ']'), nil
}

// removeAll removes the messages of a deleted lobby in batches. If that fails, the cleaner removes them when they are
// old.
func (s *Messages) removeAll(ctx context.Context, id snowflake.Lobby) {
	for {
		var ids []snowflake.Message
		err := s.states.db.Read(ctx, func(r store.Reader) (err error) {
			ids, err = r.Lobbies.MessagesIn(id, batchSize)
			return err
		})
		if err == nil && len(ids) > 0 {
			err = s.states.db.Commit(ctx, store.Change{Delete: messageKeys(ids)})
		}
		if err != nil {
			s.states.Log.WarnContext(ctx, "messages of a deleted lobby not removed yet", "lobby", id, "err", err)
		}
		if err != nil || len(ids) < batchSize {
			return
		}
	}
}

func messageKeys(ids []snowflake.Message) []store.Key {
	keys := make([]store.Key, len(ids))
	for i, id := range ids {
		keys[i] = store.LobbyMessageKey(id)
	}
	return keys
}

// oldestMessage returns the smallest id of a message that has not expired.
func (s *states) oldestMessage() snowflake.Message {
	ms := s.now().Add(-lobby.MessageLife).UnixMilli()
	return snowflake.Message(max(ms-snowflake.Epoch, 0) << 22)
}
