package cluster

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// watched is a unit of work that notes what it changes of what nodes hold in memory. What has no method here is held by
// nobody; a test keeps the two apart.
type watched struct {
	store.Tx

	changes *Changes
	touched *Join // what MoveLobby has done last, when somebody joining is all that it can be part of; else of lobby 0
}

func (w watched) scope(s command.Scope) { w.changes.Scopes = append(w.changes.Scopes, s) }

// MoveScope comes with every write to a scope's commands.
func (w watched) MoveScope(s command.Scope, from uint64, to store.Scope) (bool, error) {
	w.scope(s)
	return w.Tx.MoveScope(s, from, to)
}

// ReplaceCommand moves a scope by itself.
func (w watched) ReplaceCommand(c command.Command, from snowflake.Version, revision uint64) (bool, error) {
	w.scope(c.Scope)
	return w.Tx.ReplaceCommand(c, from, revision)
}

// PutOverwrites stores a permission set.
func (w watched) PutOverwrites(set store.OverwriteSet) error {
	w.changes.Sets = append(w.changes.Sets, command.Scope{Application: set.Application, Guild: set.Guild})
	return w.Tx.PutOverwrites(set)
}

// PutUser stores a person.
func (w watched) PutUser(u store.User) error {
	w.changes.Users = append(w.changes.Users, u.ID)
	return w.Tx.PutUser(u)
}

// DeleteUser takes along what DirectoryWriter says.
func (w watched) DeleteUser(id snowflake.User) error {
	w.changes.Everything = true
	return w.Tx.DeleteUser(id)
}

// PutApplication stores an app.
func (w watched) PutApplication(a store.Application) error {
	w.changes.Applications = append(w.changes.Applications, a.ID)
	return w.Tx.PutApplication(a)
}

// DeleteApplication takes along what DirectoryWriter says.
func (w watched) DeleteApplication(id snowflake.Application) error {
	w.changes.Everything = true
	return w.Tx.DeleteApplication(id)
}

// PutGuild stores a guild.
func (w watched) PutGuild(g store.Guild) error {
	w.changes.Guilds = append(w.changes.Guilds, g.ID)
	return w.Tx.PutGuild(g)
}

// DeleteGuild takes along what DirectoryWriter says.
func (w watched) DeleteGuild(id snowflake.Guild) error {
	w.changes.Everything = true
	return w.Tx.DeleteGuild(id)
}

// PutRole stores a role.
func (w watched) PutRole(r store.Role) error {
	w.changes.Guilds = append(w.changes.Guilds, r.Guild)
	return w.Tx.PutRole(r)
}

// DeleteRole takes its mention in members along.
func (w watched) DeleteRole(guild snowflake.Guild, id snowflake.Role) error {
	w.changes.Everything = true
	return w.Tx.DeleteRole(guild, id)
}

// PutChannel stores a channel.
func (w watched) PutChannel(c store.Channel) error {
	w.changes.Channels = append(w.changes.Channels, c.ID)
	w.changes.Guilds = append(w.changes.Guilds, c.Guild)
	return w.Tx.PutChannel(c)
}

// DeleteChannel removes a channel, whose guild is not told.
func (w watched) DeleteChannel(id snowflake.Channel) error {
	w.changes.Everything = true
	return w.Tx.DeleteChannel(id)
}

// PutMember stores a member.
func (w watched) PutMember(m store.Member) error {
	w.changes.Members = append(w.changes.Members, Pair{uint64(m.Guild), uint64(m.User)})
	return w.Tx.PutMember(m)
}

// DeleteMember removes a member.
func (w watched) DeleteMember(guild snowflake.Guild, user snowflake.User) error {
	w.changes.Members = append(w.changes.Members, Pair{uint64(guild), uint64(user)})
	return w.Tx.DeleteMember(guild, user)
}

func (w watched) install(i store.Install) {
	if i.Guild == 0 {
		w.changes.Users = append(w.changes.Users, i.User)
		return
	}
	w.changes.Guilds = append(w.changes.Guilds, i.Guild)
	w.changes.GuildInstall = append(w.changes.GuildInstall, Pair{uint64(i.Guild), uint64(i.Application)})
}

// PutInstall stores an install.
func (w watched) PutInstall(i store.Install) error {
	w.install(i)
	return w.Tx.PutInstall(i)
}

// DeleteInstall removes an install.
func (w watched) DeleteInstall(i store.Install) error {
	w.install(i)
	return w.Tx.DeleteInstall(i)
}

// PutCredential stores a credential.
func (w watched) PutCredential(c store.Credential) error {
	w.changes.Tokens = append(w.changes.Tokens, c.Hash)
	return w.Tx.PutCredential(c)
}

// DeleteCredential removes a credential.
func (w watched) DeleteCredential(hash store.TokenHash) error {
	w.changes.Tokens = append(w.changes.Tokens, hash)
	return w.Tx.DeleteCredential(hash)
}

func (w watched) lobby(id snowflake.Lobby) { w.changes.Lobbies = append(w.changes.Lobbies, id) }

// PutLobby stores a new lobby.
func (w watched) PutLobby(l store.Lobby) error {
	w.lobby(l.ID)
	return w.Tx.PutLobby(l)
}

// MoveLobby comes before every write to a lobby's members.
func (w watched) MoveLobby(from, to store.Lobby) (bool, error) {
	w.lobby(from.ID)
	*w.touched = Join{}
	if from.SameSettings(&to.Lobby) {
		*w.touched = Join{Lobby: from.ID, From: from.Revision, To: to.Revision, IdleSince: to.IdleSince, Due: to.Due}
	}
	return w.Tx.MoveLobby(from, to)
}

// AddSeats lets members into a lobby.
func (w watched) AddSeats(l snowflake.Lobby, app snowflake.Application, seats ...store.Seat) error {
	if w.touched.Lobby == l && len(seats) == 1 {
		w.touched.Member = seats[0].Member
		w.changes.Joins = append(w.changes.Joins, *w.touched)
	}
	*w.touched = Join{}
	return w.Tx.AddSeats(l, app, seats...)
}

// PutMembers changes members of a lobby.
func (w watched) PutMembers(l snowflake.Lobby, members ...*lobby.Member) error {
	*w.touched = Join{}
	return w.Tx.PutMembers(l, members...)
}

// DeleteSeats removes members of a lobby.
func (w watched) DeleteSeats(l snowflake.Lobby, users ...snowflake.User) error {
	*w.touched = Join{}
	return w.Tx.DeleteSeats(l, users...)
}

// DeleteLobby removes a lobby.
func (w watched) DeleteLobby(id snowflake.Lobby) error {
	w.lobby(id)
	return w.Tx.DeleteLobby(id)
}

// Clear removes every record but the nodes.
func (w watched) Clear() error {
	w.changes.Everything = true
	return w.Tx.Clear()
}
