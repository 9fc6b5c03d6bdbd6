package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// devPath returns the address of a dev control, which stands beside the API.
func (c *Client) devPath(name string) string { return c.Root() + "/_dev/" + name }

// Now returns the time of a service with dev controls.
func (c *Client) Now(ctx context.Context) (time.Time, error) {
	var t struct {
		Now time.Time `json:"now"`
	}
	err := c.get(ctx, c.devPath("clock"), &t)
	return t.Now, err
}

// Advance moves the clock of a service with dev controls. What falls due on the way has happened when it returns.
func (c *Client) Advance(ctx context.Context, by time.Duration) (time.Time, error) {
	body := struct {
		Advance string `json:"advance"`
	}{by.String()}
	var t struct {
		Now time.Time `json:"now"`
	}
	err := c.write(ctx, http.MethodPost, c.devPath("clock"), body, &t)
	return t.Now, err
}

// MintToken returns an access token without a browser: acting for a user or, when that is 0, the application's own.
// Without scopes it allows what it is most wanted for.
func (c *Client) MintToken(ctx context.Context, app snowflake.Application, user snowflake.User, scopes ...string) (Token, error) {
	body := struct {
		Application snowflake.Application `json:"application"`
		User        snowflake.User        `json:"user,omitzero"`
		Scopes      []string              `json:"scopes,omitzero"`
	}{app, user, scopes}
	var t Token
	err := c.write(ctx, http.MethodPost, c.devPath("token"), body, &t)
	return t, err
}

// Secrets are those that applying a world made, by id. They cannot be shown again.
type Secrets struct {
	BotTokens     map[snowflake.Application]string `json:"bot_tokens"`
	ClientSecrets map[snowflake.Application]string `json:"client_secrets"`
	UserTokens    map[snowflake.User]string        `json:"user_tokens"`
}

// ApplyWorld applies a world file, YAML or JSON, to a service with dev controls.
func (c *Client) ApplyWorld(ctx context.Context, file string) (Secrets, error) {
	var made Secrets
	_, err := c.call(ctx, Request{
		Method: http.MethodPost, Path: c.devPath("world"), Header: http.Header{"Content-Type": {"application/yaml"}},
		Body: strings.NewReader(file),
	}, &made)
	return made, err
}

// Reset takes a service with dev controls back to the world that it started with.
func (c *Client) Reset(ctx context.Context) error {
	return c.write(ctx, http.MethodPost, c.devPath("reset"), nil, nil)
}

// Invocation is a person's use of a command.
type Invocation struct {
	As string `json:"as"` // a user's id or username
	In string `json:"in"` // a channel's id, or the names of guild and channel with a slash between
	// Command is the line as typed, or a value that becomes a JSON object.
	Command any `json:"command"`
	// Wait is "answer" for the first answer, the default, "final" for one that fills in a deferred answer, or "none".
	Wait string `json:"wait,omitzero"`
	// Autocomplete names the option that suggestions are asked for.
	Autocomplete string `json:"autocomplete,omitzero"`
}

// Outcome is what came of an invocation.
type Outcome struct {
	Outcome     string       `json:"outcome"` // answered, deferred, launched or failed
	Reason      *string      `json:"reason"`  // of failed
	Interaction *Interaction `json:"interaction"`
	Response    *Callback    `json:"response"`
	// Messages are those that came of it, as the person sees them.
	Messages []Message      `json:"messages"`
	Choices  []Suggestion   `json:"choices"`
	Modal    jsontext.Value `json:"modal"`
	// Timings holds how many milliseconds after the start each stage was reached.
	Timings map[string]float64 `json:"timings_ms"`
}

// Text returns what the first message says, or "" when there is none.
func (o Outcome) Text() string {
	if len(o.Messages) == 0 {
		return ""
	}
	return o.Messages[0].Content
}

// Suggestion is what an app offers while an option is typed.
type Suggestion struct {
	Name  string         `json:"name"`
	Value jsontext.Value `json:"value"`
	Rest  jsontext.Value `json:",unknown"`
}

// Invoke uses a command in a person's name and returns what the app answered.
func (c *Client) Invoke(ctx context.Context, use Invocation) (Outcome, error) {
	var o Outcome
	err := c.write(ctx, http.MethodPost, c.devPath("invoke"), use, &o)
	return o, err
}

// Faults lists what goes wrong on purpose.
func (c *Client) Faults(ctx context.Context) ([]Fault, error) {
	var list []Fault
	err := c.get(ctx, c.devPath("faults"), &list)
	return list, err
}

// AddFault makes a service with dev controls misbehave, and returns the fault with its id.
func (c *Client) AddFault(ctx context.Context, f Fault) (Fault, error) {
	var added Fault
	err := c.write(ctx, http.MethodPost, c.devPath("faults"), f, &added)
	return added, err
}

// ClearFaults ends all misbehaviour.
func (c *Client) ClearFaults(ctx context.Context) error { return c.delete(ctx, c.devPath("faults")) }

// Exchange is something that an app or a person sent or received, as a service with dev controls remembers it. Secrets are
// masked.
type Exchange struct {
	ID          uint64                `json:"id,string"`
	Time        time.Time             `json:"time"`
	Kind        string                `json:"kind"` // request, delivery or frame
	Application snowflake.Application `json:"application_id,omitzero"`
	User        snowflake.User        `json:"user_id,omitzero"`
	Method      string                `json:"method,omitzero"` // of a frame its direction
	Route       string                `json:"route,omitzero"`  // of a frame the name of its event
	Path        string                `json:"path,omitzero"`
	Status      int                   `json:"status,omitzero"` // of a frame its opcode
	Error       string                `json:"error,omitzero"`
	TookMS      float64               `json:"took_ms,omitzero"`
	Request     *Content              `json:"request,omitzero"`
	Response    *Content              `json:"response,omitzero"`
}

// Content is one direction of an exchange.
type Content struct {
	Headers map[string]string `json:"headers,omitzero"`
	Body    string            `json:"body,omitzero"`
	Size    int64             `json:"size"`
	Cut     bool              `json:"cut,omitzero"` // there was more than Body shows
}

// Requests returns what apps and people sent and received, the newest first. The filter's members are those of
// GET /_dev/requests.
func (c *Client) Requests(ctx context.Context, filter url.Values) ([]Exchange, error) {
	var list []Exchange
	_, err := c.call(ctx, Request{Method: http.MethodGet, Path: c.devPath("requests"), Query: filter}, &list)
	return list, err
}
