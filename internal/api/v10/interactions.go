package v10

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// interactionHandlers serve invocations and the responses of apps to them.
type interactionHandlers struct {
	interactions *dispatch.Dispatch
	directory    *directory.Directory
	now          func() time.Time
}

func (h *interactionHandlers) routes() []api.Route {
	return []api.Route{
		{
			Method: http.MethodPost, Path: "/interactions", Name: "interactions.invoke",
			Doc:   "Use a command, use a component or submit a modal.",
			Allow: api.People, Group: ratelimit.InteractionsInvoke, Body: "Invocation", Files: true, Answer: map[int]string{204: ""}, Handle: h.invoke,
		},
		{
			Method: http.MethodPost, Path: "/interactions/{interaction_id}/{interaction_token}/callback", Name: "interactions.callback",
			Doc:   "Send the first response to an interaction.",
			Allow: api.TokenHolders, Group: ratelimit.InteractionsCallback, Body: "Callback", Files: true, Answer: map[int]string{200: "Receipt", 204: ""},
			Query:  []api.Parameter{{Name: "with_response", Kind: "boolean", Doc: "Answer with the interaction and its first response."}},
			Handle: h.callback,
		},
		{
			Method: http.MethodGet, Path: "/applications/{application_id}/activity-instances/{instance}", Name: "activities.get",
			Doc:   "Read an instance of the application's Activity.",
			Allow: api.OwnBot, Group: ratelimit.Other, Answer: map[int]string{200: "ActivityInstance"}, Handle: h.getInstance,
		},
	}
}

func (h *interactionHandlers) invoke(c *api.Call) error {
	p, err := c.ReadPayload()
	if err != nil {
		return err
	}
	defer p.Close()
	made, err := h.interactions.Invoke(c.Context(), dispatch.InvokeRequest{
		User: c.Principal.User, Locale: localeOf(c, h.directory), Body: p.Body, Files: uploads(p.Files),
	})
	c.Interaction = made.ID
	return c.NoContent(err)
}

func (h *interactionHandlers) callback(c *api.Call) error {
	arrived := h.now()
	id, err := api.PathID[snowflake.Interaction](c, "interaction_id")
	if err != nil {
		return err
	}
	q := c.Query()
	withResponse := q.Bool("with_response")
	if err := q.Err(); err != nil {
		return err
	}
	done := h.interactions.Arriving(id)
	defer done()
	response, closeFiles, err := readResponse(c)
	if err != nil {
		return err
	}
	defer closeFiles()
	response.Arrived = arrived
	receipt, err := h.interactions.Callback(c.Context(), id, c.Request.PathValue("interaction_token"), response, withResponse)
	if err != nil {
		return err
	}
	if !withResponse {
		return c.NoContent(nil)
	}
	return c.JSON(http.StatusOK, receipt.AppendJSON(nil))
}

// readResponse reads the response of an app. The caller calls closeFiles. The body is not read if the token in the path
// is unknown: such a request is refused in any case, and must not fill the disk.
func readResponse(c *api.Call) (response dispatch.Response, closeFiles func(), err error) {
	if c.Principal.Application == 0 {
		return dispatch.Response{Unread: true}, func() {}, nil
	}
	p, err := c.ReadPayload()
	if err != nil {
		return dispatch.Response{}, nil, err
	}
	return dispatch.Response{Body: p.Body, Files: uploads(p.Files)}, p.Close, nil
}

// uploads converts the files of a request.
func uploads(files []api.Upload) []attachments.Upload {
	var list []attachments.Upload
	for _, f := range files {
		list = append(list, attachments.Upload(f))
	}
	return list
}

func (h *interactionHandlers) getInstance(c *api.Call) error {
	return c.Result(h.interactions.Instance(c.Context(), c.Scope.Application, c.Request.PathValue("instance")))
}
