package client

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Command is a registered command.
type Command struct {
	ID      snowflake.Command
	Scope   command.Scope
	Version snowflake.Version
	command.Definition

	// Raw is the JSON of the command, with members that this package does not know.
	Raw jsontext.Value
}

// UnmarshalJSON reads a command as the service shows it.
func (c *Command) UnmarshalJSON(data []byte) error {
	var ids struct {
		ID          snowflake.Command     `json:"id"`
		Application snowflake.Application `json:"application_id"`
		Guild       *snowflake.Guild      `json:"guild_id"`
		Version     snowflake.Version     `json:"version"`
	}
	if err := json.Unmarshal(data, &ids); err != nil {
		return err
	}
	raw := bytes.Clone(data)
	d, err := (&command.Command{Doc: raw}).Definition()
	if err != nil {
		return fmt.Errorf("command %s: %w", ids.ID, err)
	}
	*c = Command{ID: ids.ID, Scope: command.Scope{Application: ids.Application}, Version: ids.Version, Definition: d, Raw: raw}
	if ids.Guild != nil {
		c.Scope.Guild = *ids.Guild
	}
	return nil
}

// Item is one definition of a bulk overwrite. With an ID it replaces the command with that id.
type Item struct {
	ID snowflake.Command // 0: matched by type and name
	command.Definition
}

// CommandsPath returns the path of the commands of a scope.
func CommandsPath(s command.Scope) string {
	if s.Global() {
		return "/applications/" + s.Application.String() + "/commands"
	}
	return "/applications/" + s.Application.String() + "/guilds/" + s.Guild.String() + "/commands"
}

func commandPath(s command.Scope, id snowflake.Command) string {
	return CommandsPath(s) + "/" + id.String()
}

// Commands lists the commands of a scope with all localizations.
func (c *Client) Commands(ctx context.Context, s command.Scope) ([]Command, error) {
	var list []Command
	_, err := c.call(ctx, Request{
		Method: http.MethodGet, Path: CommandsPath(s), Query: url.Values{"with_localizations": {"true"}},
	}, &list)
	return list, err
}

// Command returns one command.
func (c *Client) Command(ctx context.Context, s command.Scope, id snowflake.Command) (Command, error) {
	var found Command
	err := c.get(ctx, commandPath(s, id), &found)
	return found, err
}

// CreateCommand creates a command or overwrites the one with the same type and name. It reports whether it created one.
func (c *Client) CreateCommand(ctx context.Context, s command.Scope, d command.Definition) (made Command, created bool, err error) {
	status, err := c.call(ctx, Request{Method: http.MethodPost, Path: CommandsPath(s), Body: Body(d)}, &made)
	return made, status == http.StatusCreated, err
}

// EditCommand changes the members of a command that patch contains. Patch is a struct or a map that becomes a JSON object.
func (c *Client) EditCommand(ctx context.Context, s command.Scope, id snowflake.Command, patch any) (Command, error) {
	var changed Command
	err := c.write(ctx, http.MethodPatch, commandPath(s, id), patch, &changed)
	return changed, err
}

// DeleteCommand deletes a command and its permissions in all guilds.
func (c *Client) DeleteCommand(ctx context.Context, s command.Scope, id snowflake.Command) error {
	return c.delete(ctx, commandPath(s, id))
}

// OverwriteCommands replaces all commands of a scope. If it fails, it changes nothing.
func (c *Client) OverwriteCommands(ctx context.Context, s command.Scope, items []Item) ([]Command, error) {
	bodies := make([]jsontext.Value, len(items))
	for i, item := range items {
		bodies[i] = Body(item.Definition)
		if item.ID != 0 {
			bodies[i] = append([]byte(`{"id":"`+item.ID.String()+`",`), bodies[i][1:]...)
		}
	}
	return c.OverwriteRaw(ctx, s, bodies)
}

// OverwriteRaw is OverwriteCommands with definitions in JSON.
func (c *Client) OverwriteRaw(ctx context.Context, s command.Scope, items []jsontext.Value) ([]Command, error) {
	var list []Command
	err := c.write(ctx, http.MethodPut, CommandsPath(s), items, &list)
	return list, err
}

// noDescription hides the description of context menu commands, which must not have one in a request.
var noDescription = []byte(`"description":"","description_localizations":null,`)

// Body returns the JSON value of a definition for a request.
func Body(d command.Definition) jsontext.Value {
	if d.Type == 0 {
		d.Type = command.ChatInput
	}
	return bytes.Replace(d.Doc(), noDescription, nil, 1)
}
