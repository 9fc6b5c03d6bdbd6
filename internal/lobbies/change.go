package lobbies

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

// decider returns a function for cache.Decide that loads a lobby of an application (0: any), calls decide and builds
// the change. It may run more than once. If next is not nil, it is set to the state after the change, nil for a deleted
// lobby.
func (s *states) decider(
	app snowflake.Application, id snowflake.Lobby, next **State, decide func(ctx context.Context, base *State) (decision, error),
) func(context.Context) (store.Change, error) {
	return func(ctx context.Context) (store.Change, error) {
		base, err := s.lobbies.Load(ctx, id)
		if err != nil {
			return store.Change{}, err
		}
		if app != 0 && base.Application != app {
			return store.Change{}, ErrUnknownLobby
		}
		d, err := decide(ctx, base)
		if err != nil {
			return store.Change{}, err
		}
		out, after, err := s.build(ctx, base, &d)
		if next != nil {
			*next = after
		}
		return out, err
	}
}

// build turns a decision into a change and returns the state after it. base is the state before, an empty one for a new
// lobby. If the decision changes nothing, the change is empty and the state is base.
func (s *states) build(ctx context.Context, base *State, d *decision) (out store.Change, next *State, err error) {
	if d.deleted {
		out, err = s.remove(ctx, base)
		return out, nil, err
	}
	next = s.after(ctx, base, d)
	out.Put = d.records
	if !next.SameSettings(&base.Lobby.Lobby) || !next.IdleSince.Equal(base.IdleSince) || !next.Due.Equal(base.Due) ||
		len(next.Members) != len(base.Members) {
		out.Put = append(out.Put, next.Lobby)
	}
	if d.message != nil {
		out.Put = append(out.Put, store.LobbyMessage{Message: *d.message})
	}
	if err := s.changeMembers(ctx, &out, next, d); err != nil {
		return store.Change{}, nil, err
	}
	if len(out.Put) == len(d.records) && len(out.Delete) == 0 {
		return out, base, nil
	}
	s.lobbies.Next(&out, next.ID, next)
	if next.Channel != base.Channel {
		if err := errors.Join(s.setLink(ctx, &out, base.Channel, 0), s.setLink(ctx, &out, next.Channel, next.ID)); err != nil {
			return store.Change{}, nil, err
		}
	}
	if out.Events, err = s.events.ofChange(ctx, base, next, d); err == nil && d.posted != nil {
		err = s.Post(ctx, &out, d.posted)
	}
	if err == nil {
		err = s.callHooks(&out, base, next, d)
	}
	if err == nil && d.message != nil && !d.edited { // an edit changes only the moderation metadata, which is no event
		err = s.events.addWebhooks(ctx, &out, messageCreate, &next.Lobby.Lobby, d.message)
	}
	return out, next, err
}

// after returns the state after a decision.
func (s *states) after(ctx context.Context, base *State, d *decision) *State {
	if s.Settings.Activity == lobby.Connections && len(d.left) > 0 &&
		s.events.anyConnected(ctx, &base.Lobby.Lobby) && !s.events.anyConnected(ctx, &d.next) {
		d.next.IdleSince = s.now() // the last connected member leaves; other activities count every write
	}
	next := &State{Lobby: store.Lobby{Lobby: d.next, Due: base.Due}, positions: positions(base, d)}
	if len(d.changed) > 0 {
		next.texts = textBytes(next.Members)
	} else { // without iterating over all members
		next.texts = base.texts + textBytes(d.joined) - textBytes(d.left)
	}
	if len(d.joined)+len(d.changed)+len(d.left) == 0 && next.SameSettings(&base.Lobby.Lobby) {
		next.json.text.Store(base.json.text.Load())
	}
	// Due only moves to an earlier time here. The sweep moves it to a later one.
	due := dueAt(&next.Lobby.Lobby, s.started, s.now())
	switch {
	case d.due != nil:
		next.Due = *d.due
	case next.Due.IsZero() || due.Before(next.Due):
		next.Due = due
	}
	return next
}

// positions returns the positions of the members after a decision. Members who stay keep theirs; new members get larger
// ones.
func positions(base *State, d *decision) []uint64 {
	list := base.positions
	var last uint64
	if len(list) > 0 {
		last = list[len(list)-1]
	}
	if len(d.left) > 0 {
		stay := d.next.Members[:len(d.next.Members)-len(d.joined)]
		list = make([]uint64, 0, len(d.next.Members))
		for i, m := range base.Members {
			if len(list) < len(stay) && stay[len(list)].ID == m.ID {
				list = append(list, base.positions[i])
			}
		}
	}
	list = slices.Clip(list)
	for range d.joined {
		last++
		list = append(list, last)
	}
	return list
}

