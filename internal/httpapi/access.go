package httpapi

import (
	"errors"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Access says who may call a route.
type Access uint8

const (
	// Everyone may call, with or without a token, and is not counted.
	Everyone Access = iota
	// Bots are for an application's bot token.
	Bots
	// People are for a person's own token.
	People
	// Accounts are for a bot token or a person's own: for whoever can be a member of a guild.
	Accounts
	// WithIdentify is for accounts, and for bearer tokens with the scope identify.
	WithIdentify
	// WithGuilds is for accounts, and for bearer tokens with the scope guilds.
	WithGuilds
	// OwnCommands is for the application in the path: its bot token, or its bearer token with the scope
	// applications.commands.update. In a guild it must be installed.
	OwnCommands
	// OwnBot is for the bot token of the application in the path.
	OwnBot
	// ReadPermissions is for the application in the path, which is installed in the guild of the path: its bot token, or
	// a bearer token with one of the two scopes for commands.
	ReadPermissions
	// WritePermissions is for a bearer token of the application in the path with the scope
	// applications.commands.permissions.update that acts for a member of the guild of the path. What its user may do
	// there is judged later.
	WritePermissions
	// LobbyApps is for the bot token of the application whose lobbies are meant.
	LobbyApps
	// LobbyClients is for a bearer token with the scope lobbies.write, which acts for a person in an application's lobbies.
	LobbyClients
	// Clients say in the request itself which application they are. Their addresses are counted.
	Clients
	// Visitors are people in a browser, known by their session if at all.
	Visitors
	// MaybePeople are for a person's own token, or for nobody.
	MaybePeople
	// Bearers are for bearer tokens, whoever they act for.
	Bearers
	// WithOpenID is for bearer tokens with the scope openid.
	WithOpenID
	// TokenHolders are for whoever knows the token of an interaction, which stands in the path. No other is looked at. The
	// handlers judge it: here it only says who is counted.
	TokenHolders
	// Operators are for the operator's token, which opens nothing else. They are not counted.
	Operators
)

// run makes the checks of a route in their order and then serves it.
func (c *Call) run(r *Route) error {
	if c.frame.Dev != nil {
		if over, err := c.strike(r, func() error { return c.serve(r) }); over {
			return err
		}
	}
	return c.serve(r)
}

// authenticate finds out who calls, and whether that is one call too many.
func (c *Call) authenticate(r *Route) error {
	switch {
	case r.Allow == Operators:
		return c.authenticateOperator()
	case r.Allow == Visitors:
		v, err := c.frame.Door.Visit(c.Request)
		if err != nil {
			return err
		}
		c.Principal.User = v.User
		return c.limited(r.Group, nil)
	case r.Allow == Clients, r.Allow == MaybePeople && c.RequestHeader("Authorization") == "":
		return c.limited(r.Group, nil)
	case r.Allow == TokenHolders:
		return c.countHolder(r)
	}
	p, err := c.frame.Tokens.Authenticate(c.Context(), c.RequestHeader("Authorization"))
	if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
		return err
	}
	c.Principal = p
	return c.limited(r.Group, err)
}

// admit checks whether the caller may do this. On routes with an application in the path the order is that of the
// reference: the ids in the path, the application, whose token it is, its kind and scope, the guild.
func (c *Call) admit(a Access) error {
	switch a {
	case Bots:
		if c.Principal.Kind != store.BotToken {
			return errOnlyBots
		}
		return nil
	case People:
		if c.Principal.Kind != store.UserToken {
			return ErrNoBots
		}
		return nil
	case Bearers, WithOpenID:
		if c.Principal.Kind != store.BearerToken {
			return ErrNoBots
		}
		if a == WithOpenID {
			return c.admitBearer(auth.ScopeOpenID)
		}
		return nil
	case MaybePeople:
		if c.Principal.Kind != 0 && c.Principal.Kind != store.UserToken {
			return ErrNoBots
		}
		return nil
	case Accounts:
		if c.Principal.Kind == store.BearerToken {
			return errOnlyBots
		}
		return nil
	case WithIdentify:
		return c.admitBearer(auth.ScopeIdentify)
	case WithGuilds:
		return c.admitBearer(auth.ScopeGuilds)
	case OwnCommands, OwnBot, ReadPermissions, WritePermissions:
		return c.admitToApplication(a)
	case LobbyApps, LobbyClients:
		return c.admitToLobbies(a)
	case Everyone, TokenHolders, Operators, Clients, Visitors:
	}
	return nil
}

// admitBearer demands a scope of bearer tokens.
func (c *Call) admitBearer(scope string) error {
	if c.Principal.Kind == store.BearerToken && !c.Principal.HasScope(scope) {
		return errScope
	}
	return nil
}

