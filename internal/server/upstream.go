package server

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/oauthapi"
	"github.com/bellhop/bellhop/internal/signin"
)

// Upstream is an OpenID provider that knows the people of a platform.
type Upstream struct {
	Issuer string
	Client string
	Secret auth.Secret
}

// upstreamTimeout bounds one request to the upstream provider.
const upstreamTimeout = 10 * time.Second

// pages puts the pages together that people see.
func (s *Server) pages(cfg Config, now clock.Clock) *oauthapi.Pages {
	public := func() string { return s.grants.Issuer } // known once the service listens
	door := &signin.Door{
		Store: s.store, Clock: now, Directory: s.directory, Tokens: s.tokens, IDs: s.lease.ids, Public: public, Choose: cfg.Dev,
	}
	if cfg.Upstream.Issuer != "" {
		door.Upstream = &signin.Upstream{
			Issuer: cfg.Upstream.Issuer, Client: cfg.Upstream.Client, Secret: cfg.Upstream.Secret, Public: public,
			HTTP: &http.Client{Timeout: upstreamTimeout},
		}
	}
	return &oauthapi.Pages{Grants: s.grants, Door: door, Directory: s.directory}
}
