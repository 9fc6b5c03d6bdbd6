package api

import (
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/picker"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) pickerRoutes() []route {
	index := func(path, name, doc string, handle func(*call) error) route {
		return route{
			method: http.MethodGet, path: path + "/application-command-index", name: name + ".index", doc: doc,
			allow: people, group: ratelimit.CommandsIndex, answer: map[int]string{200: "CommandIndex"}, handle: handle,
		}
	}
	return []route{
		index("/guilds/{guild_id}", "guild", "List the commands of a guild that the caller can use in some of its channels.", a.guildIndex),
		index("/users/@me", "user", "List the commands of the applications that the caller has installed.", a.userIndex),
		index("/channels/{channel_id}", "channel", "List the commands that the caller can use in a channel.", a.channelIndex),
		index("/applications/{application_id}", "application",
			"List the commands of an application that the caller can use without a guild.", a.applicationIndex),
		{
			method: http.MethodGet, path: "/channels/{channel_id}/application-commands/search", name: "channel.search",
			doc:   "Find commands that the caller can use in a channel by their names, the best first.",
			allow: people, group: ratelimit.CommandsIndex, answer: map[int]string{200: "CommandIndex"}, handle: a.searchCommands,
			query: []parameter{
				{"type", "integer", "The type of commands, 1 to 4; 1 when it is left out."},
				{"query", "string", "What is looked for in names, at most 100 characters; everything when it is left out."},
				{"limit", "integer", "How many at the most, 1 to 25; 25 when it is left out."},
			},
		},
	}
}

func (a *API) guildIndex(c *call) error {
	id, err := pathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return c.found(a.Picker.GuildIndex(c.r.Context(), c.principal.User, id, c.locale()))
}

func (a *API) userIndex(c *call) error {
	return c.found(a.Picker.UserIndex(c.r.Context(), c.principal.User, c.locale()))
}

func (a *API) channelIndex(c *call) error {
	id, err := pathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	return c.found(a.Picker.ChannelIndex(c.r.Context(), c.principal.User, id, c.locale()))
}

func (a *API) applicationIndex(c *call) error {
	id, err := pathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	return c.found(a.Picker.ApplicationIndex(c.r.Context(), c.principal.User, id, c.locale()))
}

func (a *API) searchCommands(c *call) error {
	id, err := pathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	q := c.query()
	search := picker.Search{
		Type: readSearchType(q), Query: q.values.Get("query"), Limit: q.limit(picker.MaxResults, picker.MaxResults),
	}
	if form.Len(search.Query) > picker.MaxQuery {
		q.At("query").Length(-1, picker.MaxQuery)
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.found(a.Picker.Search(c.r.Context(), c.principal.User, id, search, c.locale()))
}

func readSearchType(q *query) command.Type {
	text, at := q.values.Get("type"), q.At("type")
	if text == "" {
		return command.ChatInput
	}
	n, ok := form.AsWhole(at, form.StringOf(text))
	if ok && (n < int64(command.ChatInput) || n > int64(command.PrimaryEntryPoint)) {
		problem.NotOneOfInts(at, command.ChatInput, command.User, command.Message, command.PrimaryEntryPoint)
	}
	return command.Type(n)
}

// found answers with a JSON text that was looked up.
func (c *call) found(body []byte, err error) error {
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, body)
}
