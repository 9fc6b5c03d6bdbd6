package ratelimit

import (
	"net/netip"
	"time"
)

// Policy holds all limits of the service. It does not change once it is in use.
type Policy struct {
	Application Rule           // all requests of an application
	User        Rule           // all requests with a user token
	Address     Rule           // all requests without a valid credential
	MostRaised  int            // maximum of a raised limit, in requests per second
	Routes      [groups]Rule   // by group, in addition to the limits above
	Creates     int            // commands that an application creates in one scope and day; 0: any number
	Edge        EdgeRule       // when an address is blocked
	Gate        GateRule       // requests in progress
	Sessions    SessionRule    // gateway sessions of a node
	Keys        int            // counters that a node holds
	Proxies     []netip.Prefix // trusted proxies
}

// EdgeRule says when an address is blocked. The zero EdgeRule blocks none.
type EdgeRule struct {
	Invalid int            // number of answers with 401, 403 or 429
	Window  time.Duration  // within this time
	Block   time.Duration  // how long the address is blocked then
	Allow   []netip.Prefix // networks that are never blocked
}

// GateRule bounds the requests in progress. Zero means no bound.
type GateRule struct {
	All    int // in total
	Caller int // of one caller
}

// SessionRule bounds the gateway sessions of one node. Sessions that can be resumed count too. Zero means no bound.
type SessionRule struct {
	User        int // of a user, for each application that the user has clients of
	Application int // of an application's bot
	Anonymous   int // connections of an address that have not identified
}

// Default returns the default limits. Those of lobbies, of messages and the global ones are in the specification. The
// others are wide enough to stop a runaway program without delaying tests. limits-public.yaml has the narrow ones that
// were observed on the public service.
func Default() Policy {
	return Policy{
		Application: Rule{50, time.Second, PerCaller},
		User:        Rule{50, time.Second, PerCaller},
		Address:     Rule{50, time.Second, PerAddress},
		MostRaised:  1200,
		Creates:     200,
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

			ChannelMessagesWrite:      {500, 10 * time.Second, PerCallerAndChannel}, // new and edited messages
			ChannelMessagesDelete:     {500, 10 * time.Second, PerCallerAndChannel},
			ChannelMessagesDeleteNew:  {500, 10 * time.Second, PerCallerAndChannel}, // see DeleteGroup
			ChannelMessagesDeleteOld:  {500, 10 * time.Second, PerCallerAndChannel},
			ChannelMessagesBulkDelete: {100, 10 * time.Second, PerCallerAndGuild},
			ChannelReactions:          {500, 10 * time.Second, PerCallerAndChannel}, // all routes
			ChannelsEdit:              {500, 10 * time.Second, PerCallerAndChannel},
			ChannelCrosspost:          {100, 10 * time.Second, PerCallerAndChannel},

			InteractionsInvoke:   {50, 10 * time.Second, PerUser},
			InteractionsCallback: {5, 2 * time.Second, PerInteraction},
			Webhooks:             {5, 2 * time.Second, PerInteraction},

			ApplicationsEdit: {10, time.Minute, PerCaller},       // each request may make the service call a URL of the caller's choice
			OAuth2Token:      {50, 10 * time.Second, PerAddress}, // limits guesses of secrets and codes
			OAuth2Authorize:  {50, 10 * time.Second, PerCaller},
			OAuth2Device:     {20, time.Minute, PerCaller},

			OAuth2DeviceCodes: {100, time.Hour, PerAddress},             // new codes for devices of public clients
			OAuth2SignIn:      {20, 10 * time.Minute, PerAddress},       // failures; see Pace
			OAuth2SignInUser:  {5, 10 * time.Minute, PerAddressAndUser}, // the same, with tokens that name the user
			OAuth2UserCode:    {30, 10 * time.Minute, PerUser},          // codes of devices that a user enters

			GatewaySend:     {120, time.Minute, PerCaller},    // for one connection: see Counter
			GatewayPresence: {5, 20 * time.Second, PerCaller}, // for one connection; more updates are dropped
			GatewayIdentify: {1, 5 * time.Second, PerApplication},
			GatewayStarts:   {1000, 24 * time.Hour, PerApplication}, // new sessions, not resumed ones
			GatewayMembers:  {1, 30 * time.Second, PerCallerAndGuild},
		},
		Edge: EdgeRule{Invalid: 10_000, Window: 10 * time.Minute, Block: 10 * time.Minute},
		Gate: GateRule{All: 8192, Caller: 1024},

		Sessions: SessionRule{User: 64, Application: 1024, Anonymous: 512},
		Keys:     1 << 20,
	}
}

// IsProxy reports whether an address is that of a trusted proxy.
func (p *Policy) IsProxy(a netip.Addr) bool { return within(p.Proxies, plain(a)) }

// Off returns a policy without limits, also on the number of created commands. The bound on all requests in progress
// stays, because it protects memory.
func Off() Policy {
	return Policy{Gate: GateRule{All: Default().Gate.All}}
}

// Claims returns the claims of a request.
//
// A caller without a valid credential is counted by address. On a route that needs a credential it has no claim on the
// route, because the request fails anyway.
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

// bucket returns the bucket of a request.
func (p *Policy) bucket(g Group, c *Caller) bucket {
	return bucketOf(g, c.Guild != 0 && p.Routes[g].Per == PerCallerAndGuild)
}

// claimAll returns the claim on the global limit.
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
