package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) interactionRoutes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: http.MethodPost, Path: "/interactions", Name: "interactions.invoke",
			Doc:   "Use a command, a component or a modal.",
			Allow: httpapi.People, Group: ratelimit.InteractionsInvoke, Body: "Invocation", Files: true, Answer: map[int]string{204: ""}, Handle: a.invoke,
		},
		{
			Method: http.MethodPost, Path: "/interactions/{interaction_id}/{interaction_token}/callback", Name: "interactions.callback",
			Doc:   "Answer an interaction for the first time.",
			Allow: httpapi.TokenHolders, Group: ratelimit.InteractionsCallback, Body: "Callback", Files: true, Answer: map[int]string{200: "Receipt", 204: ""},
			Query:  []httpapi.Parameter{{Name: "with_response", Kind: "boolean", Doc: "Answer with what came of it."}},
			Handle: a.callback,
		},
		{
			Method: http.MethodGet, Path: "/applications/{application_id}/activity-instances/{instance}", Name: "activities.get",
			Doc:   "Read an instance of the application's Activity.",
			Allow: httpapi.OwnBot, Group: ratelimit.Other, Answer: map[int]string{200: "ActivityInstance"}, Handle: a.getInstance,
		},
	}
}

func (a *API) invoke(c *httpapi.Call) error {
	p, err := c.ReadParcel()
	if err != nil {
		return err
	}
	defer p.Drop()
	_, err = a.Interactions.Invoke(c.Context(), dispatch.Call{
		User: c.Principal.User, Locale: a.locale(c), Body: p.Body, Files: p.Files,
	})
	if err != nil {
		return err
	}
	return c.Empty()
}

func (a *API) callback(c *httpapi.Call) error {
	arrived := a.Clock.Now()
	var t jsonbody.Tree
	id, _ := jsonbody.ParseID[snowflake.Interaction](t.At("interaction_id"), c.Request.PathValue("interaction_id"))
	q := c.Query()
	full := q.Bool("with_response")
	if t.Failed() {
		return t.Err()
	}
	if err := q.Err(); err != nil {
		return err
	}
	done := a.Interactions.Arriving(id)
	defer done()
	p, err := c.ReadAnswer()
	if err != nil {
		return err
	}
	defer p.Drop()
	response := p.Response()
	response.Arrived = arrived
	receipt, err := a.Interactions.Callback(c.Context(), id, c.Request.PathValue("interaction_token"), response, full)
	if err != nil {
		return err
	}
	if !full {
		return c.Empty()
	}
	return c.JSON(http.StatusOK, receipt.AppendJSON(nil))
}

func (a *API) getInstance(c *httpapi.Call) error {
	body, err := a.Interactions.Instance(c.Context(), c.Scope.Application, c.Request.PathValue("instance"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}