// authenticateOperator lets the operator in. Who is somebody else counts like everyone whose token does not hold.
func (c *Call) authenticateOperator() error {
	err := c.frame.Tokens.AuthenticateOperator(c.Context(), c.RequestHeader("Authorization"))
	if errors.Is(err, auth.ErrUnauthorized) {
		return c.limited(ratelimit.Other, err)
	}
	if err != nil {
		return err
	}
	return c.EnterByAddress()
}

// countHolder finds out whose interaction the token in the path opens, and whether that is one call too many. Who shows
// a token that opens nothing is counted by address.
func (c *Call) countHolder(r *Route) error {
	caller := ratelimit.Caller{Address: c.from}
	app, id, ok, err := c.frame.Interactions.Holder(c.Context(), c.Request.PathValue("interaction_token"))
	if err != nil {
		return err
	}
	if ok {
		caller.Application, caller.Interaction = app, id
		c.Principal.Application = app
	}
	return c.count(r.Group, &caller, nil)
}

func (c *Call) admitToApplication(a Access) error {
	if err := c.readScope(); err != nil {
		return err
	}
	var err error
	if c.Application, err = c.frame.Directory.Application(c.Context(), c.Scope.Application); err != nil {
		return err
	}
	if c.Principal.Application != c.Scope.Application {
		return errOtherApplication
	}
	if err := c.admitToken(a); err != nil {
		return err
	}
	if c.Scope.Global() {
		return nil
	}
	if err := c.installed(); err != nil || a != WritePermissions {
		return err
	}
	_, err = c.frame.Directory.Member(c.Context(), c.Scope.Guild, c.Principal.User)
	if errors.Is(err, directory.ErrUnknownMember) {
		return errMissingAccess
	}
	return err
}

// admitToken checks the kind and the scopes of a token for routes with an application in the path.
func (c *Call) admitToken(a Access) error {
	p := c.Principal
	isBot := p.Kind == store.BotToken
	update, permissions := p.HasScope(auth.ScopeCommandsUpdate), p.HasScope(auth.ScopePermissionsUpdate)
	switch {
	case a == WritePermissions && isBot:
		return ErrNoBots
	case a == OwnBot && !isBot:
		return errOnlyBots
	case a == OwnCommands && !isBot && !update,
		a == ReadPermissions && !isBot && !update && !permissions,
		a == WritePermissions && !permissions:
		return errScope
	}
	return nil
}

// readScope reads the application and guild of the path.
func (c *Call) readScope() error {
	var t jsonbody.Tree
	c.Scope.Application, _ = jsonbody.ParseID[snowflake.Application](t.At("application_id"), c.Request.PathValue("application_id"))
	if guild := c.Request.PathValue("guild_id"); guild != "" {
		var ok bool
		c.Scope.Guild, ok = jsonbody.ParseID[snowflake.Guild](t.At("guild_id"), guild)
		if ok && c.Scope.Guild == 0 && !t.Failed() {
			return errMissingAccess // no guild has the id 0, which elsewhere means the global scope
		}
	}
	return t.Err()
}

// installed checks that the application may have commands in the guild of the path. A guild that does not exist and one
// without the application look the same.
func (c *Call) installed() error {
	install, err := c.frame.Directory.GuildInstall(c.Context(), c.Scope.Guild, c.Scope.Application)
	if errors.Is(err, directory.ErrNotInstalled) {
		return errMissingAccess
	}
	if err != nil {
		return err
	}
	if !auth.Allows(install.Scopes, auth.ScopeCommands) {
		return errMissingAccess
	}
	return nil
}

// admitToLobbies checks the kind of a token: LobbyApps take an application's bot token, LobbyClients a bearer token with
// the scope for lobbies. A person's own token speaks for no application, so it does not hold here. Elsewhere the letters of
// the word before a token may be large or small; the header of a backend that keeps lobbies begins with Bot.
func (c *Call) admitToLobbies(a Access) error {
	p := c.Principal
	switch {
	case p.Kind == store.UserToken:
		return auth.ErrUnauthorized
	case a == LobbyApps && p.Kind == store.BotToken && !strings.HasPrefix(c.RequestHeader("Authorization"), "Bot "):
		return auth.ErrUnauthorized
	case a == LobbyApps && p.Kind != store.BotToken:
		return errOnlyBots
	case a == LobbyClients && p.Kind != store.BearerToken:
		return ErrNoBots
	case a == LobbyClients && !p.HasScope(auth.ScopeLobbies):
		return errScope
	}
	return nil
}
