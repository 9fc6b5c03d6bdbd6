package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Paths of the pages for signing in.
const (
	SignInPath   = "/oauth2/signin"
	signOutPath  = "/oauth2/signout"
	upstreamPath = "/oauth2/signin/upstream"
)

// maxChoices bounds the users that the sign-in page lists in development.
const maxChoices = 100

// signInPage is the page for signing in.
type signInPage struct {
	Form      string // token
	Next      string // path to continue at
	Users     []store.User
	Providers []ProviderLink
	Fault     string // error message; empty: none
}

// ProviderLink is a link that begins a sign-in at a provider. URL is a path of the service.
type ProviderLink struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// LinkTo returns the link with which users sign in at a provider, and continue at next.
func LinkTo(p idp.Provider, next string) ProviderLink {
	return ProviderLink{p.Title(), upstreamPath + "?" + url.Values{"provider": {p.ID}, "next": {next}}.Encode()}
}

// OperatorLinks returns the links with which operators sign in to the console.
func OperatorLinks(providers []idp.Provider) []ProviderLink {
	var links []ProviderLink
	for _, p := range providers {
		if p.Operators.Claim != "" {
			links = append(links, ProviderLink{p.Title(), upstreamPath + "?" + url.Values{"provider": {p.ID}, "as": {asOperator}, "next": {"/"}}.Encode()})
		}
	}
	return links
}

// asOperator is the value of the parameter "as" for operators.
const asOperator = "operator"

// getSignInPage shows the sign-in page.
func (a *API) getSignInPage(w http.ResponseWriter, r *http.Request) error {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	return a.showSignIn(w, r, session, http.StatusOK, LocalPath(r.URL.Query().Get("next"), "/"), "")
}

func (a *API) showSignIn(w http.ResponseWriter, r *http.Request, session Session, status int, next, fault string) error {
	page := signInPage{Next: next, Fault: fault}
	if a.Sessions.Choose {
		var err error
		if page.Users, err = a.Directory.Users.List(r.Context(), 0, maxChoices); err != nil {
			return err
		}
		page.Users = slices.DeleteFunc(page.Users, func(u store.User) bool { return u.Provisional != 0 })
	}
	for _, u := range a.Sessions.Upstreams {
		link := LinkTo(u.Provider, next)
		link.URL = a.Sessions.at(link.URL)
		page.Providers = append(page.Providers, link)
	}
	page.Form = a.Sessions.Begin(w, session).FormToken()
	return show(w, status, "signin", page)
}

// waitTurn waits until an attempt with a token may begin. It returns false if too many attempts wait already, and for how long
// they do.
func (a *API) waitTurn(ctx context.Context, from netip.Addr, token auth.Secret) (time.Duration, bool) {
	wait, ok := a.Pace.Turn(attempt(from, token), a.Sessions.Clock.Now())
	if ok && wait > 0 {
		clock.Wait(ctx, a.Sessions.Clock, wait)
	}
	return wait, ok
}

// attempt returns the caller of an attempt: the address and the user whom the token names, if it names one.
func attempt(from netip.Addr, token auth.Secret) *ratelimit.Caller {
	return &ratelimit.Caller{Address: from, User: auth.NamedUser(token.Reveal())}
}

// signIn handles the forms of the sign-in page: a user token, or a chosen user.
func (a *API) signIn(w http.ResponseWriter, r *http.Request) error {
	from := w.(*api.Call).Address() // api.Page passes nothing else
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	if readPageForm(w, r, session) != nil {
		return stale(w)
	}
	next := LocalPath(r.PostForm.Get("next"), "/")
	enter := Entry{Agent: r.UserAgent(), Next: next}
	if r.PostForm.Has("user") {
		chosen, _ := snowflake.Parse[snowflake.User](r.PostForm.Get("user")) // no user has the id 0
		enter.User, err = a.Sessions.ByChoice(r.Context(), chosen)
	} else {
		enter.Token = auth.Secret(r.PostForm.Get("token"))
		if wait, ok := a.waitTurn(r.Context(), from, enter.Token); !ok {
			ratelimit.SetBlockedHeaders(w.Header(), wait)
			return tooManyGuesses(w)
		}
		enter.User, err = a.Sessions.ByToken(r.Context(), enter.Token.Reveal())
		if errors.Is(err, errNotUserToken) {
			a.Pace.Failed(attempt(from, enter.Token), a.Sessions.Clock.Now())
		}
	}
	if err == nil {
		err = a.Sessions.askHooks(r.Context(), enter)
	}
	if err == nil {
		_, err = a.Sessions.SignIn(r.Context(), w, session, enter)
	}
	if refused, ok := errors.AsType[*apierror.Error](err); ok {
		return a.showSignIn(w, r, session, refused.Status, next, refused.Message)
	}
	if errors.Is(err, errNotUserToken) || errors.Is(err, errNoChoice) || errors.Is(err, directory.ErrUnknownUser) {
		a.Sessions.Audit.AddFailure(r.Context(), audit.Entry{Action: "signin.failed", Target: SignInPath})
		return a.showSignIn(w, r, session, http.StatusUnauthorized, next, "That is nobody's token. Check it and try again.")
	}
	if err != nil {
		return err
	}
	return handOver(w, a.Sessions.at(next), "")
}

// signOut ends the session and shows the sign-in page.
func (a *API) signOut(w http.ResponseWriter, r *http.Request) error {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	if readPageForm(w, r, session) != nil {
		return stale(w)
	}
	if err := a.Sessions.SignOut(r.Context(), w, session); err != nil {
		return err
	}
	return handOver(w, a.Sessions.at(LocalPath(r.PostForm.Get("next"), SignInPath)), "")
}
