// Package provisional provides the accounts that applications make for players who have none. A provisional user belongs to one
// application and stands for a player at an identity provider, or for one that the application itself names. It can be merged with a
// user who signs in, and taken apart again. The package does not know HTTP.
package provisional

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// The types of identity providers.
const (
	OIDC       = "OIDC"
	DiscordBot = "DISCORD_BOT" // the application itself, with its bot token
)

// Config has the dependencies of the service. All fields are required, except Audit and Hooks.
type Config struct {
	Store     store.Store
	Directory *directory.Directory
	OAuth     *oauth.Server
	Clock     clock.Clock
	Wall      clock.Clock // the system's time, also when dev controls move Clock
	IDs       interface{ Next() uint64 }
	Log       *slog.Logger
	Audit     *audit.Log
	Hooks     *hooks.Hooks // may be nil
	// Verify checks the ID token of a player of an application that has an OpenID provider. It returns an *apierror.Error for
	// a token that is not valid.
	Verify func(ctx context.Context, app *store.Application, token string) (idp.Player, error)
	// Transfer makes a user take over the lobbies of another user in an application.
	Transfer func(ctx context.Context, app snowflake.Application, from, to snowflake.User) error
}

// Accounts provides provisional accounts. It is safe for concurrent use.
type Accounts struct {
	Config
	*clock.Sweeper
}

// New returns the service. It must be called before the first commit. It takes part in the decisions of c.OAuth that end the access
// of an application.
func New(c Config) *Accounts {
	a := &Accounts{Config: c}
	a.Sweeper = clock.NewSweeper(c.Wall, c.Log, "transfers of lobbies", a.finishTransfers)
	c.OAuth.Revoked = a.separate
	c.Store.Subscribe(a.committed)
	return a
}

// Token is the answer to a player who signs in.
type Token struct {
	Access auth.Secret
	ID     auth.Secret
	Scopes []string
}

// LinkedError says that a player has an account that is not provisional, and signs in with it.
type LinkedError struct{ store.Identity }

func (e *LinkedError) Error() string {
	return "User account is non-provisional and should be authed through OAuth2"
}

// maxTaken bounds how many ids of existing users create skips.
const maxTaken = 100

// SignInNamed signs in a player whom the application names. A name that is set becomes the display name; null removes it.
func (a *Accounts) SignInNamed(
	ctx context.Context, app snowflake.Application, player string, name optional.Value[string],
) (Token, error) {
	stored, err := a.Directory.Applications.Application(ctx, app)
	if err != nil {
		return Token{}, err
	}
	if stored.NoProvisional {
		return Token{}, apierror.ProvisionalOff
	}
	return a.signIn(ctx, a.identity(app, DiscordBot, "", player), name, "")
}

// SignIn signs in a player with an ID token of the application's provider.
func (a *Accounts) SignIn(ctx context.Context, client oauth.Client, token string) (Token, error) {
	app, err := a.client(ctx, client)
	if err != nil {
		return Token{}, err
	}
	player, id, err := a.verify(ctx, app, token)
	if err != nil {
		return Token{}, err
	}
	return a.signIn(ctx, id, optional.Value[string]{}, player.Name)
}

// client returns the application of a client.
func (a *Accounts) client(ctx context.Context, client oauth.Client) (*store.Application, error) {
	app, err := a.OAuth.AuthenticateClient(ctx, client)
	if _, refused := errors.AsType[*oauth.Error](err); refused {
		return nil, apierror.WrongClientSecret
	}
	return app, err
}

// verify checks an ID token and returns the identity of its player.
func (a *Accounts) verify(ctx context.Context, app *store.Application, token string) (idp.Player, store.Identity, error) {
	switch {
	case app.NoProvisional:
		return idp.Player{}, store.Identity{}, apierror.ProvisionalOff
	case app.PlayerIssuer == "":
		return idp.Player{}, store.Identity{}, apierror.ProviderUnreachable
	}
	player, err := a.Verify(ctx, app, token)
	return player, a.identity(app.ID, OIDC, player.Issuer, player.Subject), err
}

func (a *Accounts) identity(app snowflake.Application, provider, issuer, subject string) store.Identity {
	return store.Identity{
		Hash: store.IdentityHash(app, provider, issuer, subject), Application: app, Provider: provider, Issuer: issuer, Subject: subject,
		Created: a.Clock.Now().UTC(),
	}
}

