package events

import (
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Event is something that happened. Each kind is a type of this package. Events are shared by all who hear of them:
// nobody changes them.
type Event interface{ happened() }

// PermissionsUpdated says that the permission set of a command, or with the application's id that of all commands without
// one, was put in a guild. On the gateway it is APPLICATION_COMMAND_PERMISSIONS_UPDATE.
type PermissionsUpdated struct {
	Application snowflake.Application
	Guild       snowflake.Guild
	ID          snowflake.Command
	Entries     []permission.Entry // all of them, in the order in which they were given
}

func (PermissionsUpdated) happened() {}
