package directory

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Credentials looks up tokens and their owners. It implements auth.Records.
type Credentials struct{ *shared }

var _ auth.Records = (*Credentials)(nil)

// Credential returns the credential with a token hash, or store.ErrNotFound. The caller does not change it.
func (k *Credentials) Credential(ctx context.Context, hash store.TokenHash) (*store.Credential, error) {
	return k.cached.credentials.Load(ctx, hash)
}

// HasUser reports whether a user exists. A bot is not a user.
func (k *Credentials) HasUser(ctx context.Context, id snowflake.User) (bool, error) {
	u, err := load(ctx, &k.cached.users, id, ErrUnknownUser)
	if errors.Is(err, ErrUnknownUser) {
		return false, nil
	}
	return err == nil && !u.user.Bot, err
}

// Owner returns the owner of an application. known is false when the application does not exist.
func (k *Credentials) Owner(ctx context.Context, id snowflake.Application) (owner snowflake.User, known bool, err error) {
	a, err := load(ctx, &k.cached.applications, id, ErrUnknownApplication)
	if errors.Is(err, ErrUnknownApplication) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	return a.app.Owner, true, nil
}
