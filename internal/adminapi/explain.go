package adminapi

import (
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) explainRoutes() []httpapi.Route {
	return []httpapi.Route{{
		Method: http.MethodGet, Path: "/_dev/explain", Root: true, Name: "dev.explain",
		Doc:    "Tell whether somebody can use a command somewhere, and why.",
		Answer: map[int]string{200: "DevExplanation"}, Handle: a.devExplain,
		Query: question,
	}}
}

// question is how to ask for an explanation.
var question = []httpapi.Parameter{
	{Name: "as", Kind: "string", Doc: "A user's id or username."},
	{Name: "in", Kind: "string", Doc: "A channel's id, or the names of a guild and a channel with a slash between."},
	{Name: "command", Kind: "string", Doc: "The name of a command, by default or in any language; of slash commands with the slash."},
	{Name: "application", Kind: "string", Doc: "Whose command it is, when several have one of that name."},
}

func (a *API) devExplain(c *httpapi.Call) error { return explain(c, &a.Dev.Desk) }

func explain(c *httpapi.Call, desk *devtools.Desk) error {
	q := c.Query()
	for _, name := range []string{"as", "in", "command"} {
		if q.Values.Get(name) == "" {
			q.At(name).Required()
		}
	}
	question := devtools.Question{
		As: q.Values.Get("as"), In: q.Values.Get("in"), Command: q.Values.Get("command"),
		Application: httpapi.QueryID[snowflake.Application](q, "application"),
	}
	if err := q.Err(); err != nil {
		return err
	}
	e, err := desk.Explain(c.Context(), question)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, explanationOf(e))
}

// explanation is a decision and what it rests on.
type explanation struct {
	Allowed     bool                  `json:"allowed"`
	Reason      string                `json:"reason"`
	Explanation string                `json:"explanation"`
	Level       string                `json:"level"`
	Entry       *wire.PermissionEntry `json:"entry"`
	Missing     []string              `json:"missing"`
	Command     explainedCommand      `json:"command"`
}

type explainedCommand struct {
	ID            snowflake.Command     `json:"id"`
	ApplicationID snowflake.Application `json:"application_id"`
	Application   string                `json:"application"`
	GuildID       snowflake.Guild       `json:"guild_id,omitzero"`
	Type          command.Type          `json:"type"`
	Name          string                `json:"name"`
}

func explanationOf(e permissions.Explained) explanation {
	d := e.Decision
	x := explanation{
		Allowed: d.Allowed, Reason: d.Reason.String(), Explanation: d.Explain(), Level: d.Level.String(), Missing: d.Missing.Names(),
		Command: explainedCommand{
			e.Command.ID, e.Application.ID, e.Application.Name, e.Command.Scope.Guild, e.Command.Type, e.Command.Name,
		},
	}
	if d.Entry != (permission.Entry{}) {
		x.Entry = &wire.PermissionEntry{ID: d.Entry.ID, Type: uint8(d.Entry.Type), Permission: d.Entry.Allow}
	}
	return x
}
