package ratelimit

import (
	"net/netip"
	"time"
)

// Policy is every limit of the service. Its values do not change once it is in use.
type Policy struct {
	Application Rule           // on everything an application sends
	User        Rule           // on everything a person's token sends
	Address     Rule           // on everything that comes without a valid credential
	MostRaised  int            // requests per second that an application can be raised to
	Routes      [groups]Rule   // by group, beside the limit on everything
	Edge        EdgeRule       // when an address is refused early
	Gate        GateRule       // how many requests are under way at once
	Keys        int            // counts that a node holds at once
	Proxies     []netip.Prefix // whose word on the client's address is taken
}

// EdgeRule says when an address is refused before anything is read of its requests. The zero EdgeRule refuses none.
type EdgeRule struct {
	Invalid int            // answers 401, 403 and 429
	Window  time.Duration  // in which they are counted
	Block   time.Duration  // how long the address is refused then
	Allow   []netip.Prefix // networks that are never refused
}

// GateRule bounds the requests that are under way. Zero is no bound.
type GateRule struct {
	All    int // together
	Caller int // of one caller
}

// Default returns the shipped limits. Those of lobbies, of messages and on everything are the specification's; the
// others are what it leaves open, wide enough that they catch a runaway and never hold up somebody's tests. The narrow
// ones that were seen on the public service stand in limits-public.yaml.
func Default() Policy {
	return Policy{
		Application: Rule{50, time.Second, PerCaller},
		User:        Rule{50, time.Second, PerCaller},
		Address:     Rule{50, time.Second, PerAddress},
		MostRaised:  1200,
		Routes: [groups]Rule{
			Other: {500, 10 * time.Second, PerCaller},

			CommandsList:   {500, 10 * time.Second, PerCallerAndGuild},
			CommandsGet:    {500, 10 * time.Second, PerCallerAndGuild},
			CommandsCreate: {100, 10 * time.Second, PerCallerAndGuild},
			CommandsEdit:   {100, 10 * time.Second, PerCallerAndGuild},
			CommandsDelete: {100, 10 * time.Second, PerCallerAndGuild},
			CommandsBulk:   {50, 10 * time.Second, PerCallerAndGuild},
			CommandsIndex:  {100, 10 * time.Second, PerCallerAndGuild},
			PermissionsGet: {500, 10 * time.Second, PerCallerAndGuild},
			PermissionsPut: {50, 10 * time.Second, PerCallerAndGuild},

			LobbiesCreate: {500, 10 * time.Second, PerApplication},
			LobbiesGet:    {500, 10 * time.Second, PerApplication},
			LobbiesDelete: {500, 10 * time.Second, PerApplication},
			LobbiesJoin:   {10, time.Minute, PerUser},
			MembersAdd:    {5000, 10 * time.Second, PerApplication},
			MembersRemove: {5000, 10 * time.Second, PerApplication},
			MessagesSend:  {3000, 2 * time.Hour, PerUser},
			MessagesList:  {50, 10 * time.Second, PerCaller},

			InteractionsInvoke:   {50, 10 * time.Second, PerUser},
			InteractionsCallback: {5, 2 * time.Second, PerInteraction},
			Webhooks:             {5, 2 * time.Second, PerInteraction},

			ApplicationsEdit: {10, time.Minute, PerCaller},       // each may make the service call an address of the caller's choice
			OAuth2Token:      {50, 10 * time.Second, PerAddress}, // guesses at secrets and codes
			OAuth2Authorize:  {50, 10 * time.Second, PerCaller},
			OAuth2Device:     {20, time.Minute, PerCaller},

			GatewaySend:     {120, time.Minute, PerCaller}, // of one connection: see Counter
			GatewayIdentify: {1, 5 * time.Second, PerApplication},
			GatewayStarts:   {1000, 24 * time.Hour, PerApplication}, // sessions that are not resumed
			GatewayMembers:  {1, 30 * time.Second, PerCallerAndGuild},
		},
		Edge: EdgeRule{Invalid: 10_000, Window: 10 * time.Minute, Block: 10 * time.Minute},
		Gate: GateRule{All: 8192, Caller: 1024},
		Keys: 1 << 20,
	}
}

// Off returns a policy without limits. The bound on all requests under way stays: it guards memory, not fairness.
func Off() Policy {
	return Policy{Gate: GateRule{All: Default().Gate.All}}
}

// Claims returns what a request of a group by c is counted against.
//
// Who shows no valid credential is counted by address, and on a route that asks for a credential against the limit
// on everything alone: its request ends there anyway.
func (p *Policy) Claims(g Group, c *Caller) (onAll, onRoute Claim) {
	known := c.known()
	if !groupTable[g].exempt || !known {
		onAll = p.claimAll(c)
	}
	if rule := &p.Routes[g]; !rule.IsZero() && (known || rule.Per == PerAddress) {
		onRoute = Claim{Key: c.key(p.bucket(g, c), rule.Per), Limit: rule.Limit, Window: rule.Window}
	}
	return onAll, onRoute
}

// bucket returns the bucket that a request of a group by c belongs to.
func (p *Policy) bucket(g Group, c *Caller) bucket {
	return bucketOf(g, c.Guild != 0 && p.Routes[g].Per == PerCallerAndGuild)
}

// claimAll returns the claim on the limit on everything.
func (p *Policy) claimAll(c *Caller) Claim {
	rule := &p.Address
	switch {
	case c.User != 0:
		rule = &p.User
	case c.known():
		rule = &p.Application
	}
	if rule.IsZero() {
		return Claim{}
	}
	claim := Claim{Key: c.Identity(), Limit: rule.Limit, Window: rule.Window}
	if rule == &p.Application && c.PerSecond > 0 {
		claim.Limit = min(c.PerSecond, p.MostRaised)
		if rule.Window != time.Second {
			claim.Limit = max(int(int64(claim.Limit)*int64(rule.Window)/int64(time.Second)), 1)
		}
	}
	return claim
}
