package permissions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Errors of reading and editing permission sets. An id that is neither a command nor the application is
// registry.ErrUnknownCommand.
var (
	// ErrUnknownPermissions means that a command has no permission set in a guild.
	ErrUnknownPermissions = errors.New("unknown command permissions")
	// ErrMayNotEdit means that the editor is not a member, cannot run the command, or cannot manage the target of an
	// entry.
	ErrMayNotEdit = errors.New("may not edit these permissions")
	// ErrMissingManage means that the editor lacks MANAGE_GUILD or MANAGE_ROLES.
	ErrMissingManage = errors.New("missing MANAGE_GUILD or MANAGE_ROLES")

	// Errors for an entry whose target the guild does not have.
	ErrNoSuchRole    = errors.New("the guild has no such role")
	ErrNoSuchMember  = errors.New("the guild has no such member")
	ErrNoSuchChannel = errors.New("the guild has no such channel")
)

// Editor reads and replaces the permission sets of commands. It is safe for concurrent use. All fields but Audit
// are required.
type Editor struct {
	Store    store.Store
	Commands *registry.Registry
	Clock    clock.Clock
	Audit    *audit.Log // may be nil
}

// Sets returns the permission sets of an application in a guild, in ascending order of ids. The caller must not modify
// them.
func (e *Editor) Sets(ctx context.Context, app snowflake.Application, guild snowflake.Guild) ([]store.OverwriteSet, error) {
	g, err := e.Commands.GuildCommands(ctx, app, guild)
	if err != nil {
		return nil, err
	}
	return g.Sets.All(), nil
}

// Set returns the permission set of a command. With the id of the application it returns the set for all commands
// without one.
func (e *Editor) Set(
	ctx context.Context, app *store.Application, guild snowflake.Guild, id snowflake.Command,
) (store.OverwriteSet, error) {
	g, err := e.Commands.GuildCommands(ctx, app.ID, guild)
	if err != nil {
		return store.OverwriteSet{}, err
	}
	if uint64(id) != uint64(app.ID) && !hasSets(app, g.Command(id)) {
		return store.OverwriteSet{}, registry.ErrUnknownCommand
	}
	set, found := g.Sets.Stored(id)
	if !found {
		return store.OverwriteSet{}, ErrUnknownPermissions
	}
	return set, nil
}

// CheckTarget returns registry.ErrUnknownCommand when id is neither a command nor the application, so that no
// permission set can be stored for it.
func (e *Editor) CheckTarget(
	ctx context.Context, app *store.Application, guild snowflake.Guild, id snowflake.Command,
) error {
	return e.Store.Read(ctx, func(r store.Reader) error {
		_, err := editTarget(r, app, guild, id)
		return err
	})
}

// hasSets reports whether a command can have permission sets. A hidden entry point has none. c is nil for an unknown
// command.
func hasSets(app *store.Application, c *command.Command) bool {
	return c != nil && (c.Type != command.PrimaryEntryPoint || app.Activities)
}

