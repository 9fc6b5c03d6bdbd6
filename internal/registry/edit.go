package registry

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Why a permission set cannot be put.
var (
	// ErrMayNotEdit says that the editor is no member, cannot run the command, or cannot manage what an entry speaks of.
	ErrMayNotEdit = errors.New("may not edit these permissions")
	// ErrMissingManage says that the editor does not manage the guild and its roles.
	ErrMissingManage = errors.New("does not manage the guild and its roles")

	// What entries speak of and the guild does not have.
	ErrNoSuchRole    = errors.New("the guild has no such role")
	ErrNoSuchMember  = errors.New("the guild has no such member")
	ErrNoSuchChannel = errors.New("the guild has no such channel")
)

// Announcer hears of what happened, after it is durable and before it is acknowledged. It does not wait.
type Announcer interface{ Publish(e events.Event) }

// Edit is the wish to replace a permission set.
type Edit struct {
	Application snowflake.Application
	Guild       snowflake.Guild
	ID          snowflake.Command // or the application's: for all commands without a set
	By          snowflake.User
	Entries     []permission.Entry // of several with the same type and id the last one counts
}

// SetOverwrites replaces a permission set and returns the one that stands then. Without entries the set is removed.
func (r *Registry) SetOverwrites(ctx context.Context, e Edit) (store.OverwriteSet, error) {
	e.Entries = lastOfEach(e.Entries)
	k := setsKey{e.Application, e.Guild}
	// One at a time for an application in a guild, so that what is announced last is what stands.
	turn := r.editing.of(k)
	turn.Lock()
	defer turn.Unlock()
	// A write that has begun is finished: its caller may have gone, but whether it took effect must be known here.
	err := r.store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error {
		if err := r.judge(tx, e); err != nil {
			return err
		}
		return tx.PutOverwrites(e.record())
	})
	r.overwrites.Forget(k) // also after a failure: whether it reached the disk may be unknown
	if err != nil {
		return store.OverwriteSet{}, err
	}
	return e.record(), r.announce(e.record())
}

// announce tells every bot in the guild which set stands now.
func (r *Registry) announce(set store.OverwriteSet) error {
	if r.Events == nil {
		return nil
	}
	data, err := json.Marshal(wire.PermissionsOf(set))
	if err != nil {
		return fmt.Errorf("write a permission set: %w", err)
	}
	r.Events.Publish(events.Event{
		Name: "APPLICATION_COMMAND_PERMISSIONS_UPDATE", Data: data, To: events.Audience{Guild: set.Guild, Kinds: events.Bots},
	})
	r.tellPickers(set.Guild)
	return nil
}

// tellPickers tells the people of a guild that other commands than before may be offered to them.
func (r *Registry) tellPickers(guild snowflake.Guild) {
	r.Events.Publish(events.Event{
		Name: "GUILD_APPLICATION_COMMAND_INDEX_UPDATE", Data: []byte(`{"guild_id":"` + guild.String() + `"}`),
		To: events.Audience{Guild: guild, Kinds: events.People},
	})
}

// lastOfEach returns entries without those that a later one for the same thing stands in for.
func lastOfEach(entries []permission.Entry) []permission.Entry {
	type subject struct {
		kind permission.EntryType
		id   snowflake.Target
	}
	seen := make(map[subject]bool, len(entries))
	kept := make([]permission.Entry, 0, len(entries))
	for _, e := range slices.Backward(entries) {
		if s := (subject{e.Type, e.ID}); !seen[s] {
			seen[s] = true
			kept = append(kept, e)
		}
	}
	slices.Reverse(kept)
	return kept
}

func (e *Edit) record() store.OverwriteSet {
	set := store.OverwriteSet{Guild: e.Guild, Application: e.Application, ID: e.ID}
	for _, entry := range e.Entries {
		set.Entries = append(set.Entries, store.OverwriteEntry{ID: entry.ID, Type: uint8(entry.Type), Allow: entry.Allow})
	}
	return set
}

