// Package permissions decides what people are offered. It puts together what the directory knows of people and places and
// what the registry knows of commands, asks package permission, and shows what is left: as an index of commands, as the
// result of a search, or as a decision with its reason. It knows nothing of HTTP.
//
// What it keeps in memory is made from states of the registry and the directory that never change, and is used only as
// long as these are the newest: nobody has to tell it that something changed.
package permissions

import (
	"errors"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrNoAccess says that a person has no business in a guild or channel.
var ErrNoAccess = errors.New("no access to that place")

// Picker knows what people are offered. It is safe for concurrent use. All fields are required.
type Picker struct {
	Directory *directory.Directory
	Commands  *registry.Registry
	Clock     clock.Clock

	stocks   derived[command.Scope, *stock]
	catalogs derived[snowflake.Guild, *catalog]
}
