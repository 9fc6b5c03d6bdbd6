package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// indexHandlers serve the commands that a user can use, for the command pickers of clients.
type indexHandlers struct {
	picker    *permissions.Picker
	directory *directory.Directory
}

func (h *indexHandlers) routes() []api.Route {
	index := func(path, name, doc string, handle func(*api.Call) error) api.Route {
		return api.Route{
			Method: http.MethodGet, Path: path + "/application-command-index", Name: name + ".index", Doc: doc,
			Allow: api.People, Group: ratelimit.CommandsIndex, Answer: map[int]string{200: "CommandIndex"}, Handle: handle,
		}
	}
	return []api.Route{
		index("/guilds/{guild_id}", "guild", "List the commands of a guild that the caller can use in at least one channel.", h.guildIndex),
		index("/users/@me", "user", "List the commands of the applications that the caller has installed.", h.userIndex),
		index("/channels/{channel_id}", "channel", "List the commands that the caller can use in a channel.", h.channelIndex),
		index("/applications/{application_id}", "application",
			"List the commands of an application that the caller can use without a guild.", h.applicationIndex),
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}/application-commands/search", Name: "channel.search",
			Doc:   "Search the commands that the caller can use in a channel by name, best match first.",
			Allow: api.People, Group: ratelimit.CommandsIndex, Answer: map[int]string{200: "CommandIndex"}, Handle: h.searchCommands,
			Query: []api.Parameter{
				{Name: "type", Kind: "integer", Doc: "Type of the commands, 1 to 4; default 1."},
				{Name: "query", Kind: "string", Doc: "Text to search in names, at most 100 characters; default all commands."},
				{Name: "limit", Kind: "integer", Doc: "Maximum number of results, 1 to 25; default 25."},
			},
		},
	}
}

func (h *indexHandlers) guildIndex(c *api.Call) error {
	id, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return c.Result(h.picker.GuildIndex(c.Context(), c.Principal.User, id, localeOf(c, h.directory)))
}

func (h *indexHandlers) userIndex(c *api.Call) error {
	return c.Result(h.picker.UserIndex(c.Context(), c.Principal.User, localeOf(c, h.directory)))
}

func (h *indexHandlers) channelIndex(c *api.Call) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	return c.Result(h.picker.ChannelIndex(c.Context(), c.Principal.User, id, localeOf(c, h.directory)))
}

func (h *indexHandlers) applicationIndex(c *api.Call) error {
	id, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	return c.Result(h.picker.ApplicationIndex(c.Context(), c.Principal.User, id, localeOf(c, h.directory)))
}

func (h *indexHandlers) searchCommands(c *api.Call) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
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
	return c.Result(h.picker.Search(c.Context(), c.Principal.User, id, search, localeOf(c, h.directory)))
}

func readSearchType(q *api.Query) command.Type {
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