// judge decides, on what the store holds at this moment, whether an edit may be made.
func (r *Registry) judge(tx store.Tx, e Edit) error {
	app, err := tx.Application(e.Application)
	if errors.Is(err, store.ErrNotFound) {
		return directory.ErrUnknownApplication // gone since the caller was let in
	}
	if err != nil {
		return err
	}
	shelf, err := r.shelfWithin(tx, setsKey{e.Application, e.Guild})
	if err != nil {
		return err
	}
	edited, err := shelf.editable(&app, e.ID)
	if err != nil {
		return err
	}
	place, err := directory.ReadPlace(tx, e.Guild)
	if errors.Is(err, store.ErrNotFound) {
		return ErrMayNotEdit // gone since the caller was let in
	}
	if err != nil {
		return err
	}
	wish := permission.Edit{
		Guild: place.Rules, OfApp: edited == nil, Command: shelf.Sets.Of(e.ID), App: shelf.Sets.App,
		Next: permission.NewSet(e.Entries),
	}
	if edited != nil {
		d, err := command.ParseDoc(edited.Doc)
		if err != nil {
			return err
		}
		wish.Default = d.MemberPermissions
	}
	for i := range place.Channels {
		if !place.Channels[i].Thread {
			wish.Channels = append(wish.Channels, place.Channels[i].Channel)
		}
	}
	if err := r.people(tx, &wish, place, e.By); err != nil {
		return err
	}
	return refusal(permission.MayEdit(wish), func() error { return exist(&wish, place) })
}

// people adds the editor and the members of whom entries speak.
func (r *Registry) people(tx store.Tx, wish *permission.Edit, place *directory.Place, by snowflake.User) error {
	find := func(user snowflake.User) (*permission.Member, error) {
		m, err := tx.Member(place.ID, user)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		member := place.Member(m, r.clock.Now())
		return &member, nil
	}
	var err error
	if wish.Editor, err = find(by); err != nil {
		return err
	}
	stored := wish.Command
	if wish.OfApp {
		stored = wish.App
	}
	for _, entry := range slices.Concat(wish.Next.Entries(), stored.Entries()) {
		if entry.Type != permission.ForUser {
			continue
		}
		m, err := find(snowflake.User(entry.ID))
		if err != nil {
			return err
		}
		if m != nil {
			wish.Members = append(wish.Members, *m)
		}
	}
	return nil
}

// refusal puts a verdict into the registry's words. Who may edit nothing here learns nothing of what exists.
func refusal(v permission.Verdict, exist func() error) error {
	switch v.Obstacle {
	case permission.MissingManage:
		return ErrMissingManage
	case permission.NotMember, permission.CannotRun:
		return fmt.Errorf("%w: %v", ErrMayNotEdit, v.Obstacle)
	case permission.NoObstacle, permission.CannotManage:
	}
	if err := exist(); err != nil {
		return err
	}
	if v.Obstacle == permission.CannotManage {
		return fmt.Errorf("%w: %v", ErrMayNotEdit, v.Obstacle)
	}
	return nil
}

// exist reports an entry that speaks of what the guild does not have. A thread is none of its own: it goes with its
// parent.
func exist(wish *permission.Edit, place *directory.Place) error {
	for _, entry := range wish.Next.Entries() {
		switch entry.Type {
		case permission.ForRole:
			if entry.ID != permission.Everyone(place.ID) && !place.Rules.HasRole(snowflake.Role(entry.ID)) {
				return ErrNoSuchRole
			}
		case permission.ForUser:
			if !slices.ContainsFunc(wish.Members, func(m permission.Member) bool { return snowflake.Target(m.User) == entry.ID }) {
				return ErrNoSuchMember
			}
		case permission.ForChannel:
			c := place.Channel(snowflake.Channel(entry.ID))
			if entry.ID != permission.AllChannels(place.ID) && (c == nil || c.Thread) {
				return ErrNoSuchChannel
			}
		}
	}
	return nil
}

// shelfWithin returns what an application has in a guild at the moment of a unit of work. Commands come from memory when
// their revision is that of the store.
func (r *Registry) shelfWithin(tx store.Tx, k setsKey) (Shelf, error) {
	sets, err := readSets(tx, k)
	if err != nil {
		return Shelf{}, err
	}
	global, err := r.stateWithin(tx, command.Scope{Application: k.app}, sets.global)
	if err != nil {
		return Shelf{}, err
	}
	local, err := r.stateWithin(tx, command.Scope{Application: k.app, Guild: k.guild}, sets.local)
	return Shelf{global, local, sets}, err
}

func (r *Registry) stateWithin(tx store.Tx, scope command.Scope, revision uint64) (State, error) {
	if s := r.cache.Held(scope); s != nil && s.revision == revision {
		return s.state(), nil
	}
	kept, err := tx.Scope(scope)
	return newSnapshot(kept).state(), err
}

// turns are locks that many keys share.
type turns struct {
	seed  maphash.Seed
	locks [64]sync.Mutex
}

func (t *turns) of(k setsKey) *sync.Mutex {
	return &t.locks[maphash.Comparable(t.seed, k)%uint64(len(t.locks))]
}
