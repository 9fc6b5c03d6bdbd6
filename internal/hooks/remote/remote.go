// Package remote makes hooks of URLs: it posts each call to another program, signed like an interaction, and reads the answer. It
// reads the file that lists these hooks.
package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxAnswer bounds the answer of a hook, in bytes.
const maxAnswer = 256 << 10

// agent is the User-Agent header of calls.
const agent = "Bellhop-Hooks/1.0 (+https://github.com/bellhop/bellhop)"

// The phases of a call.
const (
	before = "before"
	after  = "after"
)

// Config contains the dependencies of Caller. All fields are required.
type Config struct {
	Clock clock.Clock // of the machine
	Log   *slog.Logger
	Key   *Key
	Dev   bool // plain http and the networks of the machine are allowed
}

// Caller calls the hooks of a file. The owner closes it. A nil Caller has none.
type Caller struct {
	Config

	senders []*webhook.Deliverer // one for each hook, so that none takes the connections of another
}

// New returns a caller without hooks.
func New(c Config) *Caller { return &Caller{Config: c} }

// Close ends the calls under way and closes all connections.
func (c *Caller) Close() {
	if c == nil {
		return
	}
	for _, s := range c.senders {
		s.Close()
	}
}

// Hooks returns the hooks of a file. The caller calls them.
func (c *Caller) Hooks(targets []Target) []hooks.Hook {
	list := make([]hooks.Hook, len(targets))
	for i, t := range targets {
		list[i] = c.hook(t)
	}
	return list
}

// hook returns the hook of a target.
func (c *Caller) hook(t Target) hooks.Hook {
	sender := webhook.New(webhook.Config{Clock: c.Clock, Log: c.Log.With("hook", t.Name), Policy: t.policy(c.Dev)})
	c.senders = append(c.senders, sender)
	h := hooks.Hook{
		Name: t.Name, BeforeEvents: t.Before, AfterEvents: t.After, Timeout: t.Timeout, FailOpen: t.FailOpen, URL: t.shownURL(),
	}
	if len(t.Before) > 0 {
		h.Before = func(ctx context.Context, call *hooks.Call) error {
			answer, err := c.send(ctx, sender, t, before, *call)
			if err != nil {
				return err
			}
			return answer.apply(call)
		}
	}
	if len(t.After) > 0 {
		h.After = func(ctx context.Context, call hooks.Call) error {
			_, err := c.send(ctx, sender, t, after, call)
			return err
		}
	}
	return h
}

// body is the JSON object that is posted.
type body struct {
	Hook  string `json:"hook"`
	Phase string `json:"phase"`
	hooks.Call
}

// answer is the answer of a hook before.
type answer struct {
	refused bool
	reason  string
	change  jsontext.Value
}

// apply makes the answer the result of a call before.
func (a *answer) apply(c *hooks.Call) error {
	if a.refused {
		return &hooks.Refusal{Reason: a.reason}
	}
	c.Change = a.change
	return nil
}

// send posts a call and returns the answer. A call after needs a status of success; its answer is not read.
func (c *Caller) send(ctx context.Context, sender *webhook.Deliverer, t Target, phase string, call hooks.Call) (*answer, error) {
	key, err := c.Key.Seed(ctx)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(body{t.Name, phase, call})
	if err != nil {
		return nil, err
	}
	r, err := sender.Send(ctx, webhook.Post{
		URL: t.URL, Key: key, Body: text, Deadline: c.Clock.Now().Add(t.timeout()), MaxAnswer: maxAnswer, Agent: agent,
	})
	switch {
	case err != nil:
		return nil, err
	case phase == after && r.Status/100 == 2, r.Status == http.StatusNoContent:
		return &answer{}, nil
	case r.Status != http.StatusOK:
		return nil, fmt.Errorf("the hook answered %d", r.Status)
	}
	return readAnswer(r.Body)
}

// readAnswer reads the answer of a hook before: an object with refuse or change, or nothing.
func readAnswer(data []byte) (*answer, error) {
	if len(data) == 0 {
		return &answer{}, nil
	}
	var known struct {
		Refuse *string        `json:"refuse"`
		Change jsontext.Value `json:"change"`
	}
	v, err := jsonbody.Parse(data)
	if err != nil || v.Kind() != jsonbody.Object || json.Unmarshal(data, &known) != nil {
		return nil, errors.New(`the answer is not a JSON object with "refuse" or "change"`)
	}
	for _, m := range v.Members() {
		if !slices.Contains([]string{"refuse", "change"}, m.Name) {
			return nil, errors.New(`the answer has a member that is neither "refuse" nor "change"`)
		}
	}
	a := &answer{refused: known.Refuse != nil, change: known.Change}
	if a.refused {
		a.reason = *known.Refuse
	}
	if known.Change.Kind() == 'n' {
		a.change = nil
	}
	return a, nil
}

// timeout returns the time that a call may take.
func (t *Target) timeout() time.Duration {
	if t.Timeout == 0 {
		return hooks.DefaultTimeout
	}
	return t.Timeout
}
