package permission

import (
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// The reasons of [Edit.Decide].
const (
	notMember    = "not a member"
	cannotEdit   = "does not manage the guild and its roles"
	cannotRun    = "cannot run the command"
	cannotManage = "cannot manage the target of an entry"
	managesAll   = "manages everything that the edit affects"
)

// Edit is the replacement of a set of entries in a guild.
type Edit struct {
	Guild   *Guild
	Editor  *Member // nil: the editor is not a member of the guild
	OfApp   bool    // the edit replaces the set of the application, not of a command
	Command *Set    // the stored set of the command
	Default *Bits   // default_member_permissions of the command
	App     *Set    // the stored set of the application
	Next    *Set    // the new set

	Channels []Channel // every channel of the guild except threads
	Members  []Member  // at least the members that affected entries name
}

// Decide reports whether the editor may replace the set. If not, Reason is one of these:
//
//	not a member                             the editor is not a member of the guild
//	does not manage the guild and its roles  the editor lacks Missing
//	cannot run the command                   Entry denies the editor, or the editor lacks Missing
//	cannot manage the target of an entry     the editor cannot manage the role, user or channel of Entry
func (e Edit) Decide() Decision {
	switch {
	case e.Editor == nil:
		return Decision{Reason: notMember}
	case e.Editor.Administrator():
		return Decision{Allowed: true, Reason: isAdministrator}
	}
	have := e.Editor.Permissions()
	if missing := (ManageGuild | ManageRoles) &^ have; missing != 0 {
		return Decision{Reason: cannotEdit, Missing: missing}
	}
	if !have.Has(UseApplicationCommands) {
		return Decision{Reason: cannotRun, Missing: UseApplicationCommands}
	}
	command, needed, stored := e.Command, e.Default, e.Command
	if e.OfApp {
		command, needed, stored = nil, nil, e.App
	}
	if d := memberMay(command, e.App, e.Editor, needed, have); !d.Allowed {
		return Decision{Reason: cannotRun, Missing: d.Missing, Entry: d.Entry}
	}
	for _, entry := range stored.Affected(e.Next) {
		if !e.manages(entry) {
			return Decision{Reason: cannotManage, Entry: entry}
		}
	}
	return Decision{Allowed: true, Reason: managesAll}
}

// manages reports whether the editor can manage the target of an entry. An entry whose target does not exist can only
// be removed.
func (e *Edit) manages(entry Entry) bool {
	able, exists := false, false
	switch entry.Type {
	case ForRole:
		able, exists = e.managesRole(entry.ID)
	case ForUser:
		able, exists = e.managesUser(entry.ID)
	case ForChannel:
		able, exists = e.managesChannel(entry.ID)
	}
	if exists {
		return able
	}
	_, kept := e.Next.Lookup(entry.Type, entry.ID)
	return !kept
}

func (e *Edit) managesRole(id snowflake.Target) (able, exists bool) {
	if id == Everyone(e.Guild.id) {
		return true, true
	}
	role, exists := e.Guild.role(snowflake.Role(id))
	return e.Editor.top.above(rankOf(role, e.Guild.id)), exists
}

func (e *Edit) managesUser(id snowflake.Target) (able, exists bool) {
	if id == snowflake.Target(e.Editor.User) {
		return true, true
	}
	i := slices.IndexFunc(e.Members, func(m Member) bool { return snowflake.Target(m.User) == id })
	if i < 0 {
		return false, false
	}
	return e.Members[i].below(*e.Editor), true
}

func (e *Edit) managesChannel(id snowflake.Target) (able, exists bool) {
	manages := func(c Channel) bool { return e.Editor.In(c).Has(ViewChannel | ManageChannels) }
	if id == AllChannels(e.Guild.id) {
		return !slices.ContainsFunc(e.Channels, func(c Channel) bool { return !manages(c) }), true
	}
	i := slices.IndexFunc(e.Channels, func(c Channel) bool { return snowflake.Target(c.ID) == id })
	if i < 0 {
		return false, false
	}
	return manages(e.Channels[i]), true
}