// signIn issues a token to the provisional user of a player, and creates the user at the first sign-in. preferred is the name of a
// user that it creates.
func (a *Accounts) signIn(ctx context.Context, id store.Identity, name optional.Value[string], preferred string) (Token, error) {
	about := hooks.SignInData{Method: hooks.AsPlayer, Application: id.Application, Issuer: id.Issuer, Subject: id.Subject}
	if err := a.askHooks(ctx, id, about); err != nil {
		return Token{}, err
	}
	var issued oauth.Token
	var user snowflake.User
	err := a.Directory.Update(context.WithoutCancel(ctx), func(tx *directory.Tx) error {
		u, err := a.userOf(tx.Tx, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			u, err = a.create(ctx, tx.Tx, id, name.Or(preferred))
		case err == nil && !name.IsZero() && u.GlobalName != name.Or(""):
			u.GlobalName = name.Or("")
			err = directory.UserKind.Put(tx, u)
		}
		if err != nil {
			return err
		}
		user = u.ID
		if issued, err = a.OAuth.IssueToPlayer(ctx, tx.Tx, id.Application, user); err != nil {
			return err
		}
		about.User = user
		return a.Hooks.AfterTx(tx.Tx, hooks.SignIn, store.UserSubject(user), about)
	})
	if err != nil {
		return Token{}, err
	}
	t := Token{Access: issued.AccessToken, Scopes: issued.Scopes}
	t.ID, err = a.OAuth.PlayerIDToken(ctx, id.Application, user, t.Access)
	return t, err
}

// askHooks calls the hooks before the sign-in of a player.
func (a *Accounts) askHooks(ctx context.Context, id store.Identity, about hooks.SignInData) error {
	if !a.Hooks.Asks(hooks.SignIn) {
		return nil
	}
	err := a.Store.Read(ctx, func(r store.Reader) error {
		known, err := r.Identities.Identity(id.Hash)
		about.User = known.User
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	_, err = a.Hooks.Before(ctx, hooks.SignIn, about)
	return err
}

// userOf returns the provisional user of a player, store.ErrNotFound for a new player, or a *LinkedError.
func (a *Accounts) userOf(tx *store.Tx, id store.Identity) (store.User, error) {
	known, err := tx.Identities.Identity(id.Hash)
	if err != nil {
		return store.User{}, err
	}
	u, err := tx.Directory.User(known.User) // a deleted user gets a new one
	if err == nil && u.Provisional == 0 {
		err = &LinkedError{known}
	}
	return u, err
}

// create makes the provisional user of a player in a decision.
func (a *Accounts) create(ctx context.Context, tx *store.Tx, id store.Identity, name string) (store.User, error) {
	for range maxTaken {
		made := snowflake.User(a.IDs.Next())
		_, err := directory.ReadUser(tx.Reader, made)
		if err == nil {
			continue // an application can name any id in a lobby, also one that was not yet issued
		}
		if !errors.Is(err, store.ErrNotFound) {
			return store.User{}, err
		}
		u := store.User{
			ID: made, Username: "user_" + made.String(), GlobalName: name, Locale: locale.EnglishUS, Provisional: id.Application,
		}
		id.User = made
		return u, errors.Join(tx.Put(u, id), a.record(ctx, tx, "identity.create", id))
	}
	return store.User{}, apierror.NoFreeUsername
}

// record adds an entry about the identity of a player to the audit log.
func (a *Accounts) record(ctx context.Context, tx *store.Tx, action string, id store.Identity) error {
	return a.Audit.Add(ctx, tx, audit.Entry{
		Actor: "application:" + id.Application.String(), Action: action,
		Target: "application/" + id.Application.String() + "/player/" + id.User.String(),
		After: struct {
			Provider string         `json:"provider"`
			User     snowflake.User `json:"user"`
		}{id.Provider, id.User},
	})
}

// Rename sets the display name of a provisional user. An empty name removes it.
func (a *Accounts) Rename(ctx context.Context, user snowflake.User, name string) (*store.User, error) {
	var renamed store.User
	err := a.Directory.Update(context.WithoutCancel(ctx), func(tx *directory.Tx) error {
		u, err := tx.User(user)
		if err != nil {
			return err
		}
		renamed = *u
		if renamed.Provisional == 0 {
			return apierror.MissingPermission
		}
		if renamed.GlobalName == name {
			return nil
		}
		renamed.GlobalName = name
		return directory.UserKind.Put(tx, renamed)
	})
	return &renamed, err
}
