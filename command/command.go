// Package command defines application commands as Discord's API has them: the members of a definition, the rules that
// every definition must keep, and what it takes to replace one list of commands by another.
//
// A [Definition] describes a command. Programs build one in Go and check it with [Validate], or read it from JSON
// with [Parse] and [ParseList]. The errors of these functions list every broken rule with the path of the value that
// breaks it. [Definition.Size] returns the size that counts towards [MaxSize].
//
// A registered definition is a [Command]: it has an id, a version and a [Scope], which is an application or an
// application in one guild. [Diff] compares the commands of a scope with a list of wanted definitions and returns
// what would be created, changed, deleted and kept.
//
// [Lint] checks a file of definitions, in JSON or YAML, and returns findings with lines and columns. [ParseFile] does
// the same step by step, for a particular application, and gives access to the definitions of the file.
//
// The package performs no I/O and reads no clock.
package command

import (
	"errors"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Scope names a list of registered commands: the global commands of an application, or its commands in one guild.
type Scope struct {
	Application snowflake.Application
	Guild       snowflake.Guild // 0: global
}

// Global reports whether the scope holds global commands.
func (s Scope) Global() bool { return s.Guild == 0 }

// Command is a registered command. It is immutable.
type Command struct {
	ID      snowflake.Command
	Scope   Scope
	Version snowflake.Version
	Type    Type
	Name    string
	// Doc is the definition as [Definition.Doc] returns it, or the command as the API shows it. Only the latter has the
	// ids of Scope.
	Doc []byte
	// Closed is Definition.Closed, which Doc does not contain.
	Closed bool
}

// errNoDefinition means that a document lacks a member that every definition has.
var errNoDefinition = errors.New("document without a name or a known type")

// Definition reads the definition in c.Doc. It checks no rules: the definition was valid when it was registered, and
// stays usable if a rule becomes stricter later.
func (c *Command) Definition() (Definition, error) {
	v, err := jsonbody.Parse(c.Doc)
	if err != nil {
		return Definition{}, err
	}
	guild := !c.Scope.Global()
	if v.Get("application_id").IsSet() { // a command as this or another service shows it
		guild = v.Get("guild_id").IsSet()
	}
	var ignored jsonbody.Tree
	d := read(&ignored, v, v, anyApplication(guild))
	if d.Name == "" || d.Type == 0 {
		return Definition{}, errNoDefinition
	}
	d.Closed = d.Closed || c.Closed
	return d, nil
}