// editTarget returns the command that a permission set belongs to, nil for the application itself.
func editTarget(
	r store.Reader, app *store.Application, guild snowflake.Guild, id snowflake.Command,
) (*command.Command, error) {
	if uint64(id) == uint64(app.ID) {
		return nil, nil
	}
	c, err := r.Commands.Command(app.ID, guild, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !hasSets(app, &c) {
		return nil, registry.ErrUnknownCommand
	}
	if err != nil {
		return nil, fmt.Errorf("read a command of %v: %w", app.ID, err)
	}
	return &c, nil
}

// Edit is a request to replace a permission set.
type Edit struct {
	Application snowflake.Application
	Guild       snowflake.Guild
	ID          snowflake.Command // or the application's id: the set for all commands without one
	By          snowflake.User
	Entries     []permission.Entry // of several entries with the same type and id, the last one counts
}

// Replace replaces a permission set and returns the new one. Without entries it deletes the set.
func (e *Editor) Replace(ctx context.Context, edit Edit) (store.OverwriteSet, error) {
	edit.Entries = lastOfEach(edit.Entries)
	set := edit.record()
	news, err := setEvents(set)
	if err != nil {
		return store.OverwriteSet{}, err
	}
	// A write continues after its caller has gone, so that its outcome is known.
	err = store.Decide(context.WithoutCancel(ctx), e.Store, func(tx *store.Tx) error {
		if err := e.check(tx, edit); err != nil {
			return err
		}
		tx.Announce(news...)
		if err := e.audit(ctx, tx, set); err != nil {
			return err
		}
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

// audit records in the audit log that a permission set is replaced.
func (e *Editor) audit(ctx context.Context, tx *store.Tx, set store.OverwriteSet) error {
	sets, err := tx.Before.Commands.Overwrites(set.Application, set.Guild)
	if err != nil {
		return err
	}
	entry := audit.Entry{
		Action: "permissions.update",
		Target: "guild/" + set.Guild.String() + "/permissions/" + set.Application.String() + "/" + set.ID.String(),
	}
	for _, old := range sets {
		if old.ID == set.ID {
			entry.Before = convert.WirePermissions(old)
		}
	}
	if len(set.Entries) > 0 {
		entry.After = convert.WirePermissions(set)
	}
	return e.Audit.Add(ctx, tx, entry)
}

// setEvents returns the events about a new permission set: its content for the bots of the guild, and an index update
// for the users.
func setEvents(set store.OverwriteSet) ([]store.Event, error) {
	data, err := json.Marshal(convert.WirePermissions(set))
	if err != nil {
		return nil, fmt.Errorf("encode a permission set: %w", err)
	}
	subject := store.OverwritesSubject(set.Application, set.Guild)
	return []store.Event{{Subject: subject, Event: events.Event{
		Name: "APPLICATION_COMMAND_PERMISSIONS_UPDATE", Data: data, To: events.Audience{Guild: set.Guild, Kinds: events.Bots},
	}}, registry.IndexUpdate(subject, set.Guild)}, nil
}

// lastOfEach removes entries that are followed by another one with the same type and id.
func lastOfEach(entries []permission.Entry) []permission.Entry {
	type target struct {
		kind permission.EntryType
		id   snowflake.Target
	}
	seen := make(map[target]bool, len(entries))
	kept := make([]permission.Entry, 0, len(entries))
	for _, e := range slices.Backward(entries) {
		if t := (target{e.Type, e.ID}); !seen[t] {
			seen[t] = true
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

// check checks that an edit is allowed. It reads the one command whose set is edited, so the edit does not run again
// when other commands of the application change.
func (e *Editor) check(tx *store.Tx, edit Edit) error {
	app, err := tx.Directory.Application(edit.Application)
	if errors.Is(err, store.ErrNotFound) {
		return directory.ErrUnknownApplication // deleted since the caller was authorized
	}
	if err != nil {
		return err
	}
	edited, err := editTarget(tx.Reader, &app, edit.Guild, edit.ID)
	if err != nil {
		return err
	}
	sets, err := registry.ReadSets(tx.Reader, edit.Application, edit.Guild)
	if err != nil {
		return err
	}
	guild, err := directory.ReadGuildState(tx.Reader, edit.Guild)
	if errors.Is(err, store.ErrNotFound) {
		return ErrMayNotEdit // deleted since the caller was authorized
	}
	if err != nil {
		return err
	}
	facts := permission.Edit{
		Guild: guild.Rules, OfApp: edited == nil, Command: sets.Of(edit.ID), App: sets.App,
		Next: permission.NewSet(edit.Entries),
	}
	if edited != nil {
		d, err := edited.Definition()
		if err != nil {
			return err
		}
		facts.Default = d.MemberPermissions
	}
	for i := range guild.Channels {
		if !guild.Channels[i].Thread {
			facts.Channels = append(facts.Channels, guild.Channels[i].Channel)
		}
	}
	if err := e.addMembers(tx, &facts, guild, edit.By); err != nil {
		return err
	}
	return decisionError(facts.Decide(), func() error { return checkTargets(&facts, guild) })
}

// addMembers adds the editor and the members that entries name.
func (e *Editor) addMembers(
	tx *store.Tx, facts *permission.Edit, guild *directory.GuildState, editor snowflake.User,
) error {
	find := func(user snowflake.User) (*permission.Member, error) {
		m, err := tx.Directory.Member(guild.ID, user)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		member := guild.Member(m, e.Clock.Now())
		return &member, nil
	}
	var err error
	if facts.Editor, err = find(editor); err != nil {
		return err
	}
	stored := facts.Command
	if facts.OfApp {
		stored = facts.App
	}
	for _, entry := range slices.Concat(facts.Next.Entries(), stored.Entries()) {
		if entry.Type != permission.ForUser {
			continue
		}
		m, err := find(snowflake.User(entry.ID))
		if err != nil {
			return err
		}
		if m != nil {
			facts.Members = append(facts.Members, *m)
		}
	}
	return nil
}

// Reasons of permission.Edit.Decide.
const (
	reasonMissingManage = "does not manage the guild and its roles"
	reasonNotMember     = "not a member"
	reasonCannotRun     = "cannot run the command"
)

// decisionError converts a decision into an error. An editor who may edit nothing here must not learn which targets
// exist, so checkTargets runs after those reasons.
func decisionError(d permission.Decision, checkTargets func() error) error {
	switch d.Reason {
	case reasonMissingManage:
		return ErrMissingManage
	case reasonNotMember, reasonCannotRun:
		return fmt.Errorf("%w: %s", ErrMayNotEdit, d.Reason)
	}
	if err := checkTargets(); err != nil {
		return err
	}
	if !d.Allowed {
		return fmt.Errorf("%w: %s", ErrMayNotEdit, d.Reason)
	}
	return nil
}

// checkTargets checks that the guild has the target of each entry. A thread is no target: the entries of its parent
// channel apply to it.
func checkTargets(facts *permission.Edit, guild *directory.GuildState) error {
	for _, entry := range facts.Next.Entries() {
		switch entry.Type {
		case permission.ForRole:
			if entry.ID != permission.Everyone(guild.ID) && !guild.Rules.HasRole(snowflake.Role(entry.ID)) {
				return ErrNoSuchRole
			}
		case permission.ForUser:
			if !slices.ContainsFunc(facts.Members, func(m permission.Member) bool { return snowflake.Target(m.User) == entry.ID }) {
				return ErrNoSuchMember
			}
		case permission.ForChannel:
			c := guild.Channel(snowflake.Channel(entry.ID))
			if entry.ID != permission.AllChannels(guild.ID) && (c == nil || c.Thread) {
				return ErrNoSuchChannel
			}
		}
	}
	return nil
}
