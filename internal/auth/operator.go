package auth

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
)

// AuthenticateOperator accepts an Authorization header that holds "Bearer" and the operator's token. Anything else is
// ErrUnauthorized: other tokens open nothing of the operator's, and the operator's opens nothing else.
func (a *Authenticator) AuthenticateOperator(ctx context.Context, header string) error {
	scheme, token := split(header)
	if scheme != store.BearerToken || token == "" || len(token) > MaxTokenLen {
		return ErrUnauthorized
	}
	c, err := a.credential(ctx, Hash(token))
	if err != nil {
		return err
	}
	if c.Kind != store.AdminToken {
		return ErrUnauthorized
	}
	return nil
}
