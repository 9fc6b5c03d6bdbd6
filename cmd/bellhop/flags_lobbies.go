package main

import (
	"fmt"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
)

// lobbyOptions are the lobby flags of "bellhop serve" and "bellhop dev".
type lobbyOptions struct {
	Users    string `name:"lobby-users" enum:"auto,strict," default:"" placeholder:"auto|strict" help:"What to do with unknown user ids in a lobby. auto: create the user. strict: answer 404. Default: strict, and auto with dev controls."`
	Activity string `name:"lobby-activity" enum:"connections+writes,connections" default:"connections+writes" help:"What counts as activity in a lobby. connections+writes: connected members and every write. connections: connected members only."`
	PerUser  int    `name:"lobbies-per-user" default:"100" help:"Maximum number of lobbies of one application that a user can be in."`
}

// settings converts the flags. dev says whether the service has dev controls.
func (o lobbyOptions) settings(dev bool) (lobbies.Settings, error) {
	if o.PerUser < 1 {
		return lobbies.Settings{}, usageError{fmt.Errorf("--lobbies-per-user %d: want 1 or more", o.PerUser)}
	}
	s := lobbies.Settings{MaxPerUser: o.PerUser}
	if o.Users == "strict" || o.Users == "" && !dev {
		s.Users = lobbies.Strict
	}
	if o.Activity == "connections" {
		s.Activity = lobby.Connections
	}
	return s, nil
}
