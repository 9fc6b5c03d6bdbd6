package oauthapi

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/signin"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Paths of the pages for signing in.
const (
	SignInPath   = "/oauth2/signin"
	SignOutPath  = "/oauth2/signout"
	UpstreamPath = "/oauth2/signin/upstream"
)

// maxChoices is how many people the page for development offers.
const maxChoices = 100

// signIn is the page for signing in.
type signIn struct {
	Form     string
	Next     string
	People   []store.User // that somebody can choose to be; nil: none
	Upstream string       // name of the provider; empty: none
	Way      string       // address at which it is asked
	Fault    string
}

// SignIn asks who somebody is.
func (p *Pages) SignIn(w http.ResponseWriter, r *http.Request) error {
	v, err := p.Door.Visit(r)
	if err != nil {
		return err
	}
	return p.showSignIn(w, r, v, http.StatusOK, signin.LocalPath(r.URL.Query().Get("next"), "/"), "")
}

func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request, v signin.Visit, status int, next, fault string) error {
	page := signIn{Next: next, Fault: fault}
	if p.Door.Choose {
		var err error
		if page.People, err = p.Directory.Users(r.Context(), 0, maxChoices); err != nil {
			return err
		}
	}
	if p.Door.Upstream != nil {
		page.Upstream, page.Way = p.Door.Upstream.Name(), UpstreamPath+"?next="+url.QueryEscape(next)
	}
	page.Form = p.Door.Greet(w, v).FormToken()
	return show(w, status, "signin", page)
}

// Enter signs somebody in who has chosen who to be, or shows a token.
func (p *Pages) Enter(w http.ResponseWriter, r *http.Request) error {
	v, err := p.Door.Visit(r)
	if err != nil {
		return err
	}
	if readPageForm(w, r, v) != nil {
		return stale(w)
	}
	next := signin.LocalPath(r.PostForm.Get("next"), "/")
	var user snowflake.User
	if r.PostForm.Has("user") {
		chosen, _ := snowflake.Parse[snowflake.User](r.PostForm.Get("user")) // 0 is nobody
		user, err = p.Door.ByChoice(r.Context(), chosen)
	} else {
		user, err = p.Door.ByToken(r.Context(), r.PostForm.Get("token"))
	}
	if errors.Is(err, signin.ErrToken) || errors.Is(err, signin.ErrNoChoice) || errors.Is(err, directory.ErrUnknownUser) {
		return p.showSignIn(w, r, v, http.StatusUnauthorized, next, "That is nobody's token. Check it and try again.")
	}
	if err != nil {
		return err
	}
	if _, err := p.Door.Enter(r.Context(), w, v, user); err != nil {
		return err
	}
	return handOver(w, next, "")
}

// Leave signs somebody out and asks again who they are.
func (p *Pages) Leave(w http.ResponseWriter, r *http.Request) error {
	v, err := p.Door.Visit(r)
	if err != nil {
		return err
	}
	if readPageForm(w, r, v) != nil {
		return stale(w)
	}
	if err := p.Door.Leave(r.Context(), w, v); err != nil {
		return err
	}
	return handOver(w, signin.LocalPath(r.PostForm.Get("next"), SignInPath), "")
}

// Upstream sends somebody to the upstream provider.
func (p *Pages) Upstream(w http.ResponseWriter, r *http.Request) error {
	if p.Door.Upstream == nil {
		return noUpstream(w, nil)
	}
	to, err := p.Door.Upstream.Begin(r.Context(), w, signin.LocalPath(r.URL.Query().Get("next"), "/"))
	if err != nil {
		return noUpstream(w, err)
	}
	return redirect(w, to)
}

// Callback signs somebody in whom the upstream provider vouches for.
func (p *Pages) Callback(w http.ResponseWriter, r *http.Request) error {
	if p.Door.Upstream == nil {
		return noUpstream(w, nil)
	}
	id, next, err := p.Door.Upstream.Finish(w, r)
	if err != nil {
		return noUpstream(w, err)
	}
	user, err := p.Door.ByIdentity(r.Context(), id)
	if err != nil {
		return noUpstream(w, err)
	}
	v, err := p.Door.Visit(r)
	if err != nil {
		return err
	}
	if _, err := p.Door.Enter(r.Context(), w, v, user); err != nil {
		return err
	}
	return handOver(w, next, "")
}

// noUpstream tells that the provider vouches for nobody. Why is not for the person to know.
func noUpstream(w http.ResponseWriter, err error) error {
	if err != nil && !errors.Is(err, signin.ErrUpstream) {
		return err
	}
	return show(w, http.StatusForbidden, "message", message{
		Title: "You could not be signed in", Text: "The identity provider did not confirm who you are. Go back and try again.", Fault: "sign_in_failed",
	})
}
