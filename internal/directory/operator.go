package directory

import (
	"context"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
)

// MintAdminToken makes a new token for the operator. The one there was stops working.
func (d *Directory) MintAdminToken(ctx context.Context) (auth.Secret, error) {
	made := auth.NewAdminToken()
	return made, d.mint(ctx, adminCredential(made), true)
}

// FirstAdminToken makes a token for the operator when there is none, else it returns an empty one.
func (d *Directory) FirstAdminToken(ctx context.Context) (auth.Secret, error) {
	var made auth.Secret
	_, err := d.update(ctx, func(w *work) error {
		have, err := w.tx.Credentials.Credentials(store.AdminToken, 0, 0)
		if err != nil || len(have) > 0 {
			made = ""
			return err
		}
		made = auth.NewAdminToken()
		return auth.PutCredential(w.tx, adminCredential(made))
	})
	return made, err
}

func adminCredential(token auth.Secret) store.Credential {
	return store.Credential{Hash: auth.Hash(token.Reveal()), Kind: store.AdminToken}
}
