package grants

import "context"

// Sweep removes what is outdated, as Run does from time to time.
func (g *Grants) Sweep(ctx context.Context) (int, error) { return g.sweep(ctx) }
