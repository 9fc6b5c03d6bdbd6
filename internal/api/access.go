package api

import (
	"cmp"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Access says who may call a route.
type Access uint8

const (
	// Everyone may call, with or without a token. No rate limit applies.
	Everyone Access = iota
	// Bots need a bot token.
	Bots
	// People need a user token.
	People
	// Accounts need a bot token or a user token.
	Accounts
	// Participants are like Accounts, for the routes of channels. There a bearer token counts as no token.
	Participants
	// WithIdentify needs a bot token, a user token, or a bearer token with the scope identify.
	WithIdentify
	// WithGuilds needs a bot token, a user token, or a bearer token with the scope guilds.
	WithGuilds
	// WithGlobalName needs a bearer token with the scope account.global_name.update.
	WithGlobalName
	// WithMembersRead needs a user token, or a bearer token with the scope guilds.members.read.
	WithMembersRead
	// OwnCommands needs a token of the application in the path: its bot token, or a bearer token with the scope
	// applications.commands.update. If the path names a guild, the application must be installed there.
	OwnCommands
	// ReadCommands is like OwnCommands, and a client-credentials token needs no scope.
	ReadCommands
	// OwnBot needs the bot token of the application in the path.
	OwnBot
	// ReadPermissions is like ReadCommands, and also accepts a bearer token with the scope
	// applications.commands.permissions.update.
	ReadPermissions
	// WritePermissions needs a bearer token of the application in the path with the scope
	// applications.commands.permissions.update. Its user must be a member of the guild of the path; the service checks
	// the permissions of the user.
	WritePermissions
	// Storefront needs the bot token of the application in the path, or a user token.
	Storefront
	// OwnEntitlements needs a token of the application in the path: its bot token, or a bearer token with the scope
	// applications.entitlements.
	OwnEntitlements
	// Customers need a user token, or a bearer token of the application in the path that acts for a user.
	Customers
	// WriteRoleConnection needs a bearer token of the application in the path with the scope role_connections.write.
	WriteRoleConnection
	// Apps need a bot token or a bearer token.
	Apps
	// LobbyApps need a bot token, whose application owns the lobbies.
	LobbyApps
	// LobbyClients need a bearer token with the scope lobbies.write.
	LobbyClients
	// Clients need no token: the request itself names the application. Rate limits count their addresses.
	Clients
	// Browsers need no token: a cookie tells which user has signed in, if any.
	Browsers
	// MaybePeople need a user token or no token.
	MaybePeople
	// Bearers need a bearer token.
	Bearers
	// WithOpenID needs a bearer token with the scope openid.
	WithOpenID
	// TokenHolders need the token of an interaction or of a webhook, which is part of the path. The Authorization header is ignored.
	// The service checks the token; here it only decides which rate limit counts.
	TokenHolders
	// Operators need an operator's token, or the cookie of an operator's browser, with the scope of the route. No rate
	// limit applies.
	Operators
)

// authenticate finds the caller and applies the rate limits.
func (h *handler) authenticate(c *Call) error {
	group := c.route.Group
	if of := c.route.GroupOf; of != nil {
		group = of(c, h.Clock.Now())
	}
	switch allow := c.route.Allow; {
	case allow == Operators:
		return h.authenticateOperator(c)
	case allow == Browsers:
		user, err := h.Sessions.SignedIn(c.Request)
		if err != nil {
			return err
		}
		c.Principal.User = user
		return h.limit(c, group, nil)
	case allow == Clients, allow == MaybePeople && c.RequestHeader("Authorization") == "":
		return h.limit(c, group, nil)
	case allow == TokenHolders:
		return h.limitTokenHolder(c, group)
	}
	p, err := h.Tokens.Authenticate(c.Context(), c.RequestHeader("Authorization"))
	if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
		return err
	}
	c.Principal = p
	if h.Seen != nil && p.Kind == store.BotToken && p.Expires.IsZero() {
		h.Seen(p.Application)
	}
	return h.limit(c, group, err)
}

// limitTokenHolder finds the interaction or the webhook of the token in the path and applies the rate limits. Calls with an unknown
// token are counted by address.
func (h *handler) limitTokenHolder(c *Call, group ratelimit.Group) error {
	caller := ratelimit.Caller{Address: c.from}
	token := cmp.Or(c.Request.PathValue("interaction_token"), c.Request.PathValue("webhook_token"))
	app, id, ok, err := h.Interactions.Holder(c.Context(), token)
	if err != nil {
		return err
	}
	if ok {
		caller.Application, caller.Interaction = app, id
		c.Principal.Application, c.Interaction = app, id
		return h.count(c, group, &caller, nil)
	}
	var t jsonbody.Tree
	hook, _ := jsonbody.ParseID[snowflake.Webhook](&t, c.Request.PathValue("webhook_id")) // reported after the limits
	if hook != 0 {
		ok, err = h.Webhooks.Holds(c.Context(), hook, token)
	}
	if err != nil {
		return err
	}
	if ok {
		caller.Webhook, c.webhook = hook, true
	}
	return h.count(c, group, &caller, nil)
}

