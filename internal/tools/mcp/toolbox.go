// Package mcp gives coding agents tools of the Model Context Protocol: they arrange a world, run a bot, act as people, and find out why
// the bot does not do what it should. The tools use the dev controls of a service, as the subcommands of bellhop do.
package mcp

import (
	"context"
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/docsite"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/scenario"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Toolbox has the service with dev controls that the tools use, and at most one bot. It is safe for concurrent use. All fields are
// required.
type Toolbox struct {
	Service     string // URL of a service with dev controls, without the path of the API
	Version     string
	Open        scenario.Opener // opens the services of scenarios
	Clock       clock.Clock
	Environment []string                       // of bots
	Docs        func() ([]docsite.Page, error) // returns the documentation

	calls calls
	bot   bots
	seen  memory
}

// Close ends the calls that run, and stops the bot. When it returns, no program that a tool has started runs any more.
func (t *Toolbox) Close() {
	t.calls.close()
	t.bot.stop()
}

const instructions = `Bellhop answers bots as Discord does, on this machine. Typical order: start_bot, use_command, press or submit, and explain_failure
when something goes wrong. Names work instead of ids: a user is "ada", a channel is "Lab/general". status lists them. Results are short and
have ids; read_exchange shows the whole text of one request, delivery or gateway frame. The clock is Bellhop's own: move_clock lets
timeouts pass. The resources are the documentation; docs/parity.md says which operations of Discord are served.`

// Server returns a server with all tools and resources.
func (t *Toolbox) Server() (*sdk.Server, error) {
	s := sdk.NewServer(&sdk.Implementation{Name: "bellhop", Title: "Bellhop", Version: t.Version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{}})
	t.addWorldTools(s)
	t.addBotTools(s)
	t.addPeopleTools(s)
	t.addLookTools(s)
	pages, err := t.Docs()
	if err != nil {
		return nil, err
	}
	addDocuments(s, pages)
	return s, nil
}

// effect says how a tool changes the world.
type effect uint8

const (
	reads effect = iota
	adds
	replaces
)

// add adds a tool. Its input and its output are described by the tags of the types.
func add[In, Out any](t *Toolbox, s *sdk.Server, name string, does effect, about string, handle func(context.Context, In) (Out, error)) {
	closed, destroys := false, does == replaces
	tool := &sdk.Tool{
		Name: name, Description: about,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: does == reads, DestructiveHint: &destroys, OpenWorldHint: &closed},
	}
	sdk.AddTool(s, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		ctx, end, err := t.calls.begin(ctx)
		if err != nil {
			var nothing Out
			return nil, nothing, err
		}
		defer end()
		out, err := handle(ctx, in)
		return nil, out, short(err)
	})
}

// maxProblem bounds the text of an error.
const maxProblem = 4000

// short returns an error with what the service says about it, in at most maxProblem bytes.
func short(err error) error {
	err = remote.Describe(err)
	if err == nil || len(err.Error()) <= maxProblem {
		return err
	}
	return errors.New(cut(err.Error(), maxProblem))
}

// none is the input of a tool without arguments.
type none struct{}

// dev returns the dev controls of the service.
func (t *Toolbox) dev() client.Dev { return t.client("").Dev() }

func (t *Toolbox) client(authorization string) *client.Client {
	return &client.Client{BaseURL: t.Service + "/api/v10", Authorization: authorization}
}

// ask sends a request to a path of the service and returns the answer. body becomes JSON; nil: none.
func (t *Toolbox) ask(ctx context.Context, method, path, token string, body any) (jsonbody.Value, error) {
	q := remote.Request{Method: method, URL: t.Service + path, Token: token}
	var text jsonText
	err := q.Ask(ctx, body, &text)
	if err != nil {
		return jsonbody.Value{}, err
	}
	return jsonbody.Parse(text)
}

// jsonText keeps the text of a JSON value.
type jsonText []byte

// UnmarshalJSON implements json.Unmarshaler.
func (j *jsonText) UnmarshalJSON(text []byte) error {
	*j = append((*j)[:0], text...)
	return nil
}

// userToken returns a token of a user that is valid for an hour.
func (t *Toolbox) userToken(ctx context.Context, user string) (string, error) {
	operator, err := t.ask(ctx, http.MethodPost, "/_dev/console", "", nil)
	if err != nil {
		return "", err
	}
	pass, err := t.ask(ctx, http.MethodPost, "/admin/v1/users/"+user+"/passes", operator.Get("token").Text(), struct{}{})
	return pass.Get("token").Text(), err
}

// cut returns at most n bytes of a text.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return toValid(text[:n]) + "…"
}
