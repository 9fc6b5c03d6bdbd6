package lobbies

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// refreshTime bounds how long a search waits for the changes of other nodes.
const refreshTime = 2 * time.Second

// index has the listings of the lobbies of an application, ordered by id. Search.mu guards it, except for the fields with other
// comments.
type index struct {
	omitted bool // never changes; the index is empty, because there is no room, and the store is read instead
	all     []*lobby.Listing
	byMatch map[lobby.Match][]*lobby.Listing
	size    int // approximate memory in bytes

	used   atomic.Int64  // when a search last used it, as Search.elapsed
	loaded time.Duration // when it was read; never changes

	// With several nodes: the position up to which the index has the changes of all nodes. The refreshes use it, one at a time.
	since store.LobbyPosition

	turn          sync.Mutex
	current, next *refresh // the one under way or the last one, and the one behind it
}

func newIndex() *index { return &index{byMatch: map[lobby.Match][]*lobby.Listing{}} }

// refresh is a look for the changes of other nodes, which several searches share.
type refresh struct {
	done chan struct{}
	err  error
}

// refresh calls read after the call began, for all searches that wait at that moment.
func (x *index) refresh(ctx context.Context, read func(context.Context) error) error {
	x.turn.Lock()
	mine, before := x.next, x.current
	leads := mine == nil
	if leads {
		mine = &refresh{done: make(chan struct{})}
		x.next = mine
	}
	x.turn.Unlock()
	if !leads {
		if err := store.Await(ctx, refreshTime, mine.done); err != nil {
			return err
		}
		return mine.err
	}
	ctx = context.WithoutCancel(ctx) // others wait too; the store bounds each call
	if before != nil {
		mine.err = store.Await(ctx, refreshTime, before.done)
	}
	x.turn.Lock()
	x.next = nil
	if mine.err == nil {
		x.current = mine
	}
	x.turn.Unlock()
	if mine.err == nil {
		mine.err = read(ctx)
	}
	close(mine.done)
	return mine.err
}

// update is a change of a lobby by a commit. A nil listing means that the lobby was deleted.
type update struct {
	id      snowflake.Lobby
	app     snowflake.Application // 0 for a deleted lobby
	listing *lobby.Listing
}

// apply applies an update to the index of an application.
func (x *index) apply(app snowflake.Application, u update) {
	if x.omitted || u.listing != nil && u.app != app {
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
	x.size += sizeOf(l)
	x.all = inserted(x.all, l)
	l.Texts(func(m lobby.Match) { x.byMatch[m] = inserted(x.byMatch[m], l) })
}

func (x *index) remove(l *lobby.Listing) {
	x.size -= sizeOf(l)
	x.all = removed(x.all, l)
	l.Texts(func(m lobby.Match) {
		if rest := removed(x.byMatch[m], l); len(rest) > 0 {
			x.byMatch[m] = rest
		} else {
			delete(x.byMatch, m)
		}
	})
}

// sizeOf returns the approximate memory of a listing in an index: the metadata is there as a text and by its members.
func sizeOf(l *lobby.Listing) int { return 256 + 4*len(l.Metadata) }

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
