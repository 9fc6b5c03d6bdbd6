package oauth

import "context"

// MatchRedirect is matchRedirect.
var MatchRedirect = matchRedirect

// Sweep removes expired records, as Run does regularly.
func (s *Server) Sweep(ctx context.Context) error { return s.sweep(ctx) }
