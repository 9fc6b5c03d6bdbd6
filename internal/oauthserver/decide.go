package oauthserver

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Choice is what a person says to what an application asks for.
type Choice struct {
	User     snowflake.User
	SignedIn time.Time // zero: not known
	Accept   bool
	Guild    snowflake.Guild // where to install; 0: the one that was asked for
	// Permissions are those of the bot; nil: the ones that were asked for. More than those cannot be given.
	Permissions *permission.Bits
}

// Outcome is what came of a choice.
type Outcome struct {
	// Back is where the browser goes with the answer; empty: there is no way back, and the person is told here.
	Back  string
	Guild snowflake.Guild // where the application was installed; 0: in none
}

// Consented reports whether a person has allowed all that is asked for before.
func (g *Grants) Consented(ctx context.Context, a *Ask, user snowflake.User) (bool, error) {
	var have store.Consent
	err := g.Store.Read(ctx, func(r store.Reader) (err error) {
		have, err = r.Grants.Consent(a.App.ID, user)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	return err == nil && !slices.ContainsFunc(a.Scopes, func(s string) bool { return !auth.Allows(have.Scopes, s) }), nil
}

// Guilds returns the guilds of a person, with what the person may do there.
func (g *Grants) Guilds(ctx context.Context, user snowflake.User) ([]directory.Stay, error) {
	return g.Directory.Stays(ctx, directory.Visitor{User: user}, 0, 0, directory.MaxPage)
}

// MayInstall reports whether somebody may install applications in the guild.
func MayInstall(s directory.Stay) bool { return s.Member.Permissions().Has(permission.ManageGuild) }

// Decide does what a person says: it installs the application where it asked to be, and makes the code or the token that
// it asked for, all of it or nothing. A person who declines is an *Error too.
func (g *Grants) Decide(ctx context.Context, a *Ask, c Choice) (Outcome, error) {
	if !c.Accept {
		return Outcome{}, a.refuse(&Error{
			Code: AccessDenied, Description: "The resource owner or authorization server denied the request",
		})
	}
	var out Outcome
	write := func(tx *store.Tx) (err error) {
		u := &unit{tx, g.now()}
		out, err = u.accept(a, c)
		return err
	}
	if !a.Installs() {
		err := store.Decide(ctx, g.Store, write)
		return out, err
	}
	if a.Type == UserInstall {
		in := world.UserInstall{User: c.User, Application: a.App.ID, Scopes: []string{auth.ScopeCommands}}
		err := g.Directory.AddUserInstall(ctx, in, write)
		return out, err
	}
	if err := g.place(ctx, a, &c); err != nil {
		return Outcome{}, err
	}
	in := world.GuildInstall{Application: a.App.ID, Permissions: *c.Permissions, Scopes: []string{auth.ScopeCommands}}
	if a.Bot() {
		in.Scopes = append(in.Scopes, auth.ScopeBot)
	}
	err := g.Directory.AddGuildInstall(ctx, c.Guild, in, write)
	return out, err
}

// place completes where a bot goes and what it may do there, and asks whether the person may put it there.
func (g *Grants) place(ctx context.Context, a *Ask, c *Choice) error {
	if c.Guild == 0 || a.GuildFixed {
		c.Guild = a.Guild
	}
	if c.Guild == 0 {
		return ErrNoGuild
	}
	permissions := a.Permissions
	if c.Permissions != nil {
		permissions &= *c.Permissions
	}
	c.Permissions = &permissions
	stay, err := g.Directory.Enter(ctx, c.Guild, directory.Visitor{User: c.User})
	if errors.Is(err, directory.ErrUnknownGuild) {
		return directory.ErrHidden
	}
	if err != nil {
		return err
	}
	if !MayInstall(stay) {
		return ErrMayNotInstall
	}
	return nil
}

// accept records the consent and makes what was asked for.
func (u *unit) accept(a *Ask, c Choice) (Outcome, error) {
	if err := u.checkParties(a, c); err != nil {
		return Outcome{}, err
	}
	if err := u.consent(a.App.ID, c.User, a.Scopes); err != nil {
		return Outcome{}, err
	}
	var out Outcome
	var where []pair
	if a.InGuild() {
		out.Guild = c.Guild
		where = []pair{{"guild_id", c.Guild.String()}, {"permissions", c.Permissions.String()}}
	}
	switch a.Response {
	case CodeResponse:
		text := auth.NewCode()
		code := store.Code{
			Hash: auth.Hash(text.Reveal()), Application: a.App.ID, User: c.User, Scopes: a.Scopes, RedirectURI: a.sent,
			Challenge: a.challenge, Nonce: a.nonce, SignedIn: c.SignedIn, Expires: u.now.Add(codeLife), Until: u.now.Add(codeLife),
		}
		if a.Bot() {
			code.Guild, code.Permissions = c.Guild, *c.Permissions
		}
		out.Back = a.back(append([]pair{{"code", text.Reveal()}}, where...))
		return out, u.Put(code)
	case TokenResponse:
		token, credential := auth.NewAccess(a.App.ID, c.User, a.Scopes, u.now)
		out.Back = a.back(append([]pair{
			{"access_token", token.Reveal()},
			{"token_type", "Bearer"},
			{"expires_in", strconv.Itoa(int(auth.AccessTokenLife.Seconds()))},
			{"scope", scopeText(a.Scopes)},
		}, where...))
		return out, u.putAccess(credential)
	case NoResponse:
	}
	if a.RedirectURI != "" {
		out.Back = a.back(where)
	}
	return out, nil
}

// checkParties returns an error when the application or the user was deleted after the request was judged.
func (u *unit) checkParties(a *Ask, c Choice) error {
	err := u.checkOwners(a.App.ID, 0)
	if errors.Is(err, store.ErrNotFound) {
		return invalidParameter("client_id")
	}
	if err == nil {
		_, err = u.Directory.User(c.User)
	}
	if errors.Is(err, store.ErrNotFound) {
		return directory.ErrUnknownUser
	}
	return err
}

// consent adds to what a user has allowed an application.
func (u *unit) consent(app snowflake.Application, user snowflake.User, scopes []string) error {
	have, err := u.Grants.Consent(app, user)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil {
		have = store.Consent{Application: app, User: user, Made: u.now}
	}
	have.Scopes = slices.Concat(have.Scopes, scopes)
	slices.Sort(have.Scopes)
	have.Scopes = slices.Compact(have.Scopes)
	return u.Put(have)
}
