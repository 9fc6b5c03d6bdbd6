package oauth

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Choice is a user's answer to an authorization request.
type Choice struct {
	User     snowflake.User
	SignedIn time.Time // zero: not known
	Accept   bool
	Guild    snowflake.Guild // where to install; 0: the guild of the request
	// Permissions of the bot. nil means those of the request. They are limited to those of the request, and to those
	// that the user has in the guild.
	Permissions *permission.Bits
}

// Outcome is the result of a choice.
type Outcome struct {
	// Redirect is the URL to which the browser goes. It is empty when the request has no redirect URI.
	Redirect string
	Guild    snowflake.Guild // where the application was installed; 0: in no guild
}

// Consented reports whether a user has granted all scopes of a request before.
func (s *Server) Consented(ctx context.Context, a *AuthorizationRequest, user snowflake.User) (bool, error) {
	var have store.Consent
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		have, err = r.Grants.Consent(a.App.ID, user)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	return err == nil && !slices.ContainsFunc(a.Scopes, func(s string) bool { return !auth.Allows(have.Scopes, s) }), nil
}

// Guilds returns the guilds of a user with the user's permissions.
func (s *Server) Guilds(ctx context.Context, user snowflake.User) ([]directory.GuildView, error) {
	return s.Directory.Guilds.Visible(ctx, directory.Viewer{User: user}, 0, 0, directory.MaxPage)
}

// MayInstall reports whether the viewer may install applications in the guild.
func MayInstall(v directory.GuildView) bool {
	return v.Member.Permissions().Has(permission.ManageGuild)
}

// Decide carries out a user's choice. In one transaction it installs the application and creates the requested code or
// token. When the user declines, it returns an *Error.
func (s *Server) Decide(ctx context.Context, a *AuthorizationRequest, c Choice) (Outcome, error) {
	if !c.Accept {
		return Outcome{}, a.refuse(&Error{
			Code: AccessDenied, Description: "The resource owner or authorization server denied the request",
		})
	}
	var out Outcome
	write := func(tx *store.Tx) (err error) {
		out, err = s.transaction(ctx, tx).accept(a, c)
		return err
	}
	if !a.Installs() {
		err := store.Decide(ctx, s.Store, write)
		return out, err
	}
	if a.Type == UserInstall {
		in := world.UserInstall{User: c.User, Application: a.App.ID, Scopes: []string{auth.ScopeCommands}}
		about := hooks.InstallData{Application: a.App.ID, User: c.User, Scopes: in.Scopes}
		err := s.withHooks(ctx, about, store.UserSubject(c.User), write, func(write func(*store.Tx) error) error {
			return s.Directory.Users.AddInstall(ctx, in, write)
		})
		return out, err
	}
	if err := s.completeGuild(ctx, a, &c); err != nil {
		return Outcome{}, err
	}
	in := world.GuildInstall{Application: a.App.ID, Permissions: *c.Permissions, Scopes: []string{auth.ScopeCommands}}
	if a.Bot() {
		in.Scopes = append(in.Scopes, auth.ScopeBot)
	}
	about := hooks.InstallData{Application: a.App.ID, User: c.User, Guild: c.Guild, Scopes: in.Scopes, Permissions: in.Permissions.String()}
	err := s.withHooks(ctx, about, store.GuildSubject(c.Guild), write, func(write func(*store.Tx) error) error {
		return s.Directory.Guilds.AddInstall(ctx, c.Guild, in, write)
	})
	return out, err
}

// withHooks calls the hooks before an install, and then install with a function that also writes the calls after it.
func (s *Server) withHooks(
	ctx context.Context, about hooks.InstallData, subject store.Subject, write func(*store.Tx) error, install func(write func(*store.Tx) error) error,
) error {
	if _, err := s.Hooks.Before(ctx, hooks.Install, about); err != nil {
		return err
	}
	return install(func(tx *store.Tx) error {
		if err := write(tx); err != nil {
			return err
		}
		return s.Hooks.AfterTx(tx, hooks.Install, subject, about)
	})
}

// completeGuild sets the guild and the permissions of an install, and checks that the user may install there. A user
// cannot give a bot more permissions than the user has. The owner and administrators have all of them. A bot that is
// installed already keeps its permissions, unless the user may edit its role.
func (s *Server) completeGuild(ctx context.Context, a *AuthorizationRequest, c *Choice) error {
	if c.Guild == 0 || a.GuildFixed {
		c.Guild = a.Guild
	}
	if c.Guild == 0 {
		return ErrNoGuild
	}
	view, err := s.Directory.Guilds.View(ctx, c.Guild, directory.Viewer{User: c.User})
	if errors.Is(err, directory.ErrUnknownGuild) {
		return directory.ErrHidden
	}
	if err != nil {
		return err
	}
	if !MayInstall(view) {
		return ErrMayNotInstall
	}
	permissions := a.Permissions & view.Member.Permissions()
	if c.Permissions != nil {
		permissions &= *c.Permissions
	}
	old, err := s.Directory.Guilds.Install(ctx, c.Guild, a.App.ID)
	switch {
	case err == nil && !mayLower(view, a.App.ID):
		permissions |= old.Permissions
	case err != nil && !errors.Is(err, directory.ErrNotInstalled):
		return err
	}
	c.Permissions = &permissions
	return nil
}

