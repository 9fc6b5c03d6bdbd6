package client

import (
	"context"
	"net/http"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// InteractionType is the kind of an interaction, by its wire number.
type InteractionType uint8

// The kinds of interactions.
const (
	Ping               InteractionType = 1
	ApplicationCommand InteractionType = 2
	MessageComponent   InteractionType = 3
	Autocomplete       InteractionType = 4
	ModalSubmit        InteractionType = 5
)

// CallbackType is the kind of an app's answer to an interaction, by its wire number.
type CallbackType uint8

// The kinds of answers.
const (
	Pong                   CallbackType = 1
	ChannelMessage         CallbackType = 4
	DeferredChannelMessage CallbackType = 5
	DeferredUpdateMessage  CallbackType = 6
	UpdateMessage          CallbackType = 7
	AutocompleteResult     CallbackType = 8
	OpenModal              CallbackType = 9
	LaunchActivity         CallbackType = 12
)

// Interaction is the message that an app receives when a user invokes one of its commands or uses a component.
type Interaction struct {
	ID          snowflake.Interaction `json:"id"`
	Application snowflake.Application `json:"application_id"`
	Type        InteractionType       `json:"type"`
	Token       string                `json:"token"`
	Guild       snowflake.Guild       `json:"guild_id,omitzero"`
	Channel     snowflake.Channel     `json:"channel_id,omitzero"`
	Locale      string                `json:"locale,omitzero"`
	GuildLocale string                `json:"guild_locale,omitzero"`
	Data        InteractionData       `json:"data,omitzero"`
	// Rest holds all other members.
	Rest jsontext.Value `json:",embed"`
}

// InteractionData is the data member of an interaction.
type InteractionData struct {
	ID      snowflake.Command `json:"id,omitzero"` // 0 for components, whose id is a number within their message
	Name    string            `json:"name,omitzero"`
	Type    command.Type      `json:"type,omitzero"`
	Target  snowflake.Target  `json:"target_id,omitzero"`
	Options []OptionValue     `json:"options,omitzero"`
	Rest    jsontext.Value    `json:",embed"`
}

// UnmarshalJSON reads the data of a command, a component or a modal.
func (d *InteractionData) UnmarshalJSON(text []byte) error {
	type Plain InteractionData
	read := struct {
		*Plain

		ID jsontext.Value `json:"id"`
	}{Plain: (*Plain)(d)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if read.ID.Kind() == '"' {
		return json.Unmarshal(read.ID, &d.ID)
	}
	return nil
}

// OptionValue is the value that a user gave for an option, or a subcommand with its options.
type OptionValue struct {
	Name    string             `json:"name"`
	Type    command.OptionType `json:"type"`
	Value   jsontext.Value     `json:"value,omitzero"`
	Focused bool               `json:"focused,omitzero"`
	Options []OptionValue      `json:"options,omitzero"`
}

// Option returns the JSON value of an option, also of one below a subcommand, or nil.
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
	// Rest holds all other members.
	Rest jsontext.Value `json:",embed"`
}

// Callback is an app's answer to an interaction.
type Callback struct {
	Type CallbackType `json:"type"`
	Data any          `json:"data,omitzero"` // becomes a JSON object
}

// Respond sends the first answer to an interaction. It needs no token except that of the interaction.
func (c *Client) Respond(ctx context.Context, id snowflake.Interaction, token string, answer Callback) error {
	return c.write(ctx, http.MethodPost, "/interactions/"+id.String()+"/"+token+"/callback", answer, nil)
}

func originalPath(app snowflake.Application, token string) string {
	return "/webhooks/" + app.String() + "/" + token + "/messages/@original"
}

func followupPath(app snowflake.Application, token string, id snowflake.Message) string {
	return "/webhooks/" + app.String() + "/" + token + "/messages/" + id.String()
}

// OriginalResponse returns the message of the first answer.
func (c *Client) OriginalResponse(ctx context.Context, app snowflake.Application, token string) (Message, error) {
	var m Message
	err := c.get(ctx, originalPath(app, token), &m)
	return m, err
}

// EditOriginalResponse edits the message of the first answer, or completes a deferred answer.
func (c *Client) EditOriginalResponse(ctx context.Context, app snowflake.Application, token string, message any) (Message, error) {
	var m Message
	err := c.write(ctx, http.MethodPatch, originalPath(app, token), message, &m)
	return m, err
}

// DeleteOriginalResponse deletes the message of the first answer.
func (c *Client) DeleteOriginalResponse(ctx context.Context, app snowflake.Application, token string) error {
	return c.delete(ctx, originalPath(app, token))
}

// Follow sends a follow-up message.
func (c *Client) Follow(ctx context.Context, app snowflake.Application, token string, message any) (Message, error) {
	var m Message
	err := c.write(ctx, http.MethodPost, "/webhooks/"+app.String()+"/"+token, message, &m)
	return m, err
}

// EditFollowup edits a follow-up message.
func (c *Client) EditFollowup(ctx context.Context, app snowflake.Application, token string, id snowflake.Message, message any) (Message, error) {
	var m Message
	err := c.write(ctx, http.MethodPatch, followupPath(app, token, id), message, &m)
	return m, err
}

// DeleteFollowup deletes a follow-up message.
func (c *Client) DeleteFollowup(ctx context.Context, app snowflake.Application, token string, id snowflake.Message) error {
	return c.delete(ctx, followupPath(app, token, id))
}
