package lobbies

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
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
	said := interaction.Content{Text: m.Content, Flags: interaction.FromSocialLayer}
	called := said.Mentioned()
	p := &store.Message{
		ID: m.ID, Channel: c.ID, Guild: c.Guild, Application: m.Application, User: m.Author,
		Mentions: called.Users, Content: said.Doc(),
	}
	return p, tx.PutMessage(*p)
}

// withPosts returns a lobby's newest messages together with what others wrote in the linked channel, as many as limit and
// with ids above after, the newest first.
func withPosts(r store.Reader, st *State, list []lobby.Message, after snowflake.Message, limit int) ([]lobby.Message, error) {
	posts, err := r.MessagesBefore(st.Channel, math.MaxInt64, limit)
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		if p.ID <= after {
			break
		}
		if slices.ContainsFunc(list, func(m lobby.Message) bool { return m.ID == p.ID }) {
			continue // it was said in the lobby
		}
		said, err := interaction.ParseContent(p.Content)
		if err != nil {
			return nil, fmt.Errorf("message %v: %w", p.ID, err)
		}
		list = append(list, lobby.Message{ID: p.ID, Lobby: st.ID, Channel: p.Channel, Author: p.Author(), Content: said.Text})
	}
	slices.SortFunc(list, func(a, b lobby.Message) int { return cmp.Compare(b.ID, a.ID) })
	return list[:min(len(list), limit)], nil
}
