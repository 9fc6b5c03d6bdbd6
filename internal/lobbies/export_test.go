package lobbies

import (
	"context"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Texts returns the size of the members' texts, as stored in the state and as counted again.
func (st *State) Texts() (stored, counted int) { return st.texts, textBytes(st.Members) }

// NewSearchOf returns a search that has read no lobbies.
func NewSearchOf(l *Lobbies) *Search { return newSearch(l.states) }

// Load reads the lobbies of an application into memory, as Run does.
func (s *Search) Load(ctx context.Context, app snowflake.Application) error { return s.load(ctx, app) }

// Loaded reports whether the lobbies of an application are in memory, and whether they are left out of it.
func (s *Search) Loaded(app snowflake.Application) (loaded, omitted bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.indexes[app]
	return x != nil && !x.omitted, x != nil && x.omitted
}

// SetRoom replaces the bound on the memory of all indexes.
func (s *Search) SetRoom(bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room = bytes
}

// Scan is Find as with several nodes.
func (s *Search) Scan(ctx context.Context, app snowflake.Application, f *lobby.Filter, after snowflake.Lobby, limit int) (Page, error) {
	return s.scan(ctx, app, f, after, limit)
}
