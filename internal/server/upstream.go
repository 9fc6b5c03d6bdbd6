package server

import (
	"net/http"
	"time"

	oauthapi "github.com/bellhop/bellhop/internal/api/oauth"
	"github.com/bellhop/bellhop/internal/console"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/oauth"
)

// upstreamTimeout bounds one request to a provider.
const upstreamTimeout = 10 * time.Second

// browserSessions builds the sessions of browsers.
func (s *Server) browserSessions(cfg Config) *oauthapi.Sessions {
	public := func() string { return s.oauth.Issuer } // it is known when the service listens
	sessions := &oauthapi.Sessions{
		Store: s.store, Clock: s.clock, Directory: s.directory, Tokens: s.tokens, IDs: s.lease.ids,
		Accounts: oauth.Accounts{Server: s.oauth}, Public: public, Choose: cfg.Dev, Audit: s.audit, Hooks: s.callbacks,
	}
	for _, p := range cfg.Providers {
		sessions.Upstreams = append(sessions.Upstreams, &oauthapi.Upstream{Provider: p, Public: public, HTTP: &http.Client{Timeout: upstreamTimeout}})
	}
	return sessions
}

// operatorLinks returns the links with which operators sign in to the console.
func operatorLinks(providers []idp.Provider) []console.Link {
	var links []console.Link
	for _, l := range oauthapi.OperatorLinks(providers) {
		links = append(links, console.Link(l))
	}
	return links
}
