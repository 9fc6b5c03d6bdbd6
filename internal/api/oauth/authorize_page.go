package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// consentPage is the page on which a user allows or declines a request.
type consentPage struct {
	*oauth.AuthorizationRequest

	Who         *store.User
	Form        string                // token
	Self        string                // path and query of the page
	Action      string                // the same as browsers reach it, to which the form is sent
	Scopes      []string              // what the scopes allow
	Permissions []describedPermission // of the bot
	Guilds      []directory.GuildView // in which the user may install the app
	Chosen      snowflake.Guild
	Fault       string // error message; empty: none
	Account     bool   // the app is installed for the account
	Target      string // description of the redirect URI
	InGuilds    bool   // the user can choose a guild
}

// authorizePage shows the consent page, or redirects at once with prompt=none.
func (a *API) authorizePage(w http.ResponseWriter, r *http.Request) error {
	asked, session, err := a.begin(w, r)
	if asked == nil || err != nil {
		return err
	}
	if asked.Silent {
		known, err := a.OAuth.Consented(r.Context(), asked, session.User)
		if err != nil {
			return err
		}
		if known {
			out, err := a.OAuth.Decide(r.Context(), asked, oauth.Choice{User: session.User, SignedIn: session.Since, Accept: true})
			if err != nil {
				return err
			}
			return redirect(w, out.Redirect)
		}
	}
	return a.showConsent(w, r, asked, session, http.StatusOK, "")
}

// begin returns the authorization request and the session of the user. If it returns no request, it has answered. An
// error is redirected only for a user who has signed in: otherwise an app could use this service to send anyone from a
// trusted address to its own.
func (a *API) begin(w http.ResponseWriter, r *http.Request) (*oauth.AuthorizationRequest, Session, error) {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return nil, Session{}, err
	}
	asked, err := a.ask(r)
	if refused, ok := errors.AsType[*oauth.Error](err); ok {
		if refused.Redirect != "" && session.User != 0 {
			return nil, Session{}, redirect(w, refused.Redirect)
		}
		return nil, Session{}, refuse(w, refused)
	}
	switch {
	case err != nil:
		return nil, Session{}, err
	case session.User == 0:
		return nil, Session{}, a.toSignIn(w, r.URL)
	case !a.recent(asked, session, r.URL):
		return nil, Session{}, a.toSignIn(w, r.URL)
	}
	return asked, session, nil
}

// requestLife bounds how long a request counts as the one that the user signed in for.
const requestLife = 10 * time.Minute

// recent reports whether the user signed in recently enough for a request: within max_age, or for this very request. The
// record of the session says so; nothing in the request can.
func (a *API) recent(asked *oauth.AuthorizationRequest, session Session, page *url.URL) bool {
	age := a.Sessions.now().Sub(session.Since)
	return asked.MaxAge == nil || age < *asked.MaxAge || age < requestLife && session.signedInFor == hashPage(pathAndQuery(page))
}

func pathAndQuery(page *url.URL) string { return page.Path + "?" + page.RawQuery }

// toSignIn redirects to the sign-in page, which leads back to this page.
func (a *API) toSignIn(w http.ResponseWriter, page *url.URL) error {
	return redirect(w, a.Sessions.at(SignInPath)+"?next="+url.QueryEscape(pathAndQuery(page)))
}

// showConsent shows the consent page, with an error message if fault is not empty.
func (a *API) showConsent(w http.ResponseWriter, r *http.Request, asked *oauth.AuthorizationRequest, session Session, status int, fault string) error {
	who, err := a.Directory.Users.User(r.Context(), session.User)
	if err != nil {
		return err
	}
	page := consentPage{
		AuthorizationRequest: asked, Who: who, Form: session.FormToken(), Self: self(r), Action: a.Sessions.at(self(r)), Scopes: describeScopes(asked.Scopes),
		Permissions: describePermissions(asked.Permissions), Chosen: asked.Guild, Fault: fault,
		Account: asked.Installs() && asked.Type == oauth.UserInstall, Target: target(asked.RedirectURI),
		InGuilds: asked.InGuild() || asked.TypeOpen,
	}
	if page.InGuilds {
		if page.Guilds, err = a.installGuilds(r.Context(), asked, session.User); err != nil {
			return err
		}
	}
	return show(w, status, "authorize", page)
}

