package httpapi

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits holds how often callers may ask, and how many requests may be under way. All fields are required.
type Limits struct {
	Guard ratelimit.Guard
	Edge  *ratelimit.Edge
	Gate  *ratelimit.Gate
}

// address returns where the request comes from.
func (c *Call) address() netip.Addr {
	remote, err := netip.ParseAddrPort(c.Request.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	proxies := c.frame.Limits.Guard.Policy.Proxies
	if len(proxies) == 0 {
		return ratelimit.ClientAddr(remote, "", nil)
	}
	return ratelimit.ClientAddr(remote, strings.Join(c.Request.Header.Values("X-Forwarded-For"), ","), proxies)
}

// blocked answers a request of an address that has collected too many refusals, and reports whether it did.
func (c *Call) blocked() bool {
	left, blocked := c.frame.Limits.Edge.Blocked(c.from, c.frame.Clock.Now())
	if !blocked {
		return false
	}
	c.turnedAway = true
	h := c.Header()
	ratelimit.SetBlockedHeaders(h, left)
	h["Content-Type"] = jsonType
	c.WriteHeader(http.StatusTooManyRequests)
	_, _ = c.Write([]byte(ratelimit.BlockedBody)) // a client that is gone learns nothing more
	return true
}

// limited lets the request in unless too many are under way or its caller has sent one too many. Of a caller whose token
// does not hold, the address is counted, and authErr is what it hears.
func (c *Call) limited(group ratelimit.Group, authErr error) error {
	caller := ratelimit.Caller{Address: c.from}
	if authErr == nil {
		c.identify(&caller, c.Principal)
	}
	return c.count(group, &caller, authErr)
}

// count lets the request of a caller in unless too many are under way or it is one too many. Else the caller hears authErr.
func (c *Call) count(group ratelimit.Group, caller *ratelimit.Caller, authErr error) error {
	if c.counted {
		return authErr // the call is served again
	}
	if err := c.enter(caller); err != nil {
		return err
	}
	c.counted = true
	c.verdict = c.frame.Limits.Guard.Check(c.Context(), group, caller, c.frame.Clock.Now())
	c.verdict.SetHeaders(c.Header())
	if c.verdict.Scope() != ratelimit.Allowed {
		return errLimited
	}
	return authErr
}

// EnterByAddress lets the request in unless too many of its address are under way.
func (c *Call) EnterByAddress() error { return c.enter(&ratelimit.Caller{Address: c.from}) }

// enter lets the request in unless too many are under way.
func (c *Call) enter(caller *ratelimit.Caller) error {
	if c.entered {
		return nil // the call is served again
	}
	c.identity = caller.Identity()
	if c.frame.Limits.Gate.Enter(c.identity) != ratelimit.Entered {
		return ErrBusy
	}
	c.entered = true
	return nil
}

// identify says who calls as far as limits care.
func (c *Call) identify(caller *ratelimit.Caller, p auth.Principal) {
	caller.Application = p.Application
	if !p.Own { // an application's own token counts as the application
		caller.User = p.User
	}
	if guild := c.Request.PathValue("guild_id"); guild != "" {
		var t jsonbody.Tree
		caller.Guild, _ = jsonbody.ParseID[snowflake.Guild](&t, guild) // judged after the limits
	}
	if p.Application != 0 {
		if app, err := c.frame.Directory.Application(c.Context(), p.Application); err == nil {
			caller.PerSecond = app.RequestsPerSecond
		}
	}
}

// leave notes that the request is over.
func (c *Call) leave() {
	if c.entered {
		c.frame.Limits.Gate.Leave(c.identity)
	}
	if !c.turnedAway && c.status >= http.StatusUnauthorized {
		c.frame.Limits.Edge.Answered(c.from, c.status, c.verdict.Scope(), c.frame.Clock.Now())
	}
}
