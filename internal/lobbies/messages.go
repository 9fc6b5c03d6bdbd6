package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Send stores a message of a member in a lobby, and in the channel that the lobby is linked with.
func (s *Lobbies) Send(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body jsonbody.Value,
) (*lobby.Message, error) {
	m, err := lobby.ReadMessage(body)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	m.ID, m.Lobby, m.Application, m.Author = snowflake.Message(s.IDs.Next()), id, app, user
	posted, err := s.say(ctx, &m, true)
	if err != nil && posted != nil && !errors.Is(err, store.ErrUnavailable) { // the channel is no reason to lose the message
		s.Log.ErrorContext(ctx, "a message of a lobby is not in its channel", "lobby", id, "message", m.ID, "err", err)
		posted, err = s.say(ctx, &m, false)
	}
	if err != nil {
		return nil, err
	}
	if posted != nil && s.Posted != nil {
		s.Posted(ctx, posted)
	}
	s.kept(lobby.MessageLife)
	return &m, nil
}

// say stores a message, and with posting also in the linked channel: both or none. It returns the message of the channel, nil
// for none.
func (s *Lobbies) say(ctx context.Context, m *lobby.Message, posting bool) (posted *store.Message, err error) {
	err = s.Cache.Decide(ctx, s.on(m.Application, m.Lobby, nil, func(ctx context.Context, base *State) (change, error) {
		posted = nil
		author := base.Member(m.Author)
		if author == nil {
			return change{}, ErrNotMember
		}
		c := change{next: s.Settings.Activity.Touch(base.Lobby.Lobby, s.now()), message: m}
		m.AdditionalName, m.Channel = author.AdditionalName, 0
		if base.Channel == 0 || !posting {
			return c, nil
		}
		channel, err := s.Directory.Channel(ctx, base.Channel)
		if errors.Is(err, directory.ErrUnknownChannel) {
			return c, nil // only the lobby has the message
		}
		if err != nil {
			return c, err
		}
		m.Channel = channel.ID
		posted = post(m, channel.Guild)
		c.beside = []store.Record{*posted}
		return c, nil
	}))
	return posted, err
}

// removeMessages removes the messages of a lobby that is gone, in pieces. What it cannot remove is removed when it is old.
func (s *Lobbies) removeMessages(ctx context.Context, id snowflake.Lobby) {
	for {
		var ids []snowflake.Message
		err := s.db.Read(ctx, func(r store.Reader) (err error) {
			ids, err = r.Lobbies.MessagesIn(id, maxPiece)
			return err
		})
		if err == nil && len(ids) > 0 {
			err = s.db.Commit(ctx, store.Change{Delete: messageKeys(ids)})
		}
		if err != nil {
			s.Log.WarnContext(ctx, "messages of a deleted lobby are not removed yet", "lobby", id, "err", err)
		}
		if err != nil || len(ids) < maxPiece {
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

// oldest returns the smallest id of a message that is still kept.
func (s *Lobbies) oldest() snowflake.Message {
	return messageAt(s.now().Add(-lobby.MessageLife).UnixMilli())
}

// messageAt returns the smallest id of a message that is made at or after a moment.
func messageAt(ms int64) snowflake.Message {
	return snowflake.Message(max(ms-snowflake.Epoch, 0) << 22)
}

// Messages returns the newest messages of a lobby, and of the channel that it is linked with, for one of its members, the
// newest first.
func (s *Lobbies) Messages(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, limit int,
) ([]lobby.Message, error) {
	st, err := s.Lobby(ctx, app, id)
	if err != nil {
		return nil, err
	}
	if st.Member(user) == nil {
		return nil, ErrNotMember
	}
	var list []lobby.Message
	limit = min(limit, lobby.MaxMessages)
	err = s.db.Read(ctx, func(r store.Reader) error {
		after := s.oldest() - 1
		if list, err = r.Lobbies.Messages(id, after, limit); err == nil && st.Channel != 0 {
			list, err = withPosts(r, st, list, after, limit)
		}
		return err
	})
	return list, err
}

// Moderate replaces what an application notes about a message in one of its lobbies.
func (s *Lobbies) Moderate(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, message snowflake.Message, body jsonbody.Value,
) error {
	note, err := lobby.ReadModeration(body)
	if err != nil {
		return err
	}
	return s.Cache.Decide(context.WithoutCancel(ctx), s.on(app, id, nil, func(ctx context.Context, base *State) (change, error) {
		var m lobby.Message
		err := s.db.Read(ctx, func(r store.Reader) (err error) { // it belongs to the lobby, whose revision the commit expects
			m, err = r.Lobbies.Message(id, message)
			return err
		})
		if errors.Is(err, store.ErrNotFound) || err == nil && m.ID < s.oldest() {
			return change{}, ErrUnknownMessage
		}
		m.Moderation = note
		return change{next: base.Lobby.Lobby, message: &m, edited: true}, err
	}))
}
