package permission

import (
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Obstacle is the condition that keeps an editor from editing who may use a command.
type Obstacle uint8

// The obstacles, in the order in which they are looked for.
const (
	NoObstacle    Obstacle = iota
	NotMember              // the editor is no member of the guild
	MissingManage          // the editor does not manage the guild and its roles
	CannotRun              // the editor may not use the command
	CannotManage           // the editor cannot manage what an entry speaks of
)

// String returns the obstacle in a few words.
func (o Obstacle) String() string {
	switch o {
	case NoObstacle:
		return "none"
	case NotMember:
		return "not a member"
	case MissingManage:
		return "does not manage the guild and its roles"
	case CannotRun:
		return "cannot run the command"
	case CannotManage:
		return "cannot manage what an entry speaks of"
	default:
		return "unknown"
	}
}

// Edit is the wish to replace a set of entries in a guild.
type Edit struct {
	Guild   *Guild
	Editor  *Member // nil: no member of the guild
	OfApp   bool    // the application's set is replaced, not a command's
	Command *Set    // the command's set as it is stored
	Default *Bits   // default_member_permissions of the command
	App     *Set    // the application's set as it is stored
	Next    *Set    // what takes the place of the one or the other

	Channels []Channel // every channel of the guild but its threads
	Members  []Member  // at least those whom affected entries name
}

// Verdict is the answer to an edit. Verdicts can be compared.
type Verdict struct {
	Obstacle Obstacle
	Missing  Bits  // the permissions that the editor lacks, with MissingManage and CannotRun
	Entry    Entry // what stands in the way, with CannotRun and CannotManage
}

// MayEdit says whether the editor may replace the set, and what the first obstacle is.
func MayEdit(e Edit) Verdict {
	switch {
	case e.Editor == nil:
		return Verdict{Obstacle: NotMember}
	case e.Editor.Administrator():
		return Verdict{}
	}
	have := e.Editor.Permissions()
	if missing := (ManageGuild | ManageRoles) &^ have; missing != 0 {
		return Verdict{Obstacle: MissingManage, Missing: missing}
	}
	if !have.Has(UseApplicationCommands) {
		return Verdict{Obstacle: CannotRun, Missing: UseApplicationCommands}
	}
	command, asks, stored := e.Command, e.Default, e.Command
	if e.OfApp {
		command, asks, stored = nil, nil, e.App
	}
	if d := memberMay(command, e.App, e.Editor, asks, have); !d.Allowed {
		return Verdict{Obstacle: CannotRun, Missing: d.Missing, Entry: d.Entry}
	}
	for _, entry := range Affected(stored, e.Next) {
		if !e.manages(entry) {
			return Verdict{Obstacle: CannotManage, Entry: entry}
		}
	}
	return Verdict{}
}

// manages reports whether the editor can manage what an entry speaks of.
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
	_, stays := e.Next.Lookup(entry.Type, entry.ID)
	return !stays
}

func (e *Edit) managesRole(id snowflake.Target) (able, exists bool) {
	if id == Everyone(e.Guild.id) {
		return true, true
	}
	role, exists := e.Guild.role(snowflake.Role(id))
	return role.Position < e.Editor.rank, exists
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
