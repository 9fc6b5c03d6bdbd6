package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// play is a scenario while it runs.
type play struct {
	file    *File
	service *service
	app     *runningApp // nil: none
	clock   clock.Clock
	started time.Time // when the app was ready last
	people  map[string]*person
	vars    variables
	since   time.Time // of the first step, by the clock of the service

	as, in, locale string // of the current step; in is the id of the channel
	where          string // the channel as the step names it
	last           exchange
}

// exchange is a request of a step and its response, for reports.
type exchange struct {
	method, path string
	sent         string
	status       int
	received     string
}

// answer is the result of an action.
type answer struct {
	status  int            // of the response of the service
	body    jsonbody.Value // of the response; of an interaction its outcome
	subject jsonbody.Value // what paths refer to: the message, the form, the suggestions, or the body
	refused *refused       // the service refused the action; nil: it did not
}

// refused says why the service refused an action.
type refused struct {
	reasons []string
	message string
}

// openPlay starts the service and the app of a scenario. The caller closes the play, also after an error.
func openPlay(ctx context.Context, f *File, s *Scenario, open Opener, now clock.Clock) (*play, error) {
	p := &play{file: f, clock: now, people: map[string]*person{}}
	var err error
	if p.service, err = openService(ctx, f, open); err != nil {
		return p, fmt.Errorf("start the service: %w", err)
	}
	p.vars = worldVariables(p.service.world)
	if err := p.connectAll(ctx, s); err != nil || f.App == nil {
		return p, err
	}
	if p.app, err = startApp(ctx, f, p.service, now); err != nil {
		return p, err
	}
	p.started = now.Now()
	p.since, err = p.service.client("").Dev().Now(ctx)
	return p, err
}

// connectAll connects the users of a scenario, so that each sees all messages from the first step on.
func (p *play) connectAll(ctx context.Context, s *Scenario) error {
	for i := range s.Steps {
		name := s.Steps[i].As
		if _, err := p.service.user(name); err != nil {
			continue // the step reports it
		}
		p.as = name
		if _, err := p.person(ctx); err != nil {
			return err
		}
	}
	p.as = ""
	return nil
}

// close stops the app and the service.
func (p *play) close(ctx context.Context) error {
	if p.app != nil && p.app.stop != nil {
		p.app.stop()
	}
	for _, one := range p.people {
		one.close()
	}
	if p.service == nil {
		return nil
	}
	return p.service.close(ctx)
}

// step does a step and returns its answer and the expectations that do not hold.
func (p *play) step(ctx context.Context, raw *rawStep) (answer, []Mismatch, error) {
	value, err := p.vars.replace(raw.value)
	if err != nil {
		return answer{}, nil, err
	}
	var s Step
	var t jsonbody.Tree
	readValue(&t, value, &s)
	if err := t.Err(); err != nil {
		return answer{}, nil, err
	}
	if err := p.move(ctx, &s); err != nil {
		return answer{}, nil, err
	}
	p.last = exchange{}
	got, err := p.act(ctx, &s)
	if err != nil {
		return got, nil, err
	}
	wrong := p.expectations(ctx, &s, got)
	if len(wrong) == 0 {
		wrong = p.capture(s.Capture, got)
	}
	return got, wrong, nil
}

// capture sets variables from an answer.
func (p *play) capture(wanted map[string]string, got answer) []Mismatch {
	var wrong []Mismatch
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		v := valueAt(got.subject, wanted[name])
		switch v.Kind() {
		case jsonbody.String, jsonbody.Number:
			p.vars[name] = v.Text()
		case jsonbody.Absent, jsonbody.Null:
			wrong = append(wrong, Mismatch{"capture." + name, "a value at " + wanted[name], "nothing"})
		default:
			p.vars[name] = shown(v)
		}
	}
	return wrong
}

// move changes the user, the channel and the locale.
func (p *play) move(ctx context.Context, s *Step) error {
	p.as, p.locale = cmp.Or(s.As, p.as), cmp.Or(s.Locale, p.locale)
	if s.In != "" {
		id, ok := p.vars["channel."+s.In]
		p.in, p.where = cmp.Or(id, s.In), s.In
		if _, err := snowflake.Parse[snowflake.Channel](s.In); !ok && err != nil {
			return errors.New(unknown("channel", s.In, p.namesOf("channel")))
		}
	}
	if s.DM == "" {
		return nil
	}
	id, ok := p.vars["app."+s.DM]
	if !ok {
		return errors.New(unknown("app", s.DM, p.namesOf("app")))
	}
	user, err := p.service.user(p.as)
	if err != nil {
		return err
	}
	got, err := p.send(ctx, p.service.people[user.ID], http.MethodPost, "/users/@me/channels", object{"recipient_id": id})
	if err != nil {
		return err
	}
	p.in, p.where = got.body.Get("id").Text(), s.DM
	if got.refused != nil {
		return errors.New("open the direct messages: " + got.refused.message)
	}
	return nil
}

