package directory

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Welcome makes a user a member of the guild that invited returns, unless it is one already. invited runs in the same
// decision; its error is returned as it is.
func (d *Directory) Welcome(
	ctx context.Context, user snowflake.User, invited func(tx *store.Tx) (snowflake.Guild, error),
) error {
	return d.change(ctx, func(w *work) error {
		guild, err := invited(w.tx)
		if err != nil {
			return err
		}
		if _, err := w.tx.Directory.Guild(guild); err != nil {
			return in(err, ErrUnknownGuild)
		}
		if _, err := ReadUser(w.tx.Reader, user); err != nil {
			return in(err, ErrUnknownUser)
		}
		return w.ledger.Join(guild, user)
	})
}
