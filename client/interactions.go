package client

import (
	"context"
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Interaction is what an app receives when somebody uses it.
type Interaction struct {
	ID          snowflake.Interaction `json:"id"`
	Application snowflake.Application `json:"application_id"`
	Type        interaction.Type      `json:"type"`
	Token       string                `json:"token"`
	Guild       snowflake.Guild       `json:"guild_id,omitzero"`
	Channel     snowflake.Channel     `json:"channel_id,omitzero"`
	Locale      string                `json:"locale,omitzero"`
	GuildLocale string                `json:"guild_locale,omitzero"`
	Data        InteractionData       `json:"data,omitzero"`
	// Rest holds the other members as they came.
	Rest jsontext.Value `json:",unknown"`
}

// InteractionData says what is used, and how.
type InteractionData struct {
	ID      snowflake.Command `json:"id,omitzero"`
	Name    string            `json:"name,omitzero"`
	Type    command.Type      `json:"type,omitzero"`
	Target  snowflake.Target  `json:"target_id,omitzero"`
	Options []OptionValue     `json:"options,omitzero"`
	Rest    jsontext.Value    `json:",unknown"`
}

// OptionValue is what was given for an option, or a subcommand with the options below it.
type OptionValue struct {
	Name    string             `json:"name"`
	Type    command.OptionType `json:"type"`
	Value   jsontext.Value     `json:"value,omitzero"`
	Focused bool               `json:"focused,omitzero"`
	Options []OptionValue      `json:"options,omitzero"`
}

// Option returns the value of an option at any depth as it came, or nil.
func (d InteractionData) Option(name string) jsontext.Value { return find(d.Options, name) }

func find(options []OptionValue, name string) jsontext.Value {
	for _, o := range options {
		if o.Name == name && o.Value != nil {
			return o.Value
		}
		if v := find(o.Options, name); v != nil {
			return v
		}
	}
	return nil
}

// Message is a message as the service shows it.
type Message struct {
	ID      snowflake.Message `json:"id,omitzero"`
	Channel snowflake.Channel `json:"channel_id,omitzero"`
	Content string            `json:"content"`
	Flags   int               `json:"flags,omitzero"`
	// Rest holds the other members as they came.
	Rest jsontext.Value `json:",unknown"`
}

// Callback is an app's answer to an interaction.
type Callback struct {
	Type interaction.CallbackType `json:"type"`
	Data any                      `json:"data,omitzero"` // becomes a JSON object
}

// Respond answers an interaction for the first time. It needs no token but the interaction's own.
func (c *Client) Respond(ctx context.Context, id snowflake.Interaction, token string, answer Callback) error {
	return c.write(ctx, http.MethodPost, "/interactions/"+id.String()+"/"+token+"/callback", answer, nil)
}

func originalPath(app snowflake.Application, token string) string {
	return "/webhooks/" + app.String() + "/" + token + "/messages/@original"
}

func followupPath(app snowflake.Application, token string, id snowflake.Message) string {
	return "/webhooks/" + app.String() + "/" + token + "/messages/" + id.String()
}

// OriginalResponse reads the message that the first answer made.
func (c *Client) OriginalResponse(ctx context.Context, app snowflake.Application, token string) (Message, error) {
	var m Message
	err := c.get(ctx, originalPath(app, token), &m)
	return m, err
}

// EditOriginalResponse changes the message that the first answer made, or fills in a deferred one.
func (c *Client) EditOriginalResponse(ctx context.Context, app snowflake.Application, token string, message any) (Message, error) {
	var m Message
	err := c.write(ctx, http.MethodPatch, originalPath(app, token), message, &m)
	return m, err
}

// DeleteOriginalResponse deletes the message that the first answer made.
func (c *Client) DeleteOriginalResponse(ctx context.Context, app snowflake.Application, token string) error {
	return c.delete(ctx, originalPath(app, token))
}

// Follow sends a further message for an interaction.
func (c *Client) Follow(ctx context.Context, app snowflake.Application, token string, message any) (Message, error) {
	var m Message
	err := c.write(ctx, http.MethodPost, "/webhooks/"+app.String()+"/"+token, message, &m)
	return m, err
}

// EditFollowup changes a further message.
func (c *Client) EditFollowup(ctx context.Context, app snowflake.Application, token string, id snowflake.Message, message any) (Message, error) {
	var m Message
	err := c.write(ctx, http.MethodPatch, followupPath(app, token, id), message, &m)
	return m, err
}

// DeleteFollowup deletes a further message.
func (c *Client) DeleteFollowup(ctx context.Context, app snowflake.Application, token string, id snowflake.Message) error {
	return c.delete(ctx, followupPath(app, token, id))
}