// mayLower reports whether the viewer may take permissions from the bot of an application: the viewer may edit its role.
func mayLower(v directory.GuildView, app snowflake.Application) bool {
	role, err := directory.FindRole(v.Guild.Roles, func(r store.Role) bool { return r.Managed == app })
	return err != nil || v.Member.MayEditRole(permission.Role{ID: role.ID, Permissions: role.Permissions, Position: role.Position}, 0).Allowed
}

// accept stores the consent and creates the requested code or token.
func (t *transaction) accept(a *AuthorizationRequest, c Choice) (Outcome, error) {
	if err := t.checkParties(a, c); err != nil {
		return Outcome{}, err
	}
	if err := t.consent(a.App.ID, c.User, a.Scopes); err != nil {
		return Outcome{}, err
	}
	var out Outcome
	var install []pair
	if err := t.tellConsent(a, c); err != nil {
		return Outcome{}, err
	}
	if a.InGuild() {
		out.Guild = c.Guild
		install = []pair{{"guild_id", c.Guild.String()}, {"permissions", c.Permissions.String()}}
	}
	switch a.Response {
	case CodeResponse:
		text := auth.NewCode()
		code := store.Code{
			Hash: auth.Hash(text.Reveal()), Application: a.App.ID, User: c.User, Scopes: a.Scopes, RedirectURI: a.sent,
			Challenge: a.challenge, Nonce: a.nonce, SignedIn: c.SignedIn, Expires: t.now.Add(codeLife), Until: t.now.Add(codeLife),
		}
		if a.Bot() {
			code.Guild, code.Permissions = c.Guild, *c.Permissions
		}
		out.Redirect = a.redirect(append([]pair{{"code", text.Reveal()}}, install...))
		return out, t.Put(code)
	case TokenResponse:
		token, credential := auth.NewAccess(a.App.ID, c.User, a.Scopes, t.now)
		out.Redirect = a.redirect(append([]pair{
			{"access_token", token.Reveal()},
			{"token_type", "Bearer"},
			{"expires_in", strconv.Itoa(int(auth.AccessTokenLife.Seconds()))},
			{"scope", scopeText(a.Scopes)},
		}, install...))
		return out, t.putAccess(credential)
	case NoResponse:
	}
	if a.RedirectURI != "" {
		out.Redirect = a.redirect(install)
	}
	return out, nil
}

// checkParties returns an error when the application or the user was deleted after the request was checked.
func (t *transaction) checkParties(a *AuthorizationRequest, c Choice) error {
	err := t.checkOwners(a.App.ID, 0)
	if errors.Is(err, store.ErrNotFound) {
		return invalidParameter("client_id")
	}
	if err == nil {
		_, err = t.Directory.User(c.User)
	}
	if errors.Is(err, store.ErrNotFound) {
		return directory.ErrUnknownUser
	}
	return err
}

// consent adds scopes to the consent of a user to an application.
func (t *transaction) consent(app snowflake.Application, user snowflake.User, scopes []string) error {
	have, err := t.Grants.Consent(app, user)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	var before any // nil: the first consent
	if err != nil {
		have = store.Consent{Application: app, User: user, Created: t.now}
	} else {
		before = consentInfo{have.Scopes}
	}
	have.Scopes = slices.Concat(have.Scopes, scopes)
	slices.Sort(have.Scopes)
	have.Scopes = slices.Compact(have.Scopes)
	if err := t.record(consentEntry("consent.grant", app, user, before, consentInfo{have.Scopes})); err != nil {
		return err
	}
	return t.Put(have)
}

// endConsent removes the consent of a user to an application.
func (t *transaction) endConsent(app snowflake.Application, user snowflake.User) error {
	have, err := t.Grants.Consent(app, user)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	t.Delete(store.ConsentKey(app, user))
	if err := t.record(consentEntry("consent.revoke", app, user, consentInfo{have.Scopes}, nil)); err != nil {
		return err
	}
	if err := t.tellDeauthorized(app, user); !errors.Is(err, store.ErrNotFound) { // one of them is being deleted
		return err
	}
	return nil
}

// consentInfo has the members of a consent in the audit log.
type consentInfo struct {
	Scopes []string `json:"scopes"`
}

// consentEntry returns the entry of the audit log about a consent. before and after are a consentInfo or nil.
func consentEntry(action string, app snowflake.Application, user snowflake.User, before, after any) audit.Entry {
	return audit.Entry{
		Action: action, Target: "user/" + user.String() + "/consent/" + app.String(), Before: before, After: after,
	}
}
