package api

import (
	"errors"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// access says who may call a route.
type access uint8

const (
	// everyone may call, with or without a token, and is not counted.
	everyone access = iota
	// anyone may call who has a token.
	anyone
	// bots are for an application's bot token.
	bots
	// people are for a person's own token.
	people
	// accounts are for a bot token or a person's own: for whoever can be a member of a guild.
	accounts
	// withIdentify is for accounts, and for bearer tokens with the scope identify.
	withIdentify
	// withGuilds is for accounts, and for bearer tokens with the scope guilds.
	withGuilds
	// ownCommands is for the application in the path: its bot token, or its bearer token with the scope
	// applications.commands.update. In a guild it must be installed.
	ownCommands
	// ownBot is for the bot token of the application in the path.
	ownBot
	// readPermissions is for the application in the path, which is installed in the guild of the path: its bot token, or
	// a bearer token with one of the two scopes for commands.
	readPermissions
	// writePermissions is for a bearer token of the application in the path with the scope
	// applications.commands.permissions.update that acts for a member of the guild of the path. What its user may do
	// there is judged later.
	writePermissions
	// lobbyApps is for the bot token of the application whose lobbies are meant.
	lobbyApps
	// lobbyClients is for a bearer token with the scope lobbies.write, which acts for a person in an application's lobbies.
	lobbyClients
	// clients say in the request itself which application they are. Their addresses are counted.
	clients
	// visitors are people in a browser, known by their session if at all.
	visitors
	// maybePeople are for a person's own token, or for nobody.
	maybePeople
	// bearers are for bearer tokens, whoever they act for.
	bearers
	// withOpenID is for bearer tokens with the scope openid.
	withOpenID
	// tokenHolders are for whoever knows the token of an interaction, which stands in the path. No other is looked at. The
	// handlers judge it: here it only says who is counted.
	tokenHolders
	// operators are for the operator's token, which opens nothing else. They are not counted.
	operators
)

// run makes the checks of a route in their order and then serves it.
func (c *call) run(r *route) error {
	if c.api.Dev != nil {
		if over, err := c.strike(r, func() error { return c.serve(r) }); over {
			return err
		}
	}
	return c.serve(r)
}

// serve is run without the faults of dev controls.
func (c *call) serve(r *route) error {
	if r.allow == everyone {
		return r.handle(c)
	}
	if err := c.authenticate(r); err != nil {
		return err
	}
	if err := c.admit(r.allow); err != nil {
		return err
	}
	return r.handle(c)
}

// authenticate finds out who calls, and whether that is one call too many.
func (c *call) authenticate(r *route) error {
	switch {
	case r.allow == operators:
		return c.authenticateOperator()
	case r.allow == visitors:
		v, err := c.api.Pages.Door.Visit(c.r)
		if err != nil {
			return err
		}
		c.principal.User = v.User
		return c.limited(r.group, nil)
	case r.allow == clients, r.allow == maybePeople && c.header("Authorization") == "":
		return c.limited(r.group, nil)
	case r.allow == tokenHolders:
		return c.countHolder(r)
	}
	p, err := c.api.Tokens.Authenticate(c.r.Context(), c.header("Authorization"))
	if err != nil && !errors.Is(err, oauth.ErrUnauthorized) {
		return err
	}
	c.principal = p
	return c.limited(r.group, err)
}

// admit checks whether the caller may do this. On routes with an application in the path the order is that of the
// reference: the ids in the path, the application, whose token it is, its kind and scope, the guild.
func (c *call) admit(a access) error {
	switch a {
	case bots:
		if c.principal.Kind != store.BotToken {
			return errOnlyBots
		}
		return nil
	case people:
		if c.principal.Kind != store.UserToken {
			return errNoBots
		}
		return nil
	case bearers, withOpenID:
		if c.principal.Kind != store.BearerToken {
			return errNoBots
		}
		if a == withOpenID {
			return c.admitBearer(oauth.ScopeOpenID)
		}
		return nil
	case maybePeople:
		if c.principal.Kind != 0 && c.principal.Kind != store.UserToken {
			return errNoBots
		}
		return nil
	case accounts:
		if c.principal.Kind == store.BearerToken {
			return errOnlyBots
		}
		return nil
	case withIdentify:
		return c.admitBearer(oauth.ScopeIdentify)
	case withGuilds:
		return c.admitBearer(oauth.ScopeGuilds)
	case ownCommands, ownBot, readPermissions, writePermissions:
		return c.admitToApplication(a)
	case lobbyApps, lobbyClients:
		return c.admitToLobbies(a)
	case everyone, anyone, tokenHolders, operators, clients, visitors:
	}
	return nil
}

// admitBearer demands a scope of bearer tokens.
func (c *call) admitBearer(scope string) error {
	if c.principal.Kind == store.BearerToken && !c.principal.HasScope(scope) {
		return errScope
	}
	return nil
}

// authenticateOperator lets the operator in. Who is somebody else counts like everyone whose token does not hold.
func (c *call) authenticateOperator() error {
	err := c.api.Tokens.AuthenticateOperator(c.r.Context(), c.header("Authorization"))
	if errors.Is(err, oauth.ErrUnauthorized) {
		return c.limited(ratelimit.Other, err)
	}
	if err != nil {
		return err
	}
	return c.enter(&ratelimit.Caller{Address: c.from})
}

// countHolder finds out whose interaction the token in the path opens, and whether that is one call too many. Who shows
// a token that opens nothing is counted by address.
func (c *call) countHolder(r *route) error {
	caller := ratelimit.Caller{Address: c.from}
	app, id, ok, err := c.api.Interactions.Holder(c.r.Context(), c.r.PathValue("interaction_token"))
	if err != nil {
		return err
	}
	if ok {
		caller.Application, caller.Interaction = app, id
		c.principal.Application = app
	}
	return c.count(r.group, &caller, nil)
}

// visitor returns who the caller is in guilds and channels.
func (c *call) visitor() directory.Visitor {
	if c.principal.Kind == store.BotToken {
		return directory.Visitor{User: snowflake.User(c.principal.Application), Bot: true}
	}
	return directory.Visitor{User: c.principal.User}
}

func (c *call) admitToApplication(a access) error {
	if err := c.readScope(); err != nil {
		return err
	}
	var err error
	if c.application, err = c.api.Directory.Application(c.r.Context(), c.scope.Application); err != nil {
		return err
	}
	if c.principal.Application != c.scope.Application {
		return errOtherApplication
	}
	if err := c.admitToken(a); err != nil {
		return err
	}
	if c.scope.Global() {
		return nil
	}
	if err := c.installed(); err != nil || a != writePermissions {
		return err
	}
	_, err = c.api.Directory.Member(c.r.Context(), c.scope.Guild, c.principal.User)
	if errors.Is(err, directory.ErrUnknownMember) {
		return errMissingAccess
	}
	return err
}

// admitToken checks the kind and the scopes of a token for routes with an application in the path.
func (c *call) admitToken(a access) error {
	p := c.principal
	isBot := p.Kind == store.BotToken
	update, permissions := p.HasScope(oauth.ScopeCommandsUpdate), p.HasScope(oauth.ScopePermissionsUpdate)
	switch {
	case a == writePermissions && isBot:
		return errNoBots
	case a == ownBot && !isBot:
		return errOnlyBots
	case a == ownCommands && !isBot && !update,
		a == readPermissions && !isBot && !update && !permissions,
		a == writePermissions && !permissions:
		return errScope
	}
	return nil
}

// readScope reads the application and guild of the path.
func (c *call) readScope() error {
	var t problem.Tree
	c.scope.Application, _ = form.ParseID[snowflake.Application](t.At("application_id"), c.r.PathValue("application_id"))
	if guild := c.r.PathValue("guild_id"); guild != "" {
		var ok bool
		c.scope.Guild, ok = form.ParseID[snowflake.Guild](t.At("guild_id"), guild)
		if ok && c.scope.Guild == 0 && !t.Failed() {
			return errMissingAccess // no guild has the id 0, which elsewhere means the global scope
		}
	}
	return t.Err()
}

// installed checks that the application may have commands in the guild of the path. A guild that does not exist and one
// without the application look the same.
func (c *call) installed() error {
	install, err := c.api.Directory.GuildInstall(c.r.Context(), c.scope.Guild, c.scope.Application)
	if errors.Is(err, directory.ErrNotInstalled) {
		return errMissingAccess
	}
	if err != nil {
		return err
	}
	if !oauth.Allows(install.Scopes, oauth.ScopeCommands) {
		return errMissingAccess
	}
	return nil
}
