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
	"github.com/bellhop/bellhop/internal/tools/userclient"
	"github.com/go-json-experiment/json/jsontext"
)

// execution is a scenario while it runs.
type execution struct {
	file    *File
	service *service
	app     *runningApp // nil: none
	clock   clock.Clock
	started time.Time // when the app was ready last
	clients map[string]*userclient.Client
	vars    variables
	since   time.Time // of the first step, by the clock of the service

	as, in, locale string            // of the current step; in is the id of the channel
	where          string            // the channel as the step names it
	acted          string            // id of the message of the last action of a person
	said           map[string]string // ids of the newest messages of people, by channel, and by channel and user
	removed        string            // id of the message that the last action of a person deleted; empty: none
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

// startExecution starts the service and the app of a scenario. The caller closes the execution, also after an error.
func startExecution(ctx context.Context, f *File, s *Scenario, open Opener, now clock.Clock) (*execution, error) {
	x := &execution{file: f, clock: now, clients: map[string]*userclient.Client{}, said: map[string]string{}}
	var err error
	if x.service, err = openService(ctx, f, open); err != nil {
		return x, fmt.Errorf("start the service: %w", err)
	}
	x.vars = worldVariables(x.service.world)
	if err := x.connectAll(ctx, s); err != nil || f.App == nil {
		return x, err
	}
	if x.app, err = startApp(ctx, f, x.service, now); err != nil {
		return x, err
	}
	x.started = now.Now()
	x.since, err = x.service.client("").Dev().Now(ctx)
	return x, err
}

// connectAll connects the users of a scenario, so that each sees all messages from the first step on.
func (x *execution) connectAll(ctx context.Context, s *Scenario) error {
	for i := range s.Steps {
		name := s.Steps[i].As
		if _, err := x.service.user(name); err != nil {
			continue // the step reports it
		}
		x.as = name
		if _, err := x.currentUser(ctx); err != nil {
			return err
		}
	}
	x.as = ""
	return x.connectObservers(ctx, s)
}

// close stops the app and the service.
func (x *execution) close(ctx context.Context) error {
	if x.app != nil && x.app.stop != nil {
		x.app.stop()
	}
	for _, one := range x.clients {
		one.Close()
	}
	if x.service == nil {
		return nil
	}
	return x.service.close(ctx)
}

// step does a step and returns its answer and the expectations that do not hold.
func (x *execution) step(ctx context.Context, raw *rawStep) (answer, []Mismatch, error) {
	value, err := x.vars.replace(raw.value)
	if err != nil {
		return answer{}, nil, err
	}
	var s Step
	var t jsonbody.Tree
	readValue(&t, value, &s)
	if err := t.Err(); err != nil {
		return answer{}, nil, err
	}
	if err := x.move(ctx, &s); err != nil {
		return answer{}, nil, err
	}
	x.last = exchange{}
	got, err := x.act(ctx, &s)
	if err != nil {
		return got, nil, err
	}
	wrong := x.expectations(ctx, &s, got)
	if len(wrong) == 0 {
		wrong = x.capture(s.Capture, got)
	}
	return got, wrong, nil
}

// capture sets variables from an answer.
func (x *execution) capture(wanted map[string]string, got answer) []Mismatch {
	var wrong []Mismatch
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		v := valueAt(got.subject, wanted[name])
		switch v.Kind() {
		case jsonbody.String, jsonbody.Number:
			x.vars[name] = v.Text()
		case jsonbody.Absent, jsonbody.Null:
			wrong = append(wrong, Mismatch{"capture." + name, "a value at " + wanted[name], "nothing"})
		default:
			x.vars[name] = shown(v)
		}
	}
	return wrong
}

