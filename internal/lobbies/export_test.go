package lobbies

import (
	"context"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Texts returns the size of the members' texts, as stored in the state and as counted again.
func (st *State) Texts() (stored, counted int) { return st.texts, textBytes(st.Members) }

// NewSearchOf returns a search that has read no lobbies.
func NewSearchOf(l *Lobbies) *Search { return &Search{states: l.states} }

// Scan is Find as with several nodes.
func (s *Search) Scan(ctx context.Context, app snowflake.Application, f *lobby.Filter, after snowflake.Lobby, limit int) (Page, error) {
	return s.scan(ctx, app, f, after, limit)
}
