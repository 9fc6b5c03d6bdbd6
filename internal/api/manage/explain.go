package manage

import (
	"cmp"
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// ExplainQuery are the query parameters of Explain.
var ExplainQuery = []api.Parameter{
	{Name: "as", Kind: "string", Doc: "Id or username of the user."},
	{Name: "in", Kind: "string", Doc: "Id of the channel, or the names of its guild and of the channel with a slash between."},
	{Name: "command", Kind: "string", Doc: "Id of the command, or its name in any language; names of CHAT_INPUT commands begin with a slash."},
	{Name: "application", Kind: "string", Doc: "Application of the command; default any."},
}

// Explain answers whether a user can use a command in a channel, and why. The query names all three. With chooses it
// selects a user and a channel that the query does not name.
func Explain(c *api.Call, d *directory.Directory, picker *permissions.Picker, chooses bool) error {
	q := c.Query()
	for _, name := range []string{"as", "in", "command"} {
		if q.Values.Get(name) == "" && (name == "command" || !chooses) {
			q.At(name).Required()
		}
	}
	app := api.QueryID[snowflake.Application](q, "application")
	if err := q.Err(); err != nil {
		return err
	}
	user, channel, err := (&Finder{d}).place(c.Context(), q.Values.Get("as"), q.Values.Get("in"))
	if err != nil {
		return err
	}
	invoker, err := picker.Invoker(c.Context(), user, channel)
	if err != nil {
		return err
	}
	if invoker.Guild == nil && !invoker.Sees() { // a direct message between other users
		return permissions.ErrNoAccess
	}
	e, err := picker.Explain(c.Context(), invoker, q.Values.Get("command"), app)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, explanationOf(e))
}

// explanation is a permission decision and its reasons.
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

func explanationOf(e permissions.Explanation) explanation {
	d := e.Decision
	x := explanation{
		Allowed: d.Allowed, Reason: d.Reason, Explanation: d.Explain(), Level: cmp.Or(d.Level, "none"), Missing: d.Missing.Names(),
		Command: explainedCommand{
			e.Command.ID, e.Application.ID, e.Application.Name, e.Command.Scope.Guild, e.Command.Type, e.Command.Name,
		},
	}
	if d.Entry != (permission.Entry{}) {
		x.Entry = &wire.PermissionEntry{ID: d.Entry.ID, Type: uint8(d.Entry.Type), Permission: d.Entry.Allow}
	}
	return x
}
