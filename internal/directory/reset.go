package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
)

// Reset makes the directory hold what a world says and the store nothing else, all of it or nothing. What the world
// leaves to be made and was made before stays: signing keys, tokens and client secrets of the applications and users it
// names. Nobody could be shown new ones who already works with the old. So does the operator's token.
func (d *Directory) Reset(ctx context.Context, w world.World) (Applied, error) {
	w, err := w.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.update(ctx, func(u *work) error {
		u.reset = true
		kept, err := u.made(w)
		if err != nil {
			return err
		}
		u.tx.Clear()
		if err := u.restore(kept); err != nil {
			return err
		}
		return u.ledger.Apply(w)
	})
}

// made is what was made for records of a world and survives a reset.
type made struct {
	applications []store.Application // nothing but ids and keys
	credentials  []store.Credential
}

// made collects what was made for the records of a world that the world itself does not give.
func (w *work) made(all world.World) (made, error) {
	operator, err := w.tx.Credentials.Credentials(store.AdminToken, 0, 0)
	if err != nil {
		return made{}, err
	}
	m := made{credentials: operator}
	given := map[store.TokenHash]bool{}
	keep := func(token string, kind store.Credential) error {
		if token != "" {
			given[auth.Hash(token)] = true
			return nil
		}
		have, err := w.tx.Credentials.Credentials(kind.Kind, kind.Application, kind.User)
		m.credentials = append(m.credentials, have...)
		return err
	}
	for _, a := range all.Applications {
		old, err := w.tx.Directory.Application(a.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return made{}, err
		}
		m.applications = append(m.applications, store.Application{ID: a.ID, SecretHash: old.SecretHash, SigningKey: old.SigningKey})
		if err := keep(a.BotToken, store.Credential{Kind: store.BotToken, Application: a.ID}); err != nil {
			return made{}, err
		}
	}
	for _, u := range all.Users {
		if err := keep(u.Token, store.Credential{Kind: store.UserToken, User: u.ID}); err != nil {
			return made{}, err
		}
	}
	m.credentials = slices.DeleteFunc(m.credentials, func(c store.Credential) bool { return given[c.Hash] })
	return m, nil
}

func (w *work) restore(m made) error {
	for _, a := range m.applications {
		if err := w.put(a); err != nil {
			return err
		}
	}
	for _, c := range m.credentials {
		if err := auth.PutCredential(w.tx, c); err != nil {
			return err
		}
	}
	return nil
}
