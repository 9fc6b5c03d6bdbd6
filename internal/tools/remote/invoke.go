package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/component"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
)

// finalTimeout is a little longer than an app may take for a deferred response.
const finalTimeout = 16 * time.Minute

// The values of Wait.
const (
	waitAnswer = "answer"
	waitFinal  = "final"
)

// Invocation is a command that a person uses, and what the person does with the answers of the app.
type Invocation struct {
	BaseURL      string
	As, In       string // empty: the service chooses
	Command      string
	Autocomplete string            // option to complete; empty: the command is used
	Wait         string            // answer, final or none
	Timeout      time.Duration     // 0: the default of Wait
	Press        []string          // labels or custom ids of buttons, which are pressed one after the other
	Submit       map[string]string // fields of the form that is open at the end, by label or custom id; nil: it stays open
}

// Answer is the outcome of one step of an invocation.
type Answer struct {
	JSON    []byte
	Outcome jsonbody.Value
}

// Failed reports whether the app did not answer.
func (a Answer) Failed() bool { return a.Outcome.Get("outcome").Text() == "failed" }

// Run uses the command, presses the buttons and submits the form. It calls show after each step and ends with a step that
// failed.
func (i Invocation) Run(ctx context.Context, show func(Answer) error) error {
	steps := len(i.Press)
	if i.Submit != nil {
		steps++
	}
	shown := []jsonbody.Value{} // messages, newest last
	a, err := i.send(ctx, component.Object{"command": i.Command, "autocomplete": i.Autocomplete}, steps == 0)
	for done := 0; err == nil; done++ {
		if err := show(a); err != nil || a.Failed() || done == steps {
			return err
		}
		shown = append(shown, a.Outcome.Get("messages").Items()...)
		var use component.Object
		if done < len(i.Press) {
			use, err = press(shown, i.Press[done])
		} else {
			use, err = submit(a.Outcome, i.Submit)
		}
		if err == nil {
			a, err = i.send(ctx, component.Object{"interaction": use}, done+1 == steps)
		}
	}
	return err
}

// send sends one step. All steps but the last wait for the result of a deferred response.
func (i Invocation) send(ctx context.Context, body component.Object, last bool) (a Answer, err error) {
	wait := waitFinal
	if last {
		wait = i.Wait
	}
	body["wait"] = wait
	for name, value := range map[string]string{"as": i.As, "in": i.In} {
		if value != "" {
			body[name] = value
		}
	}
	q := Request{Method: http.MethodPost, URL: Root(i.BaseURL) + "/_dev/invoke", ContentType: "application/json", Timeout: i.Timeout}
	if wait == waitFinal && i.Timeout == 0 {
		q.Timeout = finalTimeout
	}
	if q.Body, err = json.Marshal(body); err != nil {
		return a, err
	}
	a.JSON, err = q.Send(ctx)
	if errors.Is(err, context.DeadlineExceeded) && i.Timeout > 0 {
		return a, fmt.Errorf("the app did not answer within %v: see Traffic in the console", i.Timeout)
	}
	if err != nil {
		return a, Describe(err)
	}
	if a.Outcome, err = jsonbody.Parse(a.JSON); err != nil {
		err = fmt.Errorf("response of the service: %w", err)
	}
	return a, err
}

// press returns the interaction of a person who presses a button of the newest message that has it.
func press(messages []jsonbody.Value, name string) (component.Object, error) {
	var labels []string
	for _, m := range slices.Backward(messages) {
		if c, ok := component.Find(m.Get("components"), component.Button(name)); ok {
			return component.Use(m.Get("application_id").Text(), m.Get("id").Text(), c, nil, nil), nil
		}
		for c := range component.All(m.Get("components")) {
			if component.IsButton(c) {
				labels = append(labels, c.Get("label").Text())
			}
		}
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("--press %q: the answer has no buttons", name)
	}
	return nil, fmt.Errorf("--press %q: the answer has only the buttons %s", name, strings.Join(labels, ", "))
}

// submit returns the interaction of a person who submits the form that the app opened.
func submit(outcome jsonbody.Value, fields map[string]string) (component.Object, error) {
	form, ok := component.FormOf(outcome)
	if !ok {
		return nil, errors.New("--submit: the app opened no form")
	}
	filled := map[string]any{}
	for name, value := range fields {
		filled[name] = value
	}
	use, err := form.Submit(filled, nil)
	if err != nil {
		return nil, fmt.Errorf("--submit: %w", err)
	}
	return use, nil
}
