package admin

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// operatorRoutes manage the credentials of operators and their sessions at browsers.
func (a *API) operatorRoutes() []api.Route {
	const one = "/operators/{name}"
	return []api.Route{
		route(auth.OperatorRead, http.MethodGet, "/operators", "operators.list", "List the credentials of operators, without tokens.",
			"", map[int]string{200: "Operators"}, a.listOperators),
		route(auth.OperatorSecrets, http.MethodPut, one, "operators.put",
			"Create a credential of an operator, or replace it. Only this response shows the token. The old token stops working.",
			"OperatorInput", map[int]string{200: "NewOperator", 201: "NewOperator"}, a.putOperator),
		route(auth.OperatorSecrets, http.MethodDelete, one, "operators.delete", "Revoke a credential of an operator.",
			"", map[int]string{204: ""}, a.deleteOperator),
		route(api.AnyScope, http.MethodGet, "/session", "session.get", "Read who the caller is.",
			"", map[int]string{200: "OperatorSession"}, a.getSession),
		route(api.AnyScope, http.MethodPost, "/session", "session.begin",
			"Exchange the operator's token for a cookie that only the browser can read. The console does this.",
			"", map[int]string{200: "OperatorSession"}, a.beginSession),
		route(api.AnyScope, http.MethodDelete, "/session", "session.end", "End the session of the cookie.",
			"", map[int]string{204: ""}, a.endSession),
	}
}

// shownOperator is a credential of an operator in JSON.
type shownOperator struct {
	Name    string     `json:"name"`
	Scopes  []string   `json:"scopes"`
	Created *time.Time `json:"created_at,omitzero"`
	Expires *time.Time `json:"expires_at"` // null: never
	Token   string     `json:"token,omitzero"`
}

func showOperator(o credentials.Operator) shownOperator {
	return shownOperator{Name: o.Name, Scopes: o.Scopes, Created: shownTime(o.Created), Expires: shownTime(o.Expires)}
}

func shownTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (a *API) listOperators(c *api.Call) error {
	list, err := a.operators().List(c.Context())
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, showAll(list, showOperator))
}

func (a *API) putOperator(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	given, err := a.readOperator(c.Request.PathValue("name"), body)
	if err != nil {
		return err
	}
	token, created, err := a.operators().Put(c.Context(), &given, c.Principal)
	if err != nil {
		return err
	}
	status, shown := http.StatusOK, showOperator(given)
	if created {
		status = http.StatusCreated
	}
	shown.Token = token.Reveal()
	return api.AnswerSecret(c, status, shown)
}

// maxExpiresIn bounds the life of a credential in seconds: ten years.
const maxExpiresIn = 10 * 365 * 24 * 3600

// readOperator reads the optional members scopes and expires_in of a credential. Without scopes it has all.
func (a *API) readOperator(name string, body jsonbody.Value) (credentials.Operator, error) {
	var t jsonbody.Tree
	now := a.Clock.Now().UTC().Truncate(time.Millisecond)
	o := credentials.Operator{Name: name, Scopes: auth.OperatorScopes(), Created: now}
	body, _ = jsonbody.AsObject(&t, body)
	if v := body.Get("scopes"); v.IsSet() {
		_, o.Scopes = manage.ReadTokenRequest(&t, body)
	}
	if v := body.Get("expires_in"); v.IsSet() {
		seconds, _ := jsonbody.AsInt(t.At("expires_in"), v, 1, maxExpiresIn)
		o.Expires = now.Add(time.Duration(seconds) * time.Second)
	}
	return o, t.Err()
}

func (a *API) deleteOperator(c *api.Call) error {
	return c.NoContent(a.operators().Revoke(c.Context(), c.Request.PathValue("name"), c.Principal))
}

func (a *API) getSession(c *api.Call) error {
	p := c.Principal
	return c.Value(http.StatusOK, shownOperator{Name: p.Name, Scopes: p.Scopes, Expires: shownTime(p.Expires)})
}

func (a *API) beginSession(c *api.Call) error {
	secret, expires, err := a.operators().CreateSession(c.Context(), c.Principal)
	if err != nil {
		return err
	}
	api.SetOperatorSession(c, secret, max(1, int(expires.Sub(a.Clock.Now()).Seconds())))
	return c.Value(http.StatusOK, shownOperator{Name: c.Principal.Name, Scopes: c.Principal.Scopes, Expires: &expires})
}

func (a *API) endSession(c *api.Call) error {
	if err := a.operators().EndSession(c.Context(), api.OperatorSession(c)); err != nil {
		return err
	}
	api.SetOperatorSession(c, "", -1)
	return c.NoContent(nil)
}

func (a *API) operators() credentials.Operators {
	return credentials.Operators{Directory: a.Directory, Clock: a.Clock}
}
