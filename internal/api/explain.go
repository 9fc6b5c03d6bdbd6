package api

import (
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/picker"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) explainRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/_dev/explain", root: true, name: "dev.explain",
		doc:    "Tell whether somebody can use a command somewhere, and why.",
		answer: map[int]string{200: "DevExplanation"}, handle: a.devExplain,
		query: question,
	}}
}

// question is how to ask for an explanation.
var question = []parameter{
	{"as", "string", "A user's id or username."},
	{"in", "string", "A channel's id, or the names of a guild and a channel with a slash between."},
	{"command", "string", "The name of a command, by default or in any language; of slash commands with the slash."},
	{"application", "string", "Whose command it is, when several have one of that name."},
}

func (a *API) devExplain(c *call) error { return c.explain(&a.Dev.Desk) }

func (c *call) explain(desk *devtools.Desk) error {
	q := c.query()
	for _, name := range []string{"as", "in", "command"} {
		if q.values.Get(name) == "" {
			q.At(name).Required()
		}
	}
	question := devtools.Question{
		As: q.values.Get("as"), In: q.values.Get("in"), Command: q.values.Get("command"),
		Application: queryID[snowflake.Application](q, "application"),
	}
	if err := q.Err(); err != nil {
		return err
	}
	e, err := desk.Explain(c.r.Context(), question)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, explanationOf(e))
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

func explanationOf(e picker.Explained) explanation {
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
