package oauth

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// AccountPath is the page on which users see and end the access of apps and their sessions.
const AccountPath = "/oauth2/account"

// accountPage lists the apps that a user granted access to, and the sessions of the user.
type accountPage struct {
	Who      *store.User
	Form     string // token
	Apps     []shownApp
	Sessions []shownSession
	Players  []shownPlayer // accounts in games that were merged with the user
	Done     string        // what was ended; empty: nothing
}

// shownApp is an app that has access.
type shownApp struct {
	ID      snowflake.Application
	Name    string
	Allowed []string // what the scopes allow
	Since   string
	Used    string // empty: the app has no refresh token
}

// shownPlayer is the account of a player in a game.
type shownPlayer struct {
	ID    snowflake.Application
	Name  string // of the game
	By    string // the kind of identity provider
	Since string
}

// shownSession is a session of the user.
type shownSession struct {
	ID      string
	Browser string
	Since   string
	Current bool
}

// dayFormat is the format of times on the page. It has no scripts, so it does not know the time zone of the user.
const dayFormat = "2 January 2006, 15:04 UTC"

func showTime(t time.Time) string { return t.UTC().Format(dayFormat) }

// getAccountPage shows the apps and the sessions.
func (a accountHandlers) getAccountPage(w http.ResponseWriter, r *http.Request) error {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	if session.User == 0 {
		return a.toSignIn(w, r.URL)
	}
	return a.showAccount(w, r, session, "")
}

func (a accountHandlers) showAccount(w http.ResponseWriter, r *http.Request, session Session, done string) error {
	ctx := r.Context()
	who, err := a.Directory.Users.User(ctx, session.User)
	if err != nil {
		return err
	}
	page := accountPage{Who: who, Form: session.FormToken(), Done: done}
	granted, err := a.Sessions.Accounts.Authorizations(ctx, session.User, 0, directory.MaxPage)
	if err != nil {
		return err
	}
	for _, g := range granted {
		app, err := a.Directory.Applications.Application(ctx, g.Application)
		if err != nil {
			return err
		}
		shown := shownApp{ID: app.ID, Name: app.Name, Allowed: describeScopes(g.Scopes), Since: showTime(g.Created)}
		if !g.Used.IsZero() {
			shown.Used = showTime(g.Used)
		}
		page.Apps = append(page.Apps, shown)
	}
	sessions, err := a.Sessions.Accounts.Sessions(ctx, session.User)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		page.Sessions = append(page.Sessions, shownSession{s.ID, describeAgent(s.Agent), showTime(s.Created), s.ID == session.ID()})
	}
	slices.SortStableFunc(page.Sessions, func(a, b shownSession) int { return cmp.Compare(order(a), order(b)) })
	if page.Players, err = a.players(ctx, session.User); err != nil {
		return err
	}
	return show(w, http.StatusOK, "account", page)
}

// players returns the accounts in games that were merged with a user.
func (a accountHandlers) players(ctx context.Context, user snowflake.User) ([]shownPlayer, error) {
	linked, err := a.Players.Linked(ctx, user)
	if err != nil {
		return nil, err
	}
	var list []shownPlayer
	for _, l := range linked {
		app, err := a.Directory.Applications.Application(ctx, l.Application)
		if errors.Is(err, directory.ErrUnknownApplication) {
			continue // it is being deleted
		}
		if err != nil {
			return nil, err
		}
		by := "named by the game"
		if l.Provider != provisional.DiscordBot {
			by = l.Issuer
		}
		list = append(list, shownPlayer{app.ID, app.Name, by, showTime(l.Created)})
	}
	return list, nil
}

// order returns 0 for the session of the browser that shows the page, and 1 for others.
func order(s shownSession) int {
	if s.Current {
		return 0
	}
	return 1
}

// endOnAccountPage handles the forms of the page.
func (a accountHandlers) endOnAccountPage(w http.ResponseWriter, r *http.Request) error {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	if session.User == 0 {
		return a.toSignIn(w, r.URL)
	}
	if readPageForm(w, r, session) != nil {
		return stale(w)
	}
	done := ""
	switch form := r.PostForm; {
	case form.Has("application"):
		app, _ := snowflake.Parse[snowflake.Application](form.Get("application")) // no application has the id 0
		done, err = "The app has no access any more.", a.Sessions.Accounts.EndAuthorization(r.Context(), app, session.User)
	case form.Has("player"):
		app, _ := snowflake.Parse[snowflake.Application](form.Get("player"))
		done, err = "The account in the game is on its own again.", a.Players.Unlink(r.Context(), app, session.User)
	case form.Has("session"):
		done, err = "The session ended.", a.Sessions.Accounts.EndSessions(r.Context(), session.User, form.Get("session"))
	case form.Has("others"):
		done, err = "All other sessions ended.", a.Sessions.Accounts.EndAllSessions(r.Context(), session.User, session.ID())
	}
	if err != nil {
		return err
	}
	return a.showAccount(w, r, session, done)
}

// describeAgent names the browser and the system of a User-Agent header. Such a header is a list of products that the
// browser is compatible with, so the order of the checks matters.
func describeAgent(agent string) string {
	first := func(names [][2]string) string {
		for _, n := range names {
			if strings.Contains(agent, n[0]) {
				return n[1]
			}
		}
		return ""
	}
	browser := first([][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	})
	system := first([][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	switch {
	case browser == "":
		return "Unknown browser"
	case system == "":
		return browser
	}
	return browser + " on " + system
}