// person returns the current user, connected to the gateway.
func (p *play) person(ctx context.Context) (*person, error) {
	if one, ok := p.people[p.as]; ok {
		return one, nil
	}
	user, err := p.service.user(p.as)
	if err != nil {
		return nil, err
	}
	one, err := connect(ctx, p.service, p.service.people[user.ID], p.clock)
	if err != nil {
		return nil, err
	}
	p.people[p.as] = one
	return one, nil
}

// Reaction is the time before a component or a form is used. Some libraries get ready for it only after the service has
// accepted their answer; no person is faster.
const Reaction = 100 * time.Millisecond

// act does the action of a step.
func (p *play) act(ctx context.Context, s *Step) (answer, error) {
	if s.needsUser() {
		if _, err := p.person(ctx); err != nil {
			return answer{}, err
		}
	}
	if slices.Contains([]string{"press", "select", "submit"}, s.action()) {
		clock.Pause(ctx, Reaction)
	}
	switch s.action() {
	case "use":
		return p.use(ctx, s)
	case "complete":
		return p.complete(ctx, s)
	case "press":
		return p.press(ctx, s)
	case "select":
		return p.choose(ctx, s)
	case "submit":
		return p.submit(ctx, s)
	case "launch":
		return p.invoke(ctx, s, object{"command": object{"name": s.Launch, "type": 4}})
	case "advance":
		return p.control(ctx, http.MethodPost, "clock", object{"advance": time.Duration(s.Advance).String()})
	case "fault":
		if s.Fault.clear {
			return p.control(ctx, http.MethodDelete, "faults", nil)
		}
		return p.control(ctx, http.MethodPost, "faults", Value{s.Fault.body})
	case "restart":
		return answer{}, p.restart(ctx)
	case "lobby":
		return p.lobby(ctx, s.Lobby)
	case "permissions":
		return p.permissions(ctx, s.Permissions)
	case "call":
		return p.call(ctx, s.Call)
	}
	return answer{}, nil
}

// restart stops the app and starts it again.
func (p *play) restart(ctx context.Context) error {
	p.app.stop()
	before := p.app.output.String()
	var err error
	p.app, err = startApp(ctx, p.file, p.service, p.clock)
	p.started = p.clock.Now()
	if p.app != nil {
		p.app.output.prepend(before)
	}
	return err
}

// control calls the dev controls. An error of theirs is an error of the step.
func (p *play) control(ctx context.Context, method, name string, body any) (answer, error) {
	got, err := p.send(ctx, "", method, p.service.url+"/_dev/"+name, body)
	if err == nil && got.refused != nil {
		err = errors.New(got.refused.message)
	}
	return got, err
}

// send sends a request and keeps it for reports.
func (p *play) send(ctx context.Context, token, method, path string, body any) (answer, error) {
	return p.request(ctx, token, client.Request{Method: method, Path: path, Body: body})
}

func (p *play) request(ctx context.Context, token string, q client.Request) (answer, error) {
	p.last = exchange{method: q.Method, path: q.Path, sent: bodyText(q.Body)}
	got, err := p.service.client(token).Do(ctx, q)
	if err != nil {
		return answer{}, err
	}
	p.last.status, p.last.received = got.Status, string(got.Body)
	v, err := parseAnswer(got)
	a := answer{status: got.Status, body: v, subject: v}
	if got.Status >= http.StatusBadRequest {
		a.refused = newRefused(got.Status, v)
		return a, nil
	}
	return a, err
}

// parseAnswer parses the body of a response. An empty body is an absent value.
func parseAnswer(a *client.Answer) (jsonbody.Value, error) {
	if len(a.Body) == 0 {
		return jsonbody.Value{}, nil
	}
	return jsonbody.Parse(a.Body)
}

// newRefused returns the reasons in an error of the API.
func newRefused(status int, body jsonbody.Value) *refused {
	r := &refused{message: body.Get("message").Text(), reasons: []string{body.Get("code").Text()}}
	walkErrors(body.Get("errors"), "", func(path, code, message string) {
		r.reasons = append(r.reasons, code)
		r.message += "\n" + path + ": " + message
	})
	if r.message == "" {
		r.message = http.StatusText(status)
	}
	return r
}

// walkErrors calls fn for each error in a tree of errors.
func walkErrors(tree jsonbody.Value, path string, fn func(path, code, message string)) {
	for _, m := range tree.Members() {
		if m.Name != "_errors" {
			below := m.Name
			if path != "" {
				below = path + "." + m.Name
			}
			walkErrors(m.Value, below, fn)
			continue
		}
		for _, e := range m.Value.Items() {
			fn(path, e.Get("code").Text(), e.Get("message").Text())
		}
	}
}

// bodyText returns a request body as reports show it.
func bodyText(body any) string {
	switch body := body.(type) {
	case nil:
		return ""
	case jsontext.Value:
		return string(body)
	case object, Value:
		text, err := marshal(body)
		if err != nil {
			return ""
		}
		return string(text)
	}
	return "a form with files"
}
