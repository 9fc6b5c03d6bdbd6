package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Send keeps what a member says in a lobby, and in the channel that it is linked with.
func (s *Lobbies) Send(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body form.Value,
) (*lobby.Message, error) {
	m, err := lobby.ReadMessage(body)
	if err != nil {
		return nil, err
	}
	m.ID, m.Lobby, m.Application, m.Author = snowflake.Message(s.IDs.Run(1)), id, app, user
	lost, err := s.say(ctx, &m, post)
	if lost != nil { // that it cannot stand in the channel is no reason not to keep it
		s.Log.ErrorContext(ctx, "a message of a lobby is not in its channel", "lobby", id, "message", m.ID, "err", lost)
		_, err = s.say(ctx, &m, postNowhere)
	}
	if err != nil {
		return nil, err
	}
	s.kept(lobby.MessageLife)
	return &m, nil
}

// say keeps a message, and what post makes of it for the linked channel: both or none. lost is why post failed.
func (s *Lobbies) say(
	ctx context.Context, m *lobby.Message, post func(store.Tx, *lobby.Message) (*store.Message, error),
) (lost, err error) {
	_, err = s.update(ctx, m.Application, m.Lobby, func(u *unit, base *State) (change, error) {
		lost = nil
		author := base.Member(m.Author)
		if author == nil {
			return change{}, ErrNotMember
		}
		m.AdditionalName, m.Channel = author.AdditionalName, base.Channel
		var posted *store.Message
		if posted, lost = post(u, m); lost != nil {
			return change{}, lost
		}
		if err := u.PutLobbyMessage(*m); err != nil {
			return change{}, err
		}
		return change{next: s.Settings.Activity.Touch(base.Lobby.Lobby, s.now()), message: m, posted: posted}, nil
	})
	return lost, err
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
	err = s.Store.View(ctx, func(r store.Reader) error {
		after := s.oldest() - 1
		if list, err = r.LobbyMessages(id, after, limit); err == nil && st.Channel != 0 {
			list, err = withPosts(r, st, list, after, limit)
		}
		return err
	})
	return list, err
}

// Moderate replaces what an application notes about a message in one of its lobbies.
func (s *Lobbies) Moderate(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, message snowflake.Message, body form.Value,
) error {
	note, err := lobby.ReadModeration(body)
	if err != nil {
		return err
	}
	st, err := s.Lobby(ctx, app, id)
	if err != nil {
		return err
	}
	var m lobby.Message
	err = s.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error {
		m, err = tx.LobbyMessage(id, message)
		if errors.Is(err, store.ErrNotFound) || err == nil && m.ID < s.oldest() {
			return ErrUnknownMessage
		}
		if err != nil {
			return err
		}
		m.Moderation = note
		return tx.PutLobbyMessage(m)
	})
	if err == nil && s.Events != nil {
		s.tellMessage(ctx, "LOBBY_MESSAGE_UPDATE", &st.Lobby.Lobby, &m)
	}
	return err
}
