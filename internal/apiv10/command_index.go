package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) pickerRoutes() []httpapi.Route {
	index := func(path, name, doc string, handle func(*httpapi.Call) error) httpapi.Route {
		return httpapi.Route{
			Method: http.MethodGet, Path: path + "/application-command-index", Name: name + ".index", Doc: doc,
			Allow: httpapi.People, Group: ratelimit.CommandsIndex, Answer: map[int]string{200: "CommandIndex"}, Handle: handle,
		}
	}
	return []httpapi.Route{
		index("/guilds/{guild_id}", "guild", "List the commands of a guild that the caller can use in some of its channels.", a.guildIndex),
		index("/users/@me", "user", "List the commands of the applications that the caller has installed.", a.userIndex),
		index("/channels/{channel_id}", "channel", "List the commands that the caller can use in a channel.", a.channelIndex),
		index("/applications/{application_id}", "application",
			"List the commands of an application that the caller can use without a guild.", a.applicationIndex),
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}/application-commands/search", Name: "channel.search",
			Doc:   "Find commands that the caller can use in a channel by their names, the best first.",
			Allow: httpapi.People, Group: ratelimit.CommandsIndex, Answer: map[int]string{200: "CommandIndex"}, Handle: a.searchCommands,
			Query: []httpapi.Parameter{
				{Name: "type", Kind: "integer", Doc: "The type of commands, 1 to 4; 1 when it is left out."},
				{Name: "query", Kind: "string", Doc: "What is looked for in names, at most 100 characters; everything when it is left out."},
				{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 25; 25 when it is left out."},
			},
		},
	}
}

func (a *API) guildIndex(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return c.Found(a.Picker.GuildIndex(c.Context(), c.Principal.User, id, a.locale(c)))
}

func (a *API) userIndex(c *httpapi.Call) error {
	return c.Found(a.Picker.UserIndex(c.Context(), c.Principal.User, a.locale(c)))
}

func (a *API) channelIndex(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	return c.Found(a.Picker.ChannelIndex(c.Context(), c.Principal.User, id, a.locale(c)))
}

func (a *API) applicationIndex(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	return c.Found(a.Picker.ApplicationIndex(c.Context(), c.Principal.User, id, a.locale(c)))
}

func (a *API) searchCommands(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	q := c.Query()
	search := permissions.Search{
		Type: readSearchType(q), Query: q.Values.Get("query"), Limit: q.Limit(permissions.MaxResults, permissions.MaxResults),
	}
	if jsonbody.Len(search.Query) > permissions.MaxQuery {
		q.At("query").Length(-1, permissions.MaxQuery)
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.Found(a.Picker.Search(c.Context(), c.Principal.User, id, search, a.locale(c)))
}

func readSearchType(q *httpapi.Query) command.Type {
	text, at := q.Values.Get("type"), q.At("type")
	if text == "" {
		return command.ChatInput
	}
	n, ok := jsonbody.AsWhole(at, jsonbody.StringOf(text))
	if ok && (n < int64(command.ChatInput) || n > int64(command.PrimaryEntryPoint)) {
		jsonbody.NotOneOfInts(at, command.ChatInput, command.User, command.Message, command.PrimaryEntryPoint)
	}
	return command.Type(n)
}
