package api

import (
	"net/http"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) interactionRoutes() []route {
	return []route{
		{
			method: http.MethodPost, path: "/interactions", name: "interactions.invoke",
			doc:   "Use a command, a component or a modal.",
			allow: people, group: ratelimit.InteractionsInvoke, body: "Invocation", files: true, answer: map[int]string{204: ""}, handle: a.invoke,
		},
		{
			method: http.MethodPost, path: "/interactions/{interaction_id}/{interaction_token}/callback", name: "interactions.callback",
			doc:   "Answer an interaction for the first time.",
			allow: tokenHolders, group: ratelimit.InteractionsCallback, body: "Callback", files: true, answer: map[int]string{200: "Receipt", 204: ""},
			query:  []parameter{{"with_response", "boolean", "Answer with what came of it."}},
			handle: a.callback,
		},
		{
			method: http.MethodGet, path: "/applications/{application_id}/activity-instances/{instance}", name: "activities.get",
			doc:   "Read an instance of the application's Activity.",
			allow: ownBot, group: ratelimit.Other, answer: map[int]string{200: "ActivityInstance"}, handle: a.getInstance,
		},
	}
}

func (a *API) invoke(c *call) error {
	p, err := c.readParcel()
	if err != nil {
		return err
	}
	defer p.drop()
	_, err = a.Interactions.Invoke(c.r.Context(), dispatch.Call{
		User: c.principal.User, Locale: c.locale(), Body: p.body, Files: p.files,
	})
	if err != nil {
		return err
	}
	return c.empty()
}

func (a *API) callback(c *call) error {
	arrived := a.Clock.Now()
	var t problem.Tree
	id, _ := form.ParseID[snowflake.Interaction](t.At("interaction_id"), c.r.PathValue("interaction_id"))
	q := c.query()
	full := q.bool("with_response")
	if t.Failed() {
		return t.Err()
	}
	if err := q.Err(); err != nil {
		return err
	}
	done := a.Interactions.Arriving(id)
	defer done()
	p, err := c.readAnswer()
	if err != nil {
		return err
	}
	defer p.drop()
	receipt, err := a.Interactions.Callback(c.r.Context(), id, c.r.PathValue("interaction_token"),
		dispatch.Response{Body: p.body, Files: p.files, Arrived: arrived}, full)
	if err != nil {
		return err
	}
	if !full {
		return c.empty()
	}
	return c.json(http.StatusOK, receipt.AppendJSON(nil))
}

func (a *API) getInstance(c *call) error {
	body, err := a.Interactions.Instance(c.r.Context(), c.scope.Application, c.r.PathValue("instance"))
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, body)
}
