package lobbies

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrSearchOff means that the application has not turned the search on.
var ErrSearchOff = errors.New("the application does not search its lobbies")

const (
	// maxExamined bounds the lobbies that one search looks at. The next page continues behind them.
	maxExamined = 20_000
	// listingBatch is the number of lobbies that are read at once.
	listingBatch = 1000
	// maxIndexes bounds the applications whose lobbies are in memory. A search of another one reads them again.
	maxIndexes = 100
)

// Search finds the open lobbies of applications. With one node it keeps the listings of an application in memory from the first
// search on, and every commit changes them. With several nodes each search reads a snapshot of the store.
type Search struct {
	states *states

	loading sync.Mutex // held while lobbies are read into memory
	mu      sync.RWMutex
	indexes map[snowflake.Application]*index
	pending []update // the commits since lobbies are being read; nil: none are
}

// index has the listings of the lobbies of an application, ordered by id.
type index struct {
	all     []*lobby.Listing
	byMatch map[lobby.Match][]*lobby.Listing
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
	if s.states.db.Shared() {
		return s.scan(ctx, app, f, after, limit)
	}
	if err := s.load(ctx, app); err != nil {
		return Page{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	x := s.indexes[app]
	if x == nil {
		return Page{}, store.ErrUnavailable // it was dropped for another application; the client tries again
	}
	list := x.candidates(f)
	at, found := place(list, after)
	if found {
		at++
	}
	var p Page
	p.take(list[at:min(at+maxExamined, len(list))], f, limit)
	if p.After == 0 && at+maxExamined < len(list) {
		p.After = list[at+maxExamined-1].ID
	}
	return p, nil
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

// scan is Find for a store that other nodes write to.
func (s *Search) scan(ctx context.Context, app snowflake.Application, f *lobby.Filter, after snowflake.Lobby, limit int) (p Page, err error) {
	err = s.states.db.Read(ctx, func(r store.Reader) error {
		p = Page{}
		at := after
		for examined := 0; examined < maxExamined; examined += listingBatch {
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

// load reads the lobbies of an application into memory, unless they are there. It applies the commits of the meantime.
func (s *Search) load(ctx context.Context, app snowflake.Application) error {
	s.mu.RLock()
	known := s.indexes[app] != nil
	s.mu.RUnlock()
	if known {
		return nil
	}
	s.loading.Lock() // one application after the other
	defer s.loading.Unlock()
	s.mu.Lock()
	if known = s.indexes[app] != nil; !known {
		s.pending = []update{}
	}
	s.mu.Unlock()
	if known {
		return nil
	}
	x := &index{byMatch: map[lobby.Match][]*lobby.Listing{}}
	err := s.fill(ctx, app, x)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.pending {
		x.apply(app, u)
	}
	s.pending = nil
	if err != nil {
		return err
	}
	if s.indexes == nil || len(s.indexes) >= maxIndexes {
		s.indexes = map[snowflake.Application]*index{}
	}
	s.indexes[app] = x
	return nil
}

// fill adds the stored lobbies of an application to an index.
func (s *Search) fill(ctx context.Context, app snowflake.Application, x *index) error {
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
		if err != nil || len(stored) < listingBatch {
			return err
		}
	}
}

// update is a change of a lobby by a commit. A nil listing means that the lobby was deleted.
type update struct {
	id      snowflake.Lobby
	app     snowflake.Application // 0 for a deleted lobby
	listing *lobby.Listing
}

// committed changes the listings of the lobbies that a change writes.
func (s *Search) committed(c *store.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.indexes) == 0 && s.pending == nil {
		return
	}
	if c.Clear {
		s.indexes = nil
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
	}
	if s.pending != nil {
		s.pending = append(s.pending, u)
	}
}

// apply applies an update to the index of an application.
func (x *index) apply(app snowflake.Application, u update) {
	if u.listing != nil && u.app != app {
		return
	}
	at, found := place(x.all, u.id)
	if found {
		x.remove(x.all[at])
	}
	if u.listing != nil {
		x.add(u.listing)
	}
}

// candidates returns the shortest list that contains all matches.
func (x *index) candidates(f *lobby.Filter) []*lobby.Listing {
	list := x.all
	for _, m := range f.Equal {
		if with := x.byMatch[m]; len(with) < len(list) {
			list = with
		}
	}
	return list
}

func (x *index) add(l *lobby.Listing) {
	x.all = inserted(x.all, l)
	l.Texts(func(m lobby.Match) { x.byMatch[m] = inserted(x.byMatch[m], l) })
}

func (x *index) remove(l *lobby.Listing) {
	x.all = removed(x.all, l)
	l.Texts(func(m lobby.Match) {
		if rest := removed(x.byMatch[m], l); len(rest) > 0 {
			x.byMatch[m] = rest
		} else {
			delete(x.byMatch, m)
		}
	})
}

// place returns the place of a lobby in a list, and whether the list has it.
func place(list []*lobby.Listing, id snowflake.Lobby) (int, bool) {
	return slices.BinarySearchFunc(list, id, func(l *lobby.Listing, id snowflake.Lobby) int { return cmp.Compare(l.ID, id) })
}

func inserted(list []*lobby.Listing, l *lobby.Listing) []*lobby.Listing {
	at, _ := place(list, l.ID) // new lobbies have the largest ids
	return slices.Insert(list, at, l)
}

func removed(list []*lobby.Listing, l *lobby.Listing) []*lobby.Listing {
	at, found := place(list, l.ID)
	if !found {
		return list
	}
	return slices.Delete(list, at, at+1)
}
