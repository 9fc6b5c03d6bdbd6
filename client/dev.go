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

// Dev calls the dev controls below /_dev/, which exist with "bellhop dev" and "--dev". Client.Dev returns one.
type Dev struct{ c *Client }

// Dev returns the dev controls of the service.
func (c *Client) Dev() Dev { return Dev{c} }

func (d Dev) path(name string) string { return d.c.Root() + "/_dev/" + name }

// Now returns the time of the service's clock.
func (d Dev) Now(ctx context.Context) (time.Time, error) {
	var t struct {
		Now time.Time `json:"now"`
	}
	err := d.c.get(ctx, d.path("clock"), &t)
	return t.Now, err
}

// Advance moves the service's clock forward. When it returns, everything that fell due in between has happened.
func (d Dev) Advance(ctx context.Context, by time.Duration) (time.Time, error) {
	body := struct {
		Advance string `json:"advance"`
	}{by.String()}
	var t struct {
		Now time.Time `json:"now"`
	}
	err := d.c.write(ctx, http.MethodPost, d.path("clock"), body, &t)
	return t.Now, err
}

// MintToken returns an access token without the browser: for a user or, if user is 0, the application's own
// client-credentials token. Without scopes the service chooses them; see docs/dev.md.
func (d Dev) MintToken(ctx context.Context, app snowflake.Application, user snowflake.User, scopes ...string) (Token, error) {
	body := struct {
		Application snowflake.Application `json:"application"`
		User        snowflake.User        `json:"user,omitzero"`
		Scopes      []string              `json:"scopes,omitzero"`
	}{app, user, scopes}
	var t Token
	err := d.c.write(ctx, http.MethodPost, d.path("token"), body, &t)
	return t, err
}

// Secrets holds the tokens and secrets that ApplyWorld created, by id. The service does not show them again.
type Secrets struct {
	BotTokens     map[snowflake.Application]string `json:"bot_tokens"`
	ClientSecrets map[snowflake.Application]string `json:"client_secrets"`
	UserTokens    map[snowflake.User]string        `json:"user_tokens"`
}

// ApplyWorld applies a world file, YAML or JSON.
func (d Dev) ApplyWorld(ctx context.Context, file string) (Secrets, error) {
	var made Secrets
	_, err := d.c.call(ctx, Request{
		Method: http.MethodPost, Path: d.path("world"), Header: http.Header{"Content-Type": {"application/yaml"}},
		Body: strings.NewReader(file),
	}, &made)
	return made, err
}

// Reset returns the service to the world that it started with.
func (d Dev) Reset(ctx context.Context) error {
	return d.c.write(ctx, http.MethodPost, d.path("reset"), nil, nil)
}

// Invocation is the use of a command by a user.
type Invocation struct {
	As string `json:"as"` // a user's id or username
	In string `json:"in"` // a channel's id, or the names of guild and channel with a slash between
	// Command is the line as typed, or a value that becomes a JSON object.
	Command any `json:"command,omitzero"`
	// Interaction is the use of a component or the submission of a modal, instead of Command: the body of POST
	// /interactions, without the channel and the guild.
	Interaction any `json:"interaction,omitzero"`
	// Locale is the locale of the user's client; empty means that of the user.
	Locale string `json:"locale,omitzero"`
	// Wait is "answer" (the default) to wait for the first answer, "final" to wait for a deferred answer, or "none".
	Wait string `json:"wait,omitzero"`
	// Timeout bounds the wait, such as "5s". The outcome then has what is known.
	Timeout string `json:"timeout,omitzero"`
	// Autocomplete is the name of the option to autocomplete.
	Autocomplete string `json:"autocomplete,omitzero"`
}

// Outcome is the result of an invocation.
type Outcome struct {
	Outcome     string       `json:"outcome"` // answered, deferred, launched or failed
	Reason      *string      `json:"reason"`  // of failed
	Interaction *Interaction `json:"interaction"`
	Response    *Callback    `json:"response"`
	// Messages are the messages that the user sees as a result.
	Messages []Message      `json:"messages"`
	Choices  []Suggestion   `json:"choices"`
	Modal    jsontext.Value `json:"modal"`
	// Timings has the time of each step, in milliseconds after the start.
	Timings map[string]float64 `json:"timings_ms"`
}

// Text returns the content of the first message, or "" if there is none.
func (o Outcome) Text() string {
	if len(o.Messages) == 0 {
		return ""
	}
	return o.Messages[0].Content
}

// Suggestion is one autocomplete choice.
type Suggestion struct {
	Name  string         `json:"name"`
	Value jsontext.Value `json:"value"`
	Rest  jsontext.Value `json:",embed"`
}

// Invoke uses a command as a user and returns the answer of the app.
func (d Dev) Invoke(ctx context.Context, use Invocation) (Outcome, error) {
	var o Outcome
	err := d.c.write(ctx, http.MethodPost, d.path("invoke"), use, &o)
	return o, err
}

// Faults lists the faults that are active.
func (d Dev) Faults(ctx context.Context) ([]Fault, error) {
	var list []Fault
	err := d.c.get(ctx, d.path("faults"), &list)
	return list, err
}

// AddFault adds a fault and returns it with its id.
func (d Dev) AddFault(ctx context.Context, f Fault) (Fault, error) {
	var added Fault
	err := d.c.write(ctx, http.MethodPost, d.path("faults"), f, &added)
	return added, err
}

// ClearFaults removes all faults.
func (d Dev) ClearFaults(ctx context.Context) error { return d.c.delete(ctx, d.path("faults")) }

// Exchange is one recorded request, delivery or gateway frame. Secrets are masked.
type Exchange struct {
	ID          uint64                `json:"id,string"`
	Time        time.Time             `json:"time"`
	Kind        string                `json:"kind"` // request, delivery, frame or outcome
	Application snowflake.Application `json:"application_id,omitzero"`
	User        snowflake.User        `json:"user_id,omitzero"`
	Method      string                `json:"method,omitzero"` // of a frame its direction
	Route       string                `json:"route,omitzero"`  // of a frame the name of its event
	Path        string                `json:"path,omitzero"`
	Status      int                   `json:"status,omitzero"` // of a frame its opcode
	Gap         string                `json:"gap,omitzero"`    // the operation of Discord that the service does not have
	Interaction snowflake.Interaction `json:"interaction_id,omitzero"`
	Outcome     string                `json:"outcome,omitzero"` // of an interaction: answered, deferred, launched or failed
	Error       string                `json:"error,omitzero"`
	// SignatureValid says whether the signature of a delivery fits the body that was sent, which had no mask.
	SignatureValid *bool    `json:"signature_valid,omitzero"`
	TookMS         float64  `json:"took_ms,omitzero"`
	Request        *Content `json:"request,omitzero"`
	Response       *Content `json:"response,omitzero"`
}

// Content is one direction of an exchange.
type Content struct {
	Headers map[string]string `json:"headers,omitzero"`
	Body    string            `json:"body,omitzero"`
	Size    int64             `json:"size"`
	Cut     bool              `json:"cut,omitzero"` // there was more than Body shows
}

// Requests returns recorded exchanges, newest first. The filter takes the query parameters of GET /_dev/requests.
func (d Dev) Requests(ctx context.Context, filter url.Values) ([]Exchange, error) {
	var list []Exchange
	_, err := d.c.call(ctx, Request{Method: http.MethodGet, Path: d.path("requests"), Query: filter}, &list)
	return list, err
}
