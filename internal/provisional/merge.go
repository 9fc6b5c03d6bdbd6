package provisional

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Merge returns the function that merges the provisional user of a player with the user who signs in, in the decision that issues
// the user's token. The player is named by an ID token of the application's provider, or by an access token of the provisional
// user.
func (a *Accounts) Merge(ctx context.Context, client oauth.Client, idToken, access string) (func(*store.Tx, snowflake.User) error, error) {
	app, err := a.OAuth.AuthenticateClient(ctx, client)
	if err != nil {
		return nil, err
	}
	if app.NoProvisional {
		return nil, apierror.ProvisionalOff
	}
	id := store.Identity{Application: app.ID}
	if idToken != "" {
		if _, id, err = a.verify(ctx, app, idToken); err != nil {
			if _, known := errors.AsType[*apierror.Error](err); known {
				err = apierror.InvalidAccessToken
			}
			return nil, err
		}
	}
	return func(tx *store.Tx, user snowflake.User) error {
		known, err := a.find(tx, id, access)
		if err != nil {
			return err
		}
		return a.merge(ctx, tx, known, user)
	}, nil
}

// find returns the stored identity of a player, or a new one with user 0 for an ID token of a new player.
func (a *Accounts) find(tx *store.Tx, id store.Identity, access string) (store.Identity, error) {
	if access == "" {
		known, err := tx.Identities.Identity(id.Hash)
		if errors.Is(err, store.ErrNotFound) {
			return id, nil
		}
		return known, err
	}
	user, err := a.OAuth.TokenUser(tx, id.Application, access)
	if err != nil {
		return id, notFoundAs(err, apierror.InvalidAccessToken)
	}
	list, err := tx.Identities.Identities(id.Application, user)
	if err == nil && len(list) == 0 {
		err = apierror.MergeSource
	}
	if err != nil {
		return id, err
	}
	return list[0], nil
}

// merge gives the identity of a player to a user, and begins the transfer of the lobbies of the provisional user.
func (a *Accounts) merge(ctx context.Context, tx *store.Tx, id store.Identity, user snowflake.User) error {
	if id.User == user {
		return nil // it was merged before
	}
	to, err := tx.Directory.User(user)
	if err != nil {
		return err
	}
	if to.Provisional != 0 {
		return apierror.MergeDestination
	}
	own, err := tx.Identities.Identities(id.Application, user)
	if err == nil && len(own) > 0 {
		err = apierror.AlreadyMerged
	}
	if err != nil {
		return err
	}
	from := id.User
	if from != 0 {
		source, err := tx.Directory.User(from)
		switch {
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return err
		case err == nil && source.Provisional == 0:
			return apierror.MergeSource
		case err == nil:
			if err := a.take(tx, id, user); err != nil {
				return err
			}
		}
	}
	id.User = user
	return errors.Join(tx.Put(id), a.record(ctx, tx, "identity.merge", id))
}

// take ends the tokens of the user of an identity, and begins the transfer of the user's lobbies to another user.
func (a *Accounts) take(tx *store.Tx, id store.Identity, to snowflake.User) error {
	if err := auth.RevokeOthers(tx, store.TokenHash{}, store.BearerToken, id.Application, id.User); err != nil {
		return err
	}
	tx.Delete(store.IdentityKey(id))
	return tx.Put(store.Transfer{
		Application: id.Application, From: id.User, To: to, Operation: a.IDs.Next(), Created: a.Clock.Now().UTC(),
	})
}

// UnmergeNamed takes the account of a player whom the application names apart from the user that it was merged with.
func (a *Accounts) UnmergeNamed(ctx context.Context, app snowflake.Application, player string) error {
	return a.unmerge(ctx, a.identity(app, DiscordBot, "", player))
}

// Unmerge takes the account of a player apart from the user that it was merged with. An ID token names the player.
func (a *Accounts) Unmerge(ctx context.Context, client oauth.Client, token string) error {
	app, err := a.client(ctx, client)
	if err != nil {
		return err
	}
	_, id, err := a.verify(ctx, app, token)
	if err != nil {
		return err
	}
	return a.unmerge(ctx, id)
}

func (a *Accounts) unmerge(ctx context.Context, id store.Identity) error {
	return store.Decide(context.WithoutCancel(ctx), a.Store, func(tx *store.Tx) error {
		known, err := tx.Identities.Identity(id.Hash)
		if err != nil {
			return notFoundAs(err, directory.ErrUnknownUser)
		}
		u, err := tx.Directory.User(known.User)
		switch {
		case err != nil:
			return notFoundAs(err, directory.ErrUnknownUser)
		case u.Provisional != 0:
			return apierror.UnmergeOfProvisional
		}
		return a.OAuth.RevokeIn(ctx, tx, known.Application, known.User) // calls separate
	})
}

// separate gives the identity of a user whose access to an application has ended to a new provisional user, who takes over the
// user's lobbies. It does nothing for other users.
func (a *Accounts) separate(ctx context.Context, tx *store.Tx, app snowflake.Application, user snowflake.User) error {
	list, err := tx.Identities.Identities(app, user)
	if err != nil || len(list) == 0 {
		return err
	}
	merged, err := tx.Directory.User(user)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the user is being deleted
	}
	if err != nil || merged.Provisional != 0 {
		return err
	}
	made, err := a.create(ctx, tx, list[0], merged.GlobalName)
	if err != nil {
		return err
	}
	tx.End(store.IdentitiesSubject(app, user))
	return tx.Put(store.Transfer{Application: app, From: user, To: made.ID, Created: a.Clock.Now().UTC()})
}

func notFoundAs(err, missing error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return err
}
