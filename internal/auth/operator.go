package auth

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
)

// AuthenticateOperator returns nil for an Authorization header with "Bearer" and an operator's token, and otherwise
// ErrUnauthorized. Authenticate does not accept the operator's token.
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
