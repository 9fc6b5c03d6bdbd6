package admin

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// authorizationRoutes read and end the access of applications, the sessions of users, and their identities at the
// upstream provider.
func (a *API) authorizationRoutes() []api.Route {
	const user = "/users/{user_id}"
	page := []api.Parameter{
		{Name: "after", Kind: "string", Doc: "Only records with larger ids."},
		{Name: "limit", Kind: "integer", Doc: "Maximum number of records, 1 to 1000; default 100."},
	}
	list := []api.Route{
		route(auth.OperatorRead, http.MethodGet, user+"/grants", "users.grants.list", "List the applications that a user granted access to.",
			"", map[int]string{200: "Grants"}, a.listGrantsOfUser),
		route(auth.OperatorRead, http.MethodGet, "/applications/{application_id}/grants", "applications.grants.list",
			"List the users who granted access to an application.", "", map[int]string{200: "Grants"}, a.listGrantsOfApplication),
		route(auth.OperatorDirectory, http.MethodDelete, user+"/grants/{application_id}", "users.grants.end",
			"End the access of an application to a user: all its tokens, and the consent.", "", map[int]string{204: ""}, a.endGrant),
		route(auth.OperatorRead, http.MethodGet, user+"/sessions", "users.sessions.list", "List the browser sessions of a user.",
			"", map[int]string{200: "UserSessionList"}, a.listSessionsOfUser),
		route(auth.OperatorDirectory, http.MethodDelete, user+"/sessions", "users.sessions.end-all", "End all browser sessions of a user.",
			"", map[int]string{204: ""}, a.endSessionsOfUser),
		route(auth.OperatorDirectory, http.MethodDelete, user+"/sessions/{session_id}", "users.sessions.end", "End a browser session of a user.",
			"", map[int]string{204: ""}, a.endSessionOfUser),
		route(auth.OperatorRead, http.MethodGet, user+"/identities", "users.identities.list", "List the identities of a user at the upstream provider.",
			"", map[int]string{200: "Identities"}, a.listIdentities),
		route(auth.OperatorSecrets, http.MethodPut, user+"/identities", "users.identities.put",
			"Let an identity of the upstream provider sign in as a user.", "Identity", map[int]string{204: ""}, a.putIdentity),
	}
	list[0].Query, list[1].Query = page, page
	return list
}

func (a *API) listGrantsOfUser(c *api.Call) error {
	list, err := byID(func(c *api.Call, user snowflake.User) ([]oauth.Authorization, error) {
		return listPage(func(c *api.Call, after snowflake.Application, limit int) ([]oauth.Authorization, error) {
			return a.Accounts.Authorizations(c.Context(), user, after, limit)
		}, unchanged)(c)
	}, "user_id")(c)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, list)
}

func (a *API) listGrantsOfApplication(c *api.Call) error {
	list, err := byID(func(c *api.Call, app snowflake.Application) ([]oauth.Authorization, error) {
		return listPage(func(c *api.Call, after snowflake.User, limit int) ([]oauth.Authorization, error) {
			return a.Accounts.AuthorizedUsers(c.Context(), app, after, limit)
		}, unchanged)(c)
	}, "application_id")(c)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, list)
}

func unchanged[T any](v T) T { return v }

func (a *API) endGrant(c *api.Call) error {
	user, app, err := pathIDs[snowflake.User, snowflake.Application](c, "user_id", "application_id")
	if err != nil {
		return err
	}
	return c.NoContent(a.Accounts.EndAuthorization(c.Context(), app, user))
}

func (a *API) listSessionsOfUser(c *api.Call) error {
	list, err := byID(func(c *api.Call, user snowflake.User) ([]oauth.SessionInfo, error) {
		return a.Accounts.Sessions(c.Context(), user)
	}, "user_id")(c)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, list)
}

func (a *API) endSessionsOfUser(c *api.Call) error {
	user, err := api.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	return c.NoContent(a.Accounts.EndAllSessions(c.Context(), user, ""))
}

func (a *API) endSessionOfUser(c *api.Call) error {
	user, err := api.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	return c.NoContent(a.Accounts.EndSessions(c.Context(), user, c.Request.PathValue("session_id")))
}

// shownIdentity is an identity of a user at the upstream provider.
type shownIdentity struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

func (a *API) listIdentities(c *api.Call) error {
	list, err := listOf(func(c *api.Call, user snowflake.User) ([]oauth.Identity, error) {
		return a.Accounts.Identities(c.Context(), user)
	}, "user_id", func(id oauth.Identity) shownIdentity { return shownIdentity{id.Issuer, id.Subject} })(c)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, list)
}

func (a *API) putIdentity(c *api.Call) error {
	user, body, err := api.PathBody[snowflake.User](c, "user_id", c.ReadJSON)
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	var id oauth.Identity
	for _, m := range []struct {
		name string
		to   *string
	}{{"issuer", &id.Issuer}, {"subject", &id.Subject}} {
		text, ok := jsonbody.AsString(t.At(m.name), body.Get(m.name))
		if ok && (text == "" || len(text) > maxIdentity) {
			t.At(m.name).Length(1, maxIdentity)
		}
		*m.to = text
	}
	if err := t.Err(); err != nil {
		return err
	}
	u, err := a.Directory.Users.User(c.Context(), user)
	if err != nil || u.Bot {
		return orUnknown(err, directory.ErrUnknownUser)
	}
	return c.NoContent(a.Accounts.Connect(c.Context(), user, id))
}

// maxIdentity bounds the issuer and the subject of an identity, in bytes.
const maxIdentity = 512
