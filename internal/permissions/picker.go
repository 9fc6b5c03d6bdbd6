// Package permissions decides which commands a user can use. It combines users, guilds and channels from the directory
// with commands from the registry, applies the rules of package permission, and returns the result as a command index,
// as search results, or as a decision with its reason. It also edits the permission sets of commands.
//
// Its caches hold values computed from immutable states of the registry and the directory. A value is used only while
// those states are the newest, so the caches need no invalidation.
package permissions

import (
	"errors"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrNoAccess means that a user is not a member of a guild, or cannot see a channel.
var ErrNoAccess = errors.New("no access to that guild or channel")

// Picker finds the commands that a user can use. It is safe for concurrent use. All fields are required.
type Picker struct {
	Directory *directory.Directory
	Commands  *registry.Registry
	Clock     clock.Clock
	Budget    int // bytes of each of the two caches; 0: defaultBudget

	scopes   derivedCache[command.Scope, *scopeCommands]
	catalogs derivedCache[snowflake.Guild, *catalog]
}