// authorize checks whether the caller may use the route.
func (h *handler) authorize(c *Call) error {
	kind := c.Principal.Kind
	switch allow := c.route.Allow; allow {
	case Bots:
		if kind != store.BotToken {
			return errOnlyBots
		}
	case People:
		if kind != store.UserToken {
			return ErrNoBots
		}
	case MaybePeople:
		if kind != 0 && kind != store.UserToken {
			return ErrNoBots
		}
	case Bearers:
		if kind != store.BearerToken {
			return ErrNoBots
		}
	case WithOpenID:
		if kind != store.BearerToken {
			return ErrNoBots
		}
		return requireScope(c, auth.ScopeOpenID)
	case Accounts:
		if kind == store.BearerToken {
			return errOnlyBots
		}
	case Apps:
		if kind == store.UserToken {
			return errOnlyBots
		}
	case Participants:
		if kind == store.BearerToken {
			return auth.ErrUnauthorized
		}
	case WithGlobalName:
		if kind != store.BearerToken {
			return ErrNoBots
		}
		return requireScope(c, auth.ScopeGlobalName)
	case WithIdentify:
		return requireScope(c, auth.ScopeIdentify)
	case WithGuilds:
		return requireScope(c, auth.ScopeGuilds)
	case WithMembersRead:
		if kind == store.BotToken {
			return ErrNoBots
		}
		return requireScope(c, auth.ScopeMembersRead)
	case OwnCommands, ReadCommands, OwnBot, ReadPermissions, WritePermissions, Storefront, OwnEntitlements, Customers, WriteRoleConnection:
		return h.authorizeForApplication(c, allow)
	case LobbyApps, LobbyClients:
		return authorizeForLobbies(c, allow)
	case Operators:
		if c.route.Scope != AnyScope && !c.Principal.IsOperator(c.route.Scope) {
			return ErrOperatorScope
		}
	case Everyone, TokenHolders, Clients, Browsers:
	}
	return nil
}

// requireScope checks that a bearer token has a scope. Other tokens need none.
func requireScope(c *Call, scope string) error {
	if c.Principal.Kind == store.BearerToken && !c.Principal.HasScope(scope) {
		return errScope
	}
	return nil
}

// authorizeForApplication checks routes with an application in the path. The order decides which error a client sees,
// and is that of Discord: the ids in the path, the application, the application of the token, its kind and scope, the
// guild.
func (h *handler) authorizeForApplication(c *Call, allow Access) error {
	if err := readScope(c); err != nil {
		return err
	}
	var err error
	if c.Application, err = h.Directory.Application(c.Context(), c.Scope.Application); err != nil {
		return err
	}
	if person := c.Principal.Kind == store.UserToken; person && (allow == Storefront || allow == Customers) {
		return nil
	}
	if c.Principal.Application != c.Scope.Application {
		return errOtherApplication
	}
	if err := authorizeToken(&c.Principal, allow); err != nil {
		return err
	}
	if c.Scope.Global() {
		return nil
	}
	// A guild that does not exist and a guild without the application get the same answer.
	ok, err := h.Directory.HasCommandsIn(c.Context(), c.Scope.Guild, c.Scope.Application)
	if err == nil && ok && allow == WritePermissions {
		ok, err = h.Directory.IsMember(c.Context(), c.Scope.Guild, c.Principal.User)
	}
	if err == nil && !ok {
		return errMissingAccess
	}
	return err
}

// readScope reads the application and the guild of the path.
func readScope(c *Call) error {
	var t jsonbody.Tree
	c.Scope.Application, _ = jsonbody.ParseID[snowflake.Application](t.At("application_id"), c.Request.PathValue("application_id"))
	if guild := c.Request.PathValue("guild_id"); guild != "" {
		var ok bool
		c.Scope.Guild, ok = jsonbody.ParseID[snowflake.Guild](t.At("guild_id"), guild)
		if ok && c.Scope.Guild == 0 && !t.Failed() {
			return errMissingAccess // no guild has the id 0, which means the global scope
		}
	}
	return t.Err()
}

// authorizeToken checks the kind and the scopes of a token for routes with an application in the path.
func authorizeToken(p *auth.Principal, allow Access) error {
	isBot := p.Kind == store.BotToken
	update, permissions := p.HasScope(auth.ScopeCommandsUpdate), p.HasScope(auth.ScopePermissionsUpdate)
	reads := isBot || p.Own || update
	switch {
	case (allow == Customers || allow == WriteRoleConnection) && isBot:
		return ErrNoBots
	case allow == Storefront && !isBot:
		return errOnlyBots
	case allow == OwnEntitlements && !isBot && !p.HasScope(auth.ScopeEntitlements),
		allow == WriteRoleConnection && !p.HasScope(auth.ScopeRoleConnections):
		return errScope
	case allow == WritePermissions && isBot:
		return ErrNoBots
	case allow == OwnBot && !isBot:
		return errOnlyBots
	case allow == OwnCommands && !isBot && !update,
		allow == ReadCommands && !reads,
		allow == ReadPermissions && !reads && !permissions,
		allow == WritePermissions && !permissions:
		return errScope
	}
	return nil
}

// authorizeForLobbies checks the kind and the scopes of a token for routes of lobbies. A user token belongs to no
// application, so it counts as no token.
func authorizeForLobbies(c *Call, allow Access) error {
	p := &c.Principal
	switch {
	case p.Kind == store.UserToken:
		return auth.ErrUnauthorized
	case allow == LobbyApps && p.Kind != store.BotToken:
		return errOnlyBots
	case allow == LobbyClients && p.Kind != store.BearerToken:
		return ErrNoBots
	case allow == LobbyClients && !p.HasScope(auth.ScopeLobbies):
		return errScope
	}
	return nil
}
