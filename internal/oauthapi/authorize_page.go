package oauthapi

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/signin"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// ask is the consent page.
type ask struct {
	*oauthserver.Ask

	Who      *directory.User
	Form     string       // token
	Self     template.URL // address of the page, which its form is sent to
	Words    []string
	Bits     []allowance
	Guilds   []directory.Stay // that the person may install in
	Chosen   snowflake.Guild
	Fault    string // what is wrong with what was sent
	Account  bool   // the account is chosen
	Target   string // where the browser goes afterwards
	InGuilds bool   // a guild can be chosen
}

// Authorize shows what an app asks for.
func (p *Pages) Authorize(w http.ResponseWriter, r *http.Request) error {
	asked, v, err := p.begin(w, r)
	if asked == nil || err != nil {
		return err
	}
	if asked.Silent {
		known, err := p.Grants.Consented(r.Context(), asked, v.User)
		if err != nil {
			return err
		}
		if known {
			out, err := p.Grants.Decide(r.Context(), asked, oauthserver.Choice{User: v.User, SignedIn: v.Since, Accept: true})
			if err != nil {
				return err
			}
			return redirect(w, out.Back)
		}
	}
	return p.showAsk(w, r, asked, v, http.StatusOK, "")
}

// begin reads what is asked for and who is asked. It answers the request itself when it returns no Ask.
func (p *Pages) begin(w http.ResponseWriter, r *http.Request) (*oauthserver.Ask, signin.Visit, error) {
	var asked *oauthserver.Ask
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = &oauthserver.Error{Code: oauthserver.InvalidRequest, Description: "The query is malformed."}
	} else {
		asked, err = p.Grants.Ask(r.Context(), q)
	}
	if refused, ok := errors.AsType[*oauthserver.Error](err); ok {
		if refused.Back != "" {
			return nil, signin.Visit{}, redirect(w, refused.Back)
		}
		return nil, signin.Visit{}, refuse(w, refused)
	}
	if err != nil {
		return nil, signin.Visit{}, err
	}
	v, err := p.Door.Visit(r)
	if err == nil && v.User == 0 {
		return nil, signin.Visit{}, toSignIn(w, r)
	}
	return asked, v, err
}

// toSignIn sends the browser to sign in and back here.
func toSignIn(w http.ResponseWriter, r *http.Request) error {
	return redirect(w, SignInPath+"?next="+url.QueryEscape(r.URL.Path+"?"+r.URL.RawQuery))
}

// showAsk shows the consent page, with a fault of what was sent if there is one.
func (p *Pages) showAsk(w http.ResponseWriter, r *http.Request, a *oauthserver.Ask, v signin.Visit, status int, fault string) error {
	who, err := p.Directory.User(r.Context(), v.User)
	if err != nil {
		return err
	}
	page := ask{
		Ask: a, Who: who, Form: v.FormToken(), Self: self(r), Words: wordsFor(a.Scopes), Bits: allowances(a.Permissions),
		Chosen: a.Guild, Fault: fault, Account: a.Installs() && a.Type == oauthserver.UserInstall, Target: target(a.RedirectURI),
		InGuilds: a.InGuild() || a.TypeOpen,
	}
	if page.InGuilds {
		if page.Guilds, err = p.guilds(r.Context(), a, v.User); err != nil {
			return err
		}
	}
	return show(w, status, "authorize", page)
}

// self returns the address of a page within this service.
func self(r *http.Request) template.URL {
	u := url.URL{Path: r.URL.Path, RawQuery: r.URL.RawQuery}
	return template.URL(u.String()) //nolint:gosec // a path of this service
}

// guilds returns the guilds that a person may install an app in.
func (p *Pages) guilds(ctx context.Context, a *oauthserver.Ask, user snowflake.User) ([]directory.Stay, error) {
	all, err := p.Grants.Guilds(ctx, user)
	return slices.DeleteFunc(all, func(s directory.Stay) bool {
		return !oauthserver.MayInstall(s) || a.GuildFixed && s.Place.ID != a.Guild
	}), err
}

// target names where a redirect URI leads, as people read it.
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

// Decide takes what a person says.
func (p *Pages) Decide(w http.ResponseWriter, r *http.Request) error {
	asked, v, err := p.begin(w, r)
	if asked == nil || err != nil {
		return err
	}
	if readPageForm(w, r, v) != nil {
		return stale(w)
	}
	choice, ok := readPageChoice(r.PostForm, asked)
	if !ok {
		return p.showAsk(w, r, asked, v, http.StatusBadRequest, "Choose again: what was sent cannot be read.")
	}
	choice.User, choice.SignedIn = v.User, v.Since
	out, err := p.Grants.Decide(r.Context(), asked, choice)
	refused, isRefused := errors.AsType[*oauthserver.Error](err)
	switch {
	case isRefused && refused.Back != "":
		return handOver(w, refused.Back, asked.App.Name)
	case isRefused:
		return refuse(w, refused)
	case errors.Is(err, oauthserver.ErrNoGuild):
		return p.showAsk(w, r, asked, v, http.StatusBadRequest, "Choose a guild first.")
	case errors.Is(err, oauthserver.ErrMayNotInstall), errors.Is(err, directory.ErrHidden):
		return p.showAsk(w, r, asked, v, http.StatusForbidden, "You may not add apps to that guild. Choose another one.")
	case err != nil:
		return err
	case out.Back != "":
		return handOver(w, out.Back, asked.App.Name)
	}
	return p.done(w, r, asked, out)
}

// done tells what was installed.
func (p *Pages) done(w http.ResponseWriter, r *http.Request, a *oauthserver.Ask, out oauthserver.Outcome) error {
	where := "your account"
	if out.Guild != 0 {
		guild, err := p.Directory.Guild(r.Context(), out.Guild)
		if err != nil {
			return err
		}
		where = guild.Name
	}
	return show(w, http.StatusOK, "message", message{
		Title: a.App.Name + " was added", Text: a.App.Name + " was added to " + where + ". You can close this window.",
	})
}

// readChoice reads what a person says, and reports whether it can be read.
func readPageChoice(form url.Values, a *oauthserver.Ask) (oauthserver.Choice, bool) {
	c := oauthserver.Choice{}
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
		if err != nil || !a.TypeOpen || !a.Choose(uint8(n)) {
			return c, false
		}
	}
	if text := form.Get("guild_id"); text != "" && a.InGuild() {
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