// move changes the user, the channel and the locale.
func (x *execution) move(ctx context.Context, s *Step) error {
	x.as, x.locale = cmp.Or(s.As, x.as), cmp.Or(s.Locale, x.locale)
	if s.In != "" {
		x.in, x.where = x.channelID(s.In), s.In
		if x.in == "" {
			return errors.New(unknown("channel", s.In, x.namesOf("channel")))
		}
	}
	if s.DM == "" {
		return nil
	}
	id, ok := x.vars["app."+s.DM]
	if !ok {
		return errors.New(unknown("app", s.DM, x.namesOf("app")))
	}
	user, err := x.service.user(x.as)
	if err != nil {
		return err
	}
	got, err := x.send(ctx, x.service.userTokens[user.ID], http.MethodPost, "/users/@me/channels", object{"recipient_id": id})
	if err != nil {
		return err
	}
	x.in, x.where = got.body.Get("id").Text(), s.DM
	if got.refused != nil {
		return errors.New("open the direct messages: " + got.refused.message)
	}
	return nil
}

// currentUser returns the client of the current user, connected to the gateway.
func (x *execution) currentUser(ctx context.Context) (*userclient.Client, error) {
	if one, ok := x.clients[x.as]; ok {
		return one, nil
	}
	user, err := x.service.user(x.as)
	if err != nil {
		return nil, err
	}
	one, err := userclient.Connect(ctx, x.service.url, x.service.userTokens[user.ID], x.clock)
	if err != nil {
		return nil, err
	}
	x.clients[x.as] = one
	return one, nil
}

// Reaction is the time before a component or a form is used. Some libraries get ready for it only after the service has
// accepted their answer, and no user is faster.
const Reaction = 100 * time.Millisecond

// act does the action of a step.
func (x *execution) act(ctx context.Context, s *Step) (answer, error) {
	if s.needsUser() {
		if _, err := x.currentUser(ctx); err != nil {
			return answer{}, err
		}
	}
	if slices.Contains([]string{"press", "select", "submit"}, s.action()) {
		clock.Pause(ctx, Reaction)
	}
	switch s.action() {
	case "use":
		return x.use(ctx, s)
	case "complete":
		return x.complete(ctx, s)
	case "press":
		return x.press(ctx, s)
	case "select":
		return x.choose(ctx, s)
	case "submit":
		return x.submit(ctx, s)
	case "launch":
		return x.invoke(ctx, s, object{"command": object{"name": s.Launch, "type": 4}})
	case "say", "react", "edit", "delete", "vote", "typing":
		return x.say(ctx, s)
	case "join", "leave", "nick", "presence", "voice", "interested", "uninterested":
		return x.member(ctx, s)
	case "advance":
		return x.control(ctx, http.MethodPost, "clock", object{"advance": time.Duration(s.Advance).String()})
	case "fault":
		if s.Fault.clear {
			return x.control(ctx, http.MethodDelete, "faults", nil)
		}
		return x.control(ctx, http.MethodPost, "faults", Value{s.Fault.body})
	case "restart":
		return answer{}, x.restart(ctx)
	case "lobby":
		return x.lobby(ctx, s.Lobby)
	case "permissions":
		return x.permissions(ctx, s.Permissions)
	case "call":
		return x.call(ctx, s.Call)
	}
	return answer{}, nil
}

// restart stops the app and starts it again.
func (x *execution) restart(ctx context.Context) error {
	x.app.stop()
	before := x.app.output.String()
	var err error
	x.app, err = startApp(ctx, x.file, x.service, x.clock)
	x.started = x.clock.Now()
	if x.app != nil {
		x.app.output.prepend(before)
	}
	return err
}

// control calls the dev controls. An error of theirs is an error of the step.
func (x *execution) control(ctx context.Context, method, name string, body any) (answer, error) {
	got, err := x.send(ctx, "", method, x.service.url+"/_dev/"+name, body)
	if err == nil && got.refused != nil {
		err = errors.New(got.refused.message)
	}
	return got, err
}

// send sends a request and keeps it for reports.
func (x *execution) send(ctx context.Context, token, method, path string, body any) (answer, error) {
	return x.request(ctx, token, client.Request{Method: method, Path: path, Body: body})
}

func (x *execution) request(ctx context.Context, token string, q client.Request) (answer, error) {
	x.last = exchange{method: q.Method, path: q.Path, sent: bodyText(q.Body)}
	got, err := x.service.client(token).Do(ctx, q)
	if err != nil {
		return answer{}, err
	}
	x.last.status, x.last.received = got.Status, string(got.Body)
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
