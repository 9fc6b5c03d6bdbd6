package provisional

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

const (
	// batchSize bounds how many records are read at once.
	batchSize = 256
	// lookAgain is the pause between two looks for transfers of nodes that have died.
	lookAgain = time.Minute
)

// committed begins the transfers that a change contains.
func (a *Accounts) committed(c *store.Change) {
	if slices.ContainsFunc(c.Put, func(r store.Record) bool { _, ok := r.(store.Transfer); return ok }) {
		a.CheckDue()
	}
}

// finishTransfers moves the lobbies of all users who have a transfer, the oldest first.
func (a *Accounts) finishTransfers(ctx context.Context) (next time.Time, err error) {
	err = store.Exclusively(ctx, a.Store, store.TransferWork, 0, func(ctx context.Context) error {
		for {
			var list []store.Transfer
			err := a.Store.Read(ctx, func(r store.Reader) (err error) {
				list, err = r.Identities.Transfers(batchSize)
				return err
			})
			if err != nil || len(list) == 0 {
				return err
			}
			slices.SortFunc(list, func(a, b store.Transfer) int { return a.Created.Compare(b.Created) })
			for _, t := range list {
				if err := a.finish(ctx, t); err != nil {
					return err
				}
			}
		}
	})
	return a.Wall.Now().Add(lookAgain), err
}

// finish moves the lobbies of a user. Then it removes the transfer, and a provisional user, who is of no use any more.
func (a *Accounts) finish(ctx context.Context, t store.Transfer) error {
	err := a.Transfer(ctx, t.Application, t.From, t.To)
	if err != nil && !errors.Is(err, directory.ErrUnknownUser) { // deleted users leave their lobbies anyway
		return err
	}
	from, err := a.Directory.Users.User(ctx, t.From)
	switch {
	case errors.Is(err, directory.ErrUnknownUser):
	case err != nil:
		return err
	case from.Provisional == t.Application:
		if err := a.Directory.Users.Delete(ctx, t.From); err != nil && !errors.Is(err, directory.ErrUnknownUser) {
			return err
		}
	}
	return store.Decide(ctx, a.Store, func(tx *store.Tx) error {
		now, err := tx.Identities.Transfer(t.Application, t.From)
		if errors.Is(err, store.ErrNotFound) || err == nil && now.To != t.To {
			return nil // there is a new one, which begins now
		}
		if err != nil {
			return err
		}
		tx.Delete(store.TransferKey(t.Application, t.From))
		if t.Operation == 0 {
			return nil
		}
		return a.announce(tx, t)
	})
}

// announce tells the clients of a user that a provisional user was merged with the user.
func (a *Accounts) announce(tx *store.Tx, t store.Transfer) error {
	data, err := json.Marshal(struct {
		Operation snowflake.User `json:"merge_operation_id"`
		Source    snowflake.User `json:"source_user_id"`
	}{snowflake.User(t.Operation), t.From})
	if err != nil {
		return err
	}
	tx.Announce(store.Event{Subject: store.TransferSubject(t.Application, t.From), Event: events.Event{
		Name: "USER_MERGE_OPERATION_COMPLETED", Data: data, To: events.Audience{Users: []snowflake.User{t.To}},
	}})
	return nil
}

var _ directory.Dependent = (*Accounts)(nil)

// UserDeleted implements directory.Dependent. It removes the identities of a deleted user.
func (a *Accounts) UserDeleted(ctx context.Context, id snowflake.User) error {
	return store.Decide(ctx, a.Store, func(tx *store.Tx) error {
		list, err := tx.Identities.OfUser(id)
		for _, i := range list {
			tx.Delete(store.IdentityKey(i))
		}
		return err
	})
}

// ApplicationDeleted implements directory.Dependent. It removes the identities of the players of a deleted application, and its
// provisional users.
func (a *Accounts) ApplicationDeleted(ctx context.Context, id snowflake.Application) error {
	for {
		var list []store.Identity
		err := a.Store.Read(ctx, func(r store.Reader) (err error) {
			list, err = r.Identities.OfApplication(id, batchSize)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, i := range list {
			if err := a.remove(ctx, i); err != nil {
				return err
			}
		}
	}
}

// remove removes an identity, and its user if the user is provisional.
func (a *Accounts) remove(ctx context.Context, i store.Identity) error {
	u, err := a.Directory.Users.User(ctx, i.User)
	if err == nil && u.Provisional == i.Application {
		err = a.Directory.Users.Delete(ctx, i.User)
	}
	if err != nil && !errors.Is(err, directory.ErrUnknownUser) {
		return err
	}
	return store.Decide(ctx, a.Store, func(tx *store.Tx) error {
		known, err := tx.Identities.Identity(i.Hash)
		if err == nil {
			tx.Delete(store.IdentityKey(known))
		}
		return ignoring(err, store.ErrNotFound)
	})
}

// GuildDeleted implements directory.Dependent. It does nothing: players belong to no guild.
func (a *Accounts) GuildDeleted(context.Context, snowflake.Guild) error { return nil }

// ChannelDeleted implements directory.Dependent. It does nothing: players belong to no channel.
func (a *Accounts) ChannelDeleted(context.Context, store.Channel) error { return nil }

// ignoring returns err, or nil if it is ignored.
func ignoring(err, ignored error) error {
	if errors.Is(err, ignored) {
		return nil
	}
	return err
}

// Linked returns the identities of a user in all applications, for the page on which the user ends them.
func (a *Accounts) Linked(ctx context.Context, user snowflake.User) (list []store.Identity, err error) {
	err = a.Store.Read(ctx, func(r store.Reader) (err error) {
		list, err = r.Identities.OfUser(user)
		return err
	})
	return list, err
}

// Unlink takes a user's account apart from that of a player of an application. It does nothing if they are not merged.
func (a *Accounts) Unlink(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	return store.Decide(context.WithoutCancel(ctx), a.Store, func(tx *store.Tx) error {
		list, err := tx.Identities.Identities(app, user)
		if err != nil || len(list) == 0 {
			return err
		}
		return a.OAuth.RevokeIn(ctx, tx, app, user) // calls separate
	})
}
