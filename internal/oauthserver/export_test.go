package oauthserver

import "context"

// Sweep removes what has expired, as Run does from time to time.
func (g *Grants) Sweep(ctx context.Context) error { return g.sweep(ctx) }
