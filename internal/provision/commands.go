package provision

import (
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// commands checks the references of commands and of their permissions.
func (c *check) commands(t *jsonbody.Tree, w world.World) {
	for i, list := range w.Commands {
		at := t.At("commands").Index(i)
		c.application(at.At("application"), list.Application)
		c.hasGuild(at.At("guild"), list.Guild)
	}
	for i, set := range w.CommandPermissions {
		at := t.At("command_permissions").Index(i)
		c.application(at.At("application"), set.Application)
		c.hasGuild(at.At("guild"), set.Guild)
	}
}

// hasGuild reports a guild that is neither in the world nor in the store. 0 is no reference.
func (c *check) hasGuild(t *jsonbody.Tree, id snowflake.Guild) {
	there := c.guilds[id] || id == 0
	if !there && c.store != nil {
		_, err := c.store.Guild(id)
		there = c.found(err)
		c.guilds[id] = there
	}
	if !there {
		t.Add(UnknownReference, fmt.Sprintf("There is no guild %s.", id))
	}
}

// commands writes the commands of a world and their permissions.
func (w *batch) commands(t *jsonbody.Tree, all world.World) error {
	ids := map[snowflake.Command]snowflake.Command{} // by the ids in the world
	for i, list := range all.Commands {
		app, err := w.tx.Directory.Application(list.Application)
		if err != nil {
			return err
		}
		if w.OnCommands == nil {
			return errNoCommands
		}
		imported, changed, err := w.OnCommands(w.tx.Tx, app, list.Guild, list.JSON())
		if _, invalid := errors.AsType[*jsonbody.Tree](err); invalid {
			world.Graft(t.At("commands").Index(i).At("definitions"), err)
			continue
		}
		if err != nil {
			return fmt.Errorf("commands of application %s: %w", app.ID, err)
		}
		w.applied.Changed += changed
		maps.Copy(ids, imported)
	}
	for i, set := range all.CommandPermissions {
		if id, imported := ids[set.Command]; imported {
			set.Command = id
		}
		if err := w.commandPermissions(t.At("command_permissions").Index(i), set); err != nil {
			return err
		}
	}
	return nil
}

var errNoCommands = errors.New("this directory has no commands")

// commandPermissions writes the permission set of a command.
func (w *batch) commandPermissions(t *jsonbody.Tree, set world.CommandPermissions) error {
	if err := w.checkPermissionTarget(t, set); err != nil {
		return err
	}
	sets, err := w.tx.Commands.Overwrites(set.Application, set.Guild)
	if err != nil {
		return err
	}
	record := store.OverwriteSet{Guild: set.Guild, Application: set.Application, ID: set.Command}
	for i, p := range set.Permissions {
		if err := w.checkPermissionEntry(t.At("permissions").Index(i).At("id"), set.Guild, p); err != nil {
			return err
		}
		record.Entries = append(record.Entries, store.OverwriteEntry{ID: p.ID, Type: uint8(p.Type), Allow: p.Permission})
	}
	for _, old := range sets {
		if old.ID == set.Command && reflect.DeepEqual(old, record) {
			return nil
		}
	}
	w.applied.Changed++
	if len(record.Entries) == 0 {
		w.tx.Delete(store.OverwriteSetKey(record.Application, record.Guild, record.ID))
		return nil
	}
	return w.tx.Put(record)
}

// checkPermissionTarget reports a set whose command the application does not have.
func (w *batch) checkPermissionTarget(t *jsonbody.Tree, set world.CommandPermissions) error {
	if uint64(set.Command) == uint64(set.Application) {
		return nil
	}
	scope, err := w.tx.Commands.CommandScope(set.Command)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil || scope != (command.Scope{Application: set.Application}) && scope != (command.Scope{Application: set.Application, Guild: set.Guild}) {
		t.At("command").Add(UnknownReference, fmt.Sprintf("Application %s has no command %s in guild %s.", set.Application, set.Command, set.Guild))
	}
	return nil
}

// checkPermissionEntry reports an entry for a role, a member or a channel that the guild does not have. The ids of
// @everyone and of all channels are derived from the id of the guild.
func (w *batch) checkPermissionEntry(t *jsonbody.Tree, guild snowflake.Guild, p world.CommandPermission) error {
	var err error
	there := true
	switch id := uint64(p.ID); {
	case p.Type == permission.ForRole && id != uint64(guild):
		var roles []store.Role
		if roles, err = w.tx.Directory.Roles(guild); err == nil {
			_, err = directory.FindRole(roles, func(r store.Role) bool { return r.ID == snowflake.Role(p.ID) })
		}
	case p.Type == permission.ForUser:
		_, err = w.tx.Directory.Member(guild, snowflake.User(p.ID))
	case p.Type == permission.ForChannel && id != uint64(guild)-1:
		var c store.Channel
		c, err = w.tx.Directory.Channel(snowflake.Channel(p.ID))
		there = c.Guild == guild
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil || !there {
		t.Add(UnknownReference, fmt.Sprintf("Guild %s has no %s %s.", guild, p.Type, p.ID))
	}
	return nil
}
