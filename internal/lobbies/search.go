package lobbies

import (
	"context"
	"errors"
	"sync"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrSearchOff means that the application has not turned the search on.
var ErrSearchOff = errors.New("the application does not search its lobbies")

const (
	// maxExamined bounds the lobbies that one search looks at, maxRead those that it reads from the store. The next page
	// continues behind them.
	maxExamined = 20_000
	maxRead     = 5000
	// listingBatch is the number of lobbies that are read at once.
	listingBatch = 1000
)

// Search finds the open lobbies of applications. The first search of an application reads a part of the store, and makes Run read all
// its lobbies into memory, where later searches find them. With one node, every commit changes them there. With several nodes, a search
// first reads which lobbies have changed since the last one.
type Search struct {
	states *states
	room   int                        // for all indexes, in bytes
	wanted chan snowflake.Application // whose lobbies Run reads into memory

	mu      sync.RWMutex
	indexes map[snowflake.Application]*index
	pending []update // the commits since lobbies are being read; nil: none are
	cleared bool     // the store was cleared since then

	watches watches
}

func newSearch(st *states) *Search {
	return &Search{
		states: st, room: maxIndexBytes, wanted: make(chan snowflake.Application, maxIndexes), indexes: map[snowflake.Application]*index{},
		watches: watches{apps: map[snowflake.Application]int{}, stop: make(chan struct{})},
	}
}

// Page is a page of a search. After is the cursor of the next page, 0 at the end.
type Page struct {
	Found []*lobby.Listing
	After snowflake.Lobby
}

// Find returns up to limit lobbies of an application that match a filter, with ids above after, ordered by id.
func (s *Search) Find(ctx context.Context, app snowflake.Application, f *lobby.Filter, after snowflake.Lobby, limit int) (Page, error) {
	stored, err := s.states.Directory.Applications.Application(ctx, app)
	if err != nil {
		return Page{}, err
	}
	if !stored.LobbySearch {
		return Page{}, ErrSearchOff
	}
	s.mu.RLock()
	x := s.indexes[app]
	s.mu.RUnlock()
	switch {
	case x == nil:
		select {
		case s.wanted <- app:
		default: // Run has enough to do
		}
		return s.scan(ctx, app, f, after, limit)
	case x.omitted:
		return s.scan(ctx, app, f, after, limit)
	}
	if s.states.db.Shared() {
		err := x.refresh(ctx, func(ctx context.Context) error { return s.update(ctx, app, x) })
		if errors.Is(err, store.ErrNoLobbyLog) {
			return s.scan(ctx, app, f, after, limit)
		}
		if err != nil {
			return Page{}, err
		}
	}
	x.used.Store(int64(s.elapsed()))
	s.mu.RLock()
	defer s.mu.RUnlock()
	return x.page(f, after, limit), nil
}

// page returns a page of the lobbies in memory.
func (x *index) page(f *lobby.Filter, after snowflake.Lobby, limit int) (p Page) {
	list := x.candidates(f)
	at, found := place(list, after)
	if found {
		at++
	}
	p.take(list[at:min(at+maxExamined, len(list))], f, limit)
	if p.After == 0 && at+maxExamined < len(list) {
		p.After = list[at+maxExamined-1].ID
	}
	return p
}

// take adds the listings that match a filter, up to limit. It sets After if there may be more behind them.
func (p *Page) take(list []*lobby.Listing, f *lobby.Filter, limit int) {
	for i, l := range list {
		if !l.Matches(f) {
			continue
		}
		p.Found = append(p.Found, l)
		if len(p.Found) == limit {
			if i+1 < len(list) {
				p.After = l.ID
			}
			return
		}
	}
}

// scan returns a page of the lobbies in the store.
func (s *Search) scan(ctx context.Context, app snowflake.Application, f *lobby.Filter, after snowflake.Lobby, limit int) (p Page, err error) {
	err = s.states.db.Read(ctx, func(r store.Reader) error {
		p = Page{}
		at := after
		for examined := 0; examined < maxRead; examined += listingBatch {
			stored, err := r.Lobbies.Listings(app, at, listingBatch)
			if err != nil {
				return err
			}
			list := listings(stored)
			p.take(list, f, limit)
			switch {
			case len(p.Found) == limit:
				p.After = p.Found[limit-1].ID
				return nil
			case len(list) < listingBatch:
				return nil
			}
			at = list[len(list)-1].ID
		}
		p.After = at
		return nil
	})
	return p, err
}

func listings(stored []store.LobbyListing) []*lobby.Listing {
	list := make([]*lobby.Listing, len(stored))
	for i, l := range stored {
		list[i] = lobby.NewListing(l.ID, l.Flags, l.Metadata, l.Members)
	}
	return list
}
