package server

import (
	"net/http"
	"time"

	oauthapi "github.com/bellhop/bellhop/internal/api/oauth"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/oauth"
)

// Upstream configures the OpenID provider at which users sign in.
type Upstream struct {
	Issuer string
	Client string
	Secret auth.Secret
	// SubjectIsUserID says that the provider's subjects are ids of users of this service.
	SubjectIsUserID bool
}

// upstreamTimeout bounds one request to the provider.
const upstreamTimeout = 10 * time.Second

// browserSessions builds the sessions of browsers.
func (s *Server) browserSessions(cfg Config) *oauthapi.Sessions {
	public := func() string { return s.oauth.Issuer } // it is known when the service listens
	sessions := &oauthapi.Sessions{
		Store: s.store, Clock: s.clock, Directory: s.directory, Tokens: s.tokens, IDs: s.lease.ids,
		Accounts: oauth.Accounts{Server: s.oauth}, Public: public, Choose: cfg.Dev, Audit: s.audit,
	}
	if cfg.Upstream.Issuer != "" {
		sessions.SubjectIsUserID = cfg.Upstream.SubjectIsUserID
		sessions.Upstream = &oauthapi.Upstream{
			Issuer: cfg.Upstream.Issuer, Client: cfg.Upstream.Client, Secret: cfg.Upstream.Secret, Public: public,
			HTTP: &http.Client{Timeout: upstreamTimeout},
		}
	}
	return sessions
}