// changeMembers adds to a change the rows of members who join, change and leave, and their lists of lobbies.
func (s *states) changeMembers(ctx context.Context, out *store.Change, next *State, d *decision) error {
	affected := slices.Concat(d.joined, d.changed, d.left)
	if len(affected) == 0 {
		return nil
	}
	lists, err := s.membershipsOf(ctx, next.Application, affected)
	if err != nil {
		return err
	}
	for i, m := range affected {
		ids := *lists[i]
		switch at := slices.Index(next.Members, m); {
		case at < 0:
			out.Delete = append(out.Delete, store.LobbyMembershipKey(next.Application, next.ID, m.ID))
			ids = without(ids, next.ID)
		default:
			out.Put = append(out.Put, store.LobbyMembership{
				Member: *m, Lobby: next.ID, Application: next.Application, Position: next.positions[at],
			})
			ids = with(ids, next.ID)
		}
		s.setMemberships(out, membershipKey{next.Application, m.ID}, ids)
	}
	return nil
}

// maxLoads bounds how many states a decision loads at the same time.
const maxLoads = 8

// membershipsOf returns, for each member, the lobbies of an application that the user is in.
func (s *states) membershipsOf(
	ctx context.Context, app snowflake.Application, members []*lobby.Member,
) (lists []*[]snowflake.Lobby, err error) {
	lists = make([]*[]snowflake.Lobby, len(members))
	if len(members) == 1 || !s.db.Shared() { // a load without a round trip costs less than a goroutine
		for i := 0; i < len(members) && err == nil; i++ {
			lists[i], err = s.memberships.Load(ctx, membershipKey{app, members[i].ID})
		}
		return lists, err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(maxLoads)
	for i, m := range members {
		g.Go(func() (err error) {
			lists[i], err = s.memberships.Load(ctx, membershipKey{app, m.ID})
			return err
		})
	}
	return lists, g.Wait()
}

// setMemberships sets the lobbies that a user is in after a change. The subject of a user who is in none does not
// exist.
func (s *states) setMemberships(out *store.Change, key membershipKey, ids []snowflake.Lobby) {
	s.memberships.Next(out, key, &ids)
	if len(ids) == 0 {
		out.Expects(s.memberships.Subject(key)).Ends = true
	}
}

// with returns an ascending list with one more lobby.
func with(ids []snowflake.Lobby, id snowflake.Lobby) []snowflake.Lobby {
	at, found := slices.BinarySearch(ids, id)
	if found {
		return ids
	}
	return slices.Insert(slices.Clip(ids), at, id)
}

// without returns an ascending list without a lobby.
func without(ids []snowflake.Lobby, id snowflake.Lobby) []snowflake.Lobby {
	at, found := slices.BinarySearch(ids, id)
	if !found {
		return ids
	}
	return slices.Concat(ids[:at], ids[at+1:])
}

// remove returns the change that deletes a lobby.
func (s *states) remove(ctx context.Context, base *State) (out store.Change, err error) {
	out.Delete = []store.Key{store.LobbyKey(base.Lobby)}
	lists, err := s.membershipsOf(ctx, base.Application, base.Members)
	if err != nil {
		return out, err
	}
	for i, m := range base.Members {
		s.setMemberships(&out, membershipKey{base.Application, m.ID}, without(*lists[i], base.ID))
	}
	if base.Secret {
		if err := s.removeSecrets(ctx, &out, base); err != nil {
			return out, err
		}
	}
	if err := s.setLink(ctx, &out, base.Channel, 0); err != nil {
		return out, err
	}
	out.Events = record(base.ID, s.events.deleted(ctx, &base.Lobby.Lobby, base.Members, "deleted"))
	return out, s.Hooks.After(&out, hooks.LobbyEnd, store.LobbySubject(base.ID), hooks.LobbyData{Application: base.Application, Lobby: base.ID})
}

// setLink adds to a change which lobby is linked with a channel. id 0 means none. Channel 0 changes nothing.
func (s *states) setLink(ctx context.Context, out *store.Change, channel snowflake.Channel, id snowflake.Lobby) error {
	if channel == 0 {
		return nil
	}
	if _, err := s.links.Load(ctx, channel); err != nil {
		return err
	}
	s.links.Next(out, channel, &id)
	out.Expects(store.LinkSubject(channel)).Ends = id == 0
	return nil
}

// removeSecrets adds to a change that the secrets of a lobby have no lobby any more. Their rows are deleted with the
// lobby.
func (s *states) removeSecrets(ctx context.Context, out *store.Change, base *State) error {
	var hashes []store.SecretHash
	err := s.db.Read(ctx, func(r store.Reader) (err error) {
		hashes, err = r.Lobbies.Secrets(base.ID)
		return err
	})
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		k := secretKey{base.Application, hash}
		secret, err := s.secrets.Load(ctx, k)
		if err != nil {
			return err
		}
		if secret.Lobby != base.ID {
			continue // it belongs to another lobby by now
		}
		s.secrets.Next(out, k, &store.LobbySecret{})
		out.Expects(s.secrets.Subject(k)).Ends = true
	}
	return nil
}

// dueAt returns when to check whether a lobby was idle for too long. A linked lobby has no deadline, but is checked
// from time to time, because its channel may be deleted.
func dueAt(l *lobby.Lobby, started, now time.Time) time.Time {
	if deadline := l.Deadline(started); !deadline.IsZero() {
		return deadline
	}
	return now.Add(l.IdleTimeout)
}
