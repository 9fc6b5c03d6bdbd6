package main

import (
	"fmt"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/lobby"
)

// lobbyOptions are the flags on lobbies of "bellhop serve" and "bellhop dev".
type lobbyOptions struct {
	Users    string `name:"lobby-users" enum:"auto,strict" default:"auto" help:"Users that nobody knows and a lobby names: auto gives them a record, strict refuses them."`
	Activity string `name:"lobby-activity" enum:"connections+writes,connections" default:"connections+writes" help:"What keeps a lobby open: clients that are there and every write to it, or clients alone."`
	PerUser  int    `name:"lobbies-per-user" default:"100" help:"In how many lobbies of an application a user can be."`
}

// settings returns what the flags say.
func (o lobbyOptions) settings() (lobbies.Settings, error) {
	if o.PerUser < 1 {
		return lobbies.Settings{}, usageError{fmt.Errorf("--lobbies-per-user %d: want 1 or more", o.PerUser)}
	}
	s := lobbies.Settings{MaxPerUser: o.PerUser}
	if o.Users == "strict" {
		s.Users = lobbies.Strict
	}
	if o.Activity == "connections" {
		s.Activity = lobby.Connections
	}
	return s, nil
}
