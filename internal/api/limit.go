package api

import (
	"cmp"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits holds the rate limits and the bounds on concurrent requests. All fields are required except Bodies.
type Limits struct {
	Guard ratelimit.Guard
	Edge  *ratelimit.Edge
	Gate  *ratelimit.Gate
	// Bodies bounds the memory for request bodies. It may be nil.
	Bodies *ratelimit.Budget
}

// clientAddress returns the address of the client, from X-Forwarded-For if a trusted proxy sent the request.
func (h *handler) clientAddress(r *http.Request) netip.Addr {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	proxies := h.Limits.Guard.Policy.Proxies
	if len(proxies) == 0 {
		return ratelimit.ClientAddr(remote, "", nil)
	}
	return ratelimit.ClientAddr(remote, strings.Join(r.Header.Values("X-Forwarded-For"), ","), proxies)
}

// warnOfProxy logs a warning the first time that a request seems to come through a proxy that is not trusted. Such headers
// change nothing else: any client can send them.
func (h *handler) warnOfProxy(r *http.Request) {
	if len(r.Header["X-Forwarded-For"])+len(r.Header["Forwarded"])+len(r.Header["X-Real-Ip"]) == 0 {
		return
	}
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || h.Limits.Guard.Policy.IsProxy(remote.Addr()) {
		return
	}
	h.warnProxy.Do(func() {
		h.Log.WarnContext(r.Context(), "requests come through a proxy that is not trusted: list its network under edge.proxies of --limits",
			"address", remote.Addr().String())
	})
}

// checkBlock returns errBlocked if the address has caused too many errors with the same credential.
func (h *handler) checkBlock(c *Call) error {
	left, blocked := h.Limits.Edge.Blocked(c.from, c.by, h.Clock.Now())
	if !blocked {
		return nil
	}
	c.rejected = true
	ratelimit.SetBlockedHeaders(c.Header(), left)
	return errBlocked
}

// answerBlocked answers 429 to a blocked address, without the headers that other responses have.
func (c *Call) answerBlocked() {
	c.Header()["Content-Type"] = jsonType
	c.WriteHeader(http.StatusTooManyRequests)
	_, _ = c.Write([]byte(ratelimit.BlockedBody)) // fails when the client is gone
}

// limit applies the rate limits of a group to the caller. A caller whose token is not valid is counted by address, and
// gets authErr if the limits allow the request.
func (h *handler) limit(c *Call, group ratelimit.Group, authErr error) error {
	caller := ratelimit.Caller{Address: c.from}
	if authErr == nil {
		h.identify(c, group, &caller)
	}
	return h.count(c, group, &caller, authErr)
}

// wrongCredential returns which credential a call lacks, if its caller is not known.
func (c *Call) wrongCredential() ratelimit.Credential {
	kind := auth.HeaderKind(c.RequestHeader("Authorization"))
	switch {
	case c.route.Allow == Operators:
		return ratelimit.WrongOperatorToken
	case c.route.Allow == TokenHolders:
		return ratelimit.WrongInteractionToken
	case kind == store.BotToken:
		return ratelimit.WrongBotToken
	case kind == store.BearerToken:
		return ratelimit.WrongBearerToken
	case kind == store.UserToken:
		return ratelimit.WrongUserToken
	}
	return ratelimit.NoCredential
}

// identify sets the fields of caller that limits are counted by.
func (h *handler) identify(c *Call, group ratelimit.Group, caller *ratelimit.Caller) {
	p := &c.Principal
	caller.Application = p.Application
	if !p.Own { // the token of the application itself counts for the application
		caller.User = p.User
	}
	if guild := c.Request.PathValue("guild_id"); guild != "" {
		var t jsonbody.Tree
		caller.Guild, _ = jsonbody.ParseID[snowflake.Guild](&t, guild) // reported after the limits
	}
	if channel := c.Request.PathValue("channel_id"); channel != "" {
		var t jsonbody.Tree
		caller.Channel, _ = jsonbody.ParseID[snowflake.Channel](&t, channel) // reported after the limits
	}
	if caller.Channel != 0 && h.Limits.Guard.Policy.Routes[group].Per == ratelimit.PerCallerAndGuild {
		if guild, err := h.Directory.GuildOf(c.Context(), caller.Channel); err == nil {
			caller.Guild = guild
		}
	}
	if p.Application != 0 {
		if app, err := h.Directory.Application(c.Context(), p.Application); err == nil {
			caller.PerSecond = app.RequestsPerSecond
		}
	}
}

// count lets the request in and counts it. It returns errBlocked, ErrBusy or errLimited when the caller exceeds a limit, else
// authErr.
func (h *handler) count(c *Call, group ratelimit.Group, caller *ratelimit.Caller, authErr error) error {
	if c.counted {
		return authErr // the call is served again
	}
	if allow := c.route.Allow; allow != Clients && allow != Browsers { // their handlers check the credentials
		c.by, c.edge = caller.Credential(c.wrongCredential()), true
		if err := h.checkBlock(c); err != nil {
			return err
		}
	}
	if err := c.enter(caller); err != nil {
		return err
	}
	c.counted, c.caller = true, *caller
	c.verdict = h.Limits.Guard.Check(c.Context(), group, caller, h.Clock.Now())
	c.verdict.SetHeaders(c.Header())
	if c.verdict.Scope() != ratelimit.Allowed {
		return errLimited
	}
	return authErr
}

// Take counts the call against a hidden limit: one that applies to some calls of its route only. channel is the channel that
// the call is about; 0: that in the path. It returns an error when the limit is exceeded.
func (c *Call) Take(group ratelimit.Group, channel snowflake.Channel) error {
	if slices.Contains(c.taken, group) {
		return nil // the call is served again
	}
	c.taken = append(c.taken, group)
	caller := c.caller
	caller.Channel = cmp.Or(channel, caller.Channel)
	verdict := c.h.Limits.Guard.CheckRoute(c.Context(), group, &caller, c.h.Clock.Now())
	if verdict.Scope() == ratelimit.Allowed {
		return nil
	}
	c.verdict = verdict
	verdict.SetHeaders(c.Header())
	return errLimited
}

// unserved counts a request that no route serves against the limit of its address. It returns err, or errLimited.
func (h *handler) unserved(c *Call, err error) error {
	verdict := h.Limits.Guard.Check(c.Context(), ratelimit.Other, &ratelimit.Caller{Address: c.from}, h.Clock.Now())
	if verdict.Scope() == ratelimit.Allowed {
		return err
	}
	c.verdict = verdict
	verdict.SetHeaders(c.Header())
	return errLimited
}

// EnterByAddress returns ErrBusy if too many requests of the client's address are in progress.
func (c *Call) EnterByAddress() error { return c.enter(&ratelimit.Caller{Address: c.from}) }

// enter returns ErrBusy if too many requests are in progress.
func (c *Call) enter(caller *ratelimit.Caller) error {
	if c.entered {
		return nil // the call is served again
	}
	c.identity = caller.Identity()
	if c.h.Limits.Gate.Enter(c.identity) != ratelimit.Entered {
		return ErrBusy
	}
	c.entered = true
	return nil
}

// leave ends the request for the limits.
func (h *handler) leave(c *Call) {
	h.Limits.Bodies.Free(c.holder, c.held)
	if c.entered {
		h.Limits.Gate.Leave(c.identity)
	}
	if c.edge && !c.rejected && c.status >= http.StatusUnauthorized &&
		h.Limits.Edge.Answered(c.from, c.by, c.status, c.verdict.Scope(), h.Clock.Now()) {
		h.Log.WarnContext(c.Context(), "address blocked: too many requests were refused",
			"address", c.from.String(), "credential", c.by.String(), "for", h.Limits.Guard.Policy.Edge.Block.String())
	}
}
