package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// Edit is the wish to replace a permission set.
type Edit struct {
	Application snowflake.Application
	Guild       snowflake.Guild
	ID          snowflake.Command // or the application's: for all commands without a set
	By          snowflake.User
	Entries     []permission.Entry // of several with the same type and id the last one counts
}

// SetOverwrites replaces a permission set and returns the new one. Without entries the set is removed.
func (r *Registry) SetOverwrites(ctx context.Context, e Edit) (store.OverwriteSet, error) {
	e.Entries = lastOfEach(e.Entries)
	set := e.record()
	news, err := announce(set)
	if err != nil {
		return store.OverwriteSet{}, err
	}
	// A write that has begun is finished when its caller leaves, so that its outcome is known.
	err = store.Decide(context.WithoutCancel(ctx), r.cache.Store(), func(tx *store.Tx) error {
		edited, err := r.judge(tx, e)
		if err != nil {
			return err
		}
		if edited != nil { // a concurrent change that removes the command and its sets is made again
			tx.Touch(store.ScopeSubject(edited.Scope))
		}
		tx.Announce(news...)
		if len(set.Entries) == 0 {
			tx.Delete(store.OverwriteSetKey(set.Application, set.Guild, set.ID))
			return nil
		}
		return tx.Put(set)
	})
	if err != nil {
		return store.OverwriteSet{}, err
	}
	return set, nil
}

// announce returns the events that tell the bots in a guild about a new permission set, and its people about new commands
// that they can use.
func announce(set store.OverwriteSet) ([]store.Event, error) {
	data, err := json.Marshal(wire.PermissionsOf(set))
	if err != nil {
		return nil, fmt.Errorf("write a permission set: %w", err)
	}
	subject := store.OverwritesSubject(set.Application, set.Guild)
	return []store.Event{{Subject: subject, Event: events.Event{
		Name: "APPLICATION_COMMAND_PERMISSIONS_UPDATE", Data: data, To: events.Audience{Guild: set.Guild, Kinds: events.Bots},
	}}, indexUpdate(subject, set.Guild)}, nil
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

// judge decides whether an edit may be made. It returns the command whose set is edited, nil for the application's own set.
func (r *Registry) judge(tx *store.Tx, e Edit) (*command.Command, error) {
	app, err := tx.Directory.Application(e.Application)
	if errors.Is(err, store.ErrNotFound) {
		return nil, directory.ErrUnknownApplication // deleted since the caller was authorized
	}
	if err != nil {
		return nil, err
	}
	shelf, err := r.readShelf(tx.Reader, setsKey{e.Application, e.Guild})
	if err != nil {
		return nil, err
	}
	edited, err := shelf.editable(&app, e.ID)
	if err != nil {
		return nil, err
	}
	place, err := directory.ReadPlace(tx.Reader, e.Guild)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrMayNotEdit // deleted since the caller was authorized
	}
	if err != nil {
		return nil, err
	}
	wish := permission.Edit{
		Guild: place.Rules, OfApp: edited == nil, Command: shelf.Sets.Of(e.ID), App: shelf.Sets.App,
		Next: permission.NewSet(e.Entries),
	}
	if edited != nil {
		d, err := command.ParseDoc(edited.Doc)
		if err != nil {
			return nil, err
		}
		wish.Default = d.MemberPermissions
	}
	for i := range place.Channels {
		if !place.Channels[i].Thread {
			wish.Channels = append(wish.Channels, place.Channels[i].Channel)
		}
	}
	if err := r.people(tx, &wish, place, e.By); err != nil {
		return nil, err
	}
	return edited, refusal(permission.MayEdit(wish), func() error { return exist(&wish, place) })
}

// people adds the editor and the members of whom entries speak.
func (r *Registry) people(tx *store.Tx, wish *permission.Edit, place *directory.Place, by snowflake.User) error {
	find := func(user snowflake.User) (*permission.Member, error) {
		m, err := tx.Directory.Member(place.ID, user)
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
