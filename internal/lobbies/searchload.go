package lobbies

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// maxIndexes bounds the applications whose lobbies are in memory, and maxIndexBytes the memory of all of them. The lobbies
	// of further ones are read from the store.
	maxIndexes    = 100
	maxIndexBytes = 192 << 20
	// indexLife is the time after which lobbies that no search has used leave the memory.
	indexLife = 10 * time.Minute
	// tendPause is the time between two looks at the lobbies in memory. maxChanges bounds the changes that a search applies: with
	// more of them, all lobbies are read again.
	tendPause  = 5 * time.Second
	maxChanges = 5000
	// If that happens within shortLife, the lobbies change too often.
	shortLife = time.Minute
)

// elapsed returns the time since a fixed moment.
func (s *Search) elapsed() time.Duration { return clock.Elapsed(s.states.Wall) }

// run reads the lobbies of applications into memory until ctx ends.
func (s *Search) run(ctx context.Context) {
	for ctx.Err() == nil {
		look := make(chan struct{})
		timer := s.states.Wall.AfterFunc(tendPause, func() { close(look) })
		s.loadUntil(ctx, look)
		timer.Stop()
		s.tend(ctx)
	}
}

// loadUntil reads the lobbies that searches want, until done is closed or ctx ends.
func (s *Search) loadUntil(ctx context.Context, done <-chan struct{}) {
	for {
		select {
		case app := <-s.wanted:
			if err := s.load(ctx, app); err != nil && ctx.Err() == nil {
				s.states.Log.WarnContext(ctx, "lobbies for searches not read", "application", app, "err", err)
			}
		case <-done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// tend drops the lobbies that no search uses. With several nodes it applies the changes to the others, so that there are never many.
func (s *Search) tend(ctx context.Context) {
	now := s.elapsed()
	s.mu.Lock()
	kept := make(map[snowflake.Application]*index, len(s.indexes))
	for app, x := range s.indexes {
		if now-time.Duration(x.used.Load()) > indexLife {
			delete(s.indexes, app)
		} else if !x.omitted {
			kept[app] = x
		}
	}
	s.mu.Unlock()
	if !s.states.db.Shared() {
		return
	}
	for app, x := range kept {
		if ctx.Err() == nil {
			_ = x.refresh(ctx, func(ctx context.Context) error { return s.update(ctx, app, x) }) // the next search tries again
		}
	}
}

// update applies the changes of all nodes to an index. It drops the index if they are not known.
func (s *Search) update(ctx context.Context, app snowflake.Application, x *index) error {
	var c store.LobbyChanges
	err := s.states.db.Read(ctx, func(r store.Reader) (err error) {
		c, err = r.Lobbies.Changes(app, x.since, maxChanges)
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, store.ErrNoLobbyLog) && s.indexes[app] == x {
		if delete(s.indexes, app); s.elapsed()-x.loaded < shortLife {
			s.omit(app)
		}
	}
	if err != nil {
		return err
	}
	for _, id := range c.Changed {
		x.apply(app, update{id: id})
	}
	for _, l := range listings(c.Now) {
		x.apply(app, update{l.ID, app, l})
	}
	x.since = c.Next
	s.bound(app, x)
	return nil
}

// load reads the lobbies of an application into memory, unless they are there.
func (s *Search) load(ctx context.Context, app snowflake.Application) error {
	s.mu.Lock()
	known := s.indexes[app] != nil
	if !known {
		s.pending, s.cleared = []update{}, false
	}
	s.mu.Unlock()
	if known {
		return nil
	}
	x := newIndex()
	x.loaded = s.elapsed()
	x.used.Store(int64(x.loaded))
	err := s.fill(ctx, app, x)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.pending {
		x.apply(app, u)
	}
	s.pending = nil
	if err != nil || s.cleared {
		return err
	}
	s.indexes[app] = x
	s.bound(app, x)
	return nil
}

// bound leaves the lobbies of an application out of the memory if there is no room for them.
func (s *Search) bound(app snowflake.Application, x *index) {
	size := 0
	for _, other := range s.indexes {
		size += other.size
	}
	if (len(s.indexes) <= maxIndexes && size <= s.room) || s.indexes[app] != x {
		return
	}
	s.omit(app)
}

// omit leaves the lobbies of an application out of the memory for indexLife.
func (s *Search) omit(app snowflake.Application) {
	x := &index{omitted: true}
	x.used.Store(int64(s.elapsed()))
	s.indexes[app] = x
}

// fill adds the stored lobbies of an application to an index.
func (s *Search) fill(ctx context.Context, app snowflake.Application, x *index) error {
	if s.states.db.Shared() {
		err := s.states.db.Read(ctx, func(r store.Reader) error {
			c, err := r.Lobbies.Changes(app, store.LobbyPosition{}, 0)
			x.since = c.Next
			return err
		})
		if errors.Is(err, store.ErrNoLobbyLog) {
			x.omitted = true
			return nil
		}
		if err != nil {
			return err
		}
	}
	for at := snowflake.Lobby(0); ; {
		var stored []store.LobbyListing
		err := s.states.db.Read(ctx, func(r store.Reader) (err error) {
			stored, err = r.Lobbies.Listings(app, at, listingBatch)
			return err
		})
		for _, l := range listings(stored) {
			x.add(l)
			at = l.ID
		}
		if err != nil || len(stored) < listingBatch || x.size > s.room {
			return err
		}
	}
}

// committed changes the listings of the lobbies that a change writes.
func (s *Search) committed(c *store.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.indexes) == 0 && s.pending == nil {
		return
	}
	if c.Clear {
		clear(s.indexes)
		s.cleared = true
	}
	for _, e := range c.Expect {
		if e.Subject.Kind == store.KindLobby && e.Ends {
			s.apply(update{id: snowflake.Lobby(e.Subject.A)})
		}
	}
	for _, r := range c.Put { // a lobby whose metadata or number of members changes is among them
		if l, ok := r.(store.Lobby); ok {
			s.apply(update{l.ID, l.Application, lobby.NewListing(l.ID, l.Flags, l.Metadata, len(l.Members))})
		}
	}
}

// apply applies an update to the lobbies in memory, and keeps it for those that are being read.
func (s *Search) apply(u update) {
	for app, x := range s.indexes {
		x.apply(app, u)
		if u.app == app {
			s.bound(app, x)
		}
	}
	if s.pending != nil {
		s.pending = append(s.pending, u)
	}
}