// self returns the path and query of a page.
func self(r *http.Request) string {
	u := url.URL{Path: r.URL.Path, RawQuery: r.URL.RawQuery}
	return u.String()
}

// installGuilds returns the guilds in which a user may install an app.
func (a *API) installGuilds(ctx context.Context, asked *oauth.AuthorizationRequest, user snowflake.User) ([]directory.GuildView, error) {
	all, err := a.OAuth.Guilds(ctx, user)
	return slices.DeleteFunc(all, func(g directory.GuildView) bool {
		return !oauth.MayInstall(g) || asked.GuildFixed && g.Guild.ID != asked.Guild
	}), err
}

// target describes a redirect URI for users.
func target(uri string) string {
	u, err := url.Parse(uri)
	switch {
	case uri == "" || err != nil:
		return ""
	case u.Host == "":
		return "an app on this device (" + u.Scheme + ")"
	case u.Scheme == "http" && u.Hostname() == "127.0.0.1":
		return "a program on this computer"
	default:
		return u.Scheme + "://" + u.Host
	}
}

// decidePage handles the form of the consent page.
func (a *API) decidePage(w http.ResponseWriter, r *http.Request) error {
	asked, session, err := a.begin(w, r)
	if asked == nil || err != nil {
		return err
	}
	if readPageForm(w, r, session) != nil {
		return stale(w)
	}
	choice, ok := readPageChoice(r.PostForm, asked)
	if !ok {
		return a.showConsent(w, r, asked, session, http.StatusBadRequest, "The form could not be read. Choose again.")
	}
	choice.User, choice.SignedIn = session.User, session.Since
	out, err := a.OAuth.Decide(r.Context(), asked, choice)
	refused, isRefused := errors.AsType[*oauth.Error](err)
	switch {
	case isRefused && refused.Redirect != "":
		return handOver(w, refused.Redirect, asked.App.Name)
	case isRefused:
		return refuse(w, refused)
	case errors.Is(err, oauth.ErrNoGuild):
		return a.showConsent(w, r, asked, session, http.StatusBadRequest, "Choose a guild first.")
	case errors.Is(err, oauth.ErrMayNotInstall), errors.Is(err, directory.ErrHidden):
		return a.showConsent(w, r, asked, session, http.StatusForbidden, "You may not add apps to that guild. Choose another one.")
	case err != nil:
		if shown, err := showRefusal(w, asked.App.Name+" was not added", err); shown {
			return err
		}
		return err
	case out.Redirect != "":
		return handOver(w, out.Redirect, asked.App.Name)
	}
	return a.installed(w, r, asked, out)
}

// installed shows where the app was installed.
func (a *API) installed(w http.ResponseWriter, r *http.Request, asked *oauth.AuthorizationRequest, out oauth.Outcome) error {
	where := "your account"
	if out.Guild != 0 {
		guild, err := a.Directory.Guilds.State(r.Context(), out.Guild)
		if err != nil {
			return err
		}
		where = guild.Name
	}
	return show(w, http.StatusOK, "message", message{
		Title: asked.App.Name + " was added", Text: asked.App.Name + " was added to " + where + ". You can close this window.",
	})
}

// readPageChoice reads the form of the consent page. It returns false if the form is malformed.
func readPageChoice(form url.Values, asked *oauth.AuthorizationRequest) (oauth.Choice, bool) {
	c := oauth.Choice{}
	switch form.Get("decision") {
	case "accept":
		c.Accept = true
	case "cancel":
		return c, true
	default:
		return c, false
	}
	if text := form.Get("integration_type"); text != "" {
		n, err := strconv.ParseUint(text, 10, 8)
		if err != nil || !asked.TypeOpen || !asked.Choose(uint8(n)) {
			return c, false
		}
	}
	if text := form.Get("guild_id"); text != "" && asked.InGuild() {
		guild, err := snowflake.Parse[snowflake.Guild](text)
		if err != nil {
			return c, false
		}
		c.Guild = guild
	}
	var allowed permission.Bits
	for _, text := range form["permission"] {
		bit, err := permission.ParseBits(text)
		if err != nil {
			return c, false
		}
		allowed |= bit
	}
	c.Permissions = &allowed
	return c, true
}
