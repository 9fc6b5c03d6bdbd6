package server

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/snowflake"
)

// crowd tells lobbies who comes and goes where clients are connected to several nodes.
type crowd struct {
	*lobbies.Lobbies

	presence *redis.Presence
}

// LobbiesOf is asked for a client that listens from now on: what happens after it has to be told.
func (c crowd) LobbiesOf(ctx context.Context, app snowflake.Application, user snowflake.User) ([][]byte, error) {
	c.presence.Attend(ctx, app)
	return c.Lobbies.LobbiesOf(ctx, app, user)
}

// Arrived is told when the first client of a user has come to this node, with a new session or with one from another node.
func (c crowd) Arrived(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	c.presence.Attend(ctx, app)
	if !c.presence.Arrived(ctx, app, user) {
		return nil // to another node before
	}
	return c.Lobbies.Arrived(ctx, app, user)
}

// Left is told when the last client of a user has gone from this node.
func (c crowd) Left(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	if !c.presence.Left(ctx, app, user) {
		return nil // still at another node
	}
	return c.Lobbies.Left(ctx, app, user)
}

// meeting returns the lobbies as the gateway knows them.
func (s *Server) meeting() gateway.Lobbies {
	if s.shared == nil {
		return s.lobbies
	}
	return crowd{s.lobbies, s.shared.presence}
}

// connected reports whether a client of a user is there for an application, on whichever node. Before the gateway is made
// nobody is.
func (s *Server) connected(app snowflake.Application, user snowflake.User) bool {
	if s.gateway != nil && s.gateway.Connected(app, user) {
		return true
	}
	// What asks has no context to give; the question is answered quickly or not at all.
	return s.shared != nil && s.shared.presence.Elsewhere(s.shared.background, app, user)
}

// listening returns those users who may hear events for an application. Where clients come to several nodes it is all of them
// or none.
func (s *Server) listening(app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User {
	switch {
	case s.gateway == nil:
		return nil
	case s.shared == nil:
		return s.gateway.Among(app, users)
	case s.gateway.HasClients(app) || s.shared.presence.Attended(s.shared.background, app):
		return slices.Collect(users)
	}
	return nil
}

// takeOver is how often a node looks for what a dead one has left to be done.
const takeOver = 5 * time.Second

// watch looks for work whose node has died until ctx ends. Units of work see to it that what two nodes do is done once.
func (s *Server) watch(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	for ctx.Err() == nil {
		clock.Wait(ctx, clock.System{}, takeOver)
		s.lobbies.Look()
		s.dispatch.Look()
	}
	return nil
}
