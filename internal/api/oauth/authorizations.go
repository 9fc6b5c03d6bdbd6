package oauth

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// accountHandlers serve what users see and end: the access of apps, and their sessions.
type accountHandlers struct{ *API }

// authorizationRoutes let a user read and end the access of apps and the user's own sessions.
func (a accountHandlers) authorizationRoutes() []api.Route {
	route := func(method, path, name, doc, body string, answer map[int]string, handle func(*api.Call) error) api.Route {
		return api.Route{
			Method: method, Path: path, Name: name, Doc: doc, Allow: api.People, Group: ratelimit.Other,
			Body: body, Answer: answer, Handle: handle,
		}
	}
	list := route(http.MethodGet, "/oauth2/tokens", "oauth2.tokens.list", "List the apps that the user granted access to.",
		"", map[int]string{200: "AuthorizedApps"}, a.listAuthorizations)
	list.Query = []api.Parameter{
		{Name: "after", Kind: "string", Doc: "Only applications with larger ids."},
		{Name: "limit", Kind: "integer", Doc: "Maximum number of applications, 1 to 1000; default 100."},
	}
	return []api.Route{
		list,
		route(http.MethodDelete, "/oauth2/tokens/{application_id}", "oauth2.tokens.end",
			"End the access of an app: all its tokens for the user, and the consent.", "", map[int]string{204: ""}, a.endAuthorization),
		route(http.MethodGet, "/auth/sessions", "auth.sessions.list", "List the browser sessions of the user.",
			"", map[int]string{200: "UserSessions"}, a.listSessions),
		route(http.MethodPost, "/auth/sessions/logout", "auth.sessions.end", "End browser sessions of the user.",
			"SessionIDs", map[int]string{204: ""}, a.endSessions),
	}
}

// authorizedApp is an app that a user granted access to. Its id is that of the application.
type authorizedApp struct {
	ID          snowflake.Application `json:"id"`
	Scopes      []string              `json:"scopes"`
	Application authorizedApplication `json:"application"`
	Created     time.Time             `json:"created_at"`
	Used        *time.Time            `json:"used_at"` // null: the app has no refresh token
}

func (a accountHandlers) listAuthorizations(c *api.Call) error {
	q := c.Query()
	after, limit := api.QueryID[snowflake.Application](q, "after"), q.Limit(100, directory.MaxPage)
	if err := q.Err(); err != nil {
		return err
	}
	granted, err := a.Sessions.Accounts.Authorizations(c.Context(), c.Principal.User, after, limit)
	if err != nil {
		return err
	}
	list := make([]authorizedApp, len(granted))
	for i, g := range granted {
		app, err := a.authorizedApplication(c, g.Application)
		if err != nil {
			return err
		}
		list[i] = authorizedApp{ID: g.Application, Scopes: g.Scopes, Application: app, Created: g.Created}
		if !g.Used.IsZero() {
			list[i].Used = &g.Used
		}
	}
	return c.Value(http.StatusOK, list)
}

func (a accountHandlers) endAuthorization(c *api.Call) error {
	app, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	return c.NoContent(a.Sessions.Accounts.EndAuthorization(c.Context(), app, c.Principal.User))
}

func (a accountHandlers) listSessions(c *api.Call) error {
	list, err := a.Sessions.Accounts.Sessions(c.Context(), c.Principal.User)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		Sessions []oauth.SessionInfo `json:"user_sessions"`
	}{list})
}

func (a accountHandlers) endSessions(c *api.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	at := t.At("session_id_hashes")
	items, ok := jsonbody.AsList(at, body.Get("session_id_hashes"))
	if ok && len(items) > maxSessions {
		at.Length(1, maxSessions)
	}
	var ids []string
	for i, item := range items {
		id, _ := jsonbody.AsString(at.Index(i), item)
		ids = append(ids, id)
	}
	if t.Failed() {
		return t.Err()
	}
	return c.NoContent(a.Sessions.Accounts.EndSessions(c.Context(), c.Principal.User, ids...))
}
