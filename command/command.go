// Package command knows what a command definition is: its types and members, every rule it must keep, how large it is,
// how it reads in a language, and what it takes to turn one list of commands into another. It performs no I/O and
// reads no clock.
package command

import "github.com/bellhop/bellhop/snowflake"

// Scope is where commands live: an application's global commands, or its commands in one guild.
type Scope struct {
	Application snowflake.Application
	Guild       snowflake.Guild // 0: global
}

// Global reports whether the scope is that of the global commands.
func (s Scope) Global() bool { return s.Guild == 0 }

// Command is a definition that has been registered. It is immutable.
type Command struct {
	ID      snowflake.Command
	Scope   Scope
	Version snowflake.Version
	Type    Type
	Name    string
	// Doc is the definition as it is kept and shown: a JSON object with every member of the wire form but the ids.
	Doc []byte
}
