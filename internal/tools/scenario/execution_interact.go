package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
)

func marshal(v any) ([]byte, error) { return json.Marshal(v, json.Deterministic(true)) }

// The types of components.
const (
	buttonType       = 2
	stringSelectType = 3
	lastSelectType   = 8 // 5 to 8 are selects of users, roles, mentionables and channels
)

// use uses a command.
func (x *execution) use(ctx context.Context, s *Step) (answer, error) {
	body := object{"command": s.Use}
	if s.On != "" {
		target, err := x.target(ctx, s.On)
		if err != nil {
			return answer{}, err
		}
		body["command"] = object{"name": s.Use, "target": target}
	}
	got, err := x.invokeRegistered(ctx, s, body)
	if err != nil || got.refused == nil {
		return got, err
	}
	return got, x.explain(ctx, s.Use, got.refused)
}

// invokeRegistered invokes a command. While the app is new, it tries again if there is no such command: many apps register
// their commands after they are connected.
func (x *execution) invokeRegistered(ctx context.Context, s *Step, body object) (answer, error) {
	for {
		got, err := x.invoke(ctx, s, body)
		missing := got.refused != nil && strings.Contains(got.refused.message, "no command is called")
		if err != nil || !missing || x.app == nil || x.clock.Now().Sub(x.started) > x.file.timeout() {
			return got, err
		}
		clock.Pause(ctx, lookEvery)
	}
}

// target returns the id of the user or the message that a command is used on.
func (x *execution) target(ctx context.Context, name string) (string, error) {
	if name == last {
		one, err := x.currentUser(ctx)
		if err != nil {
			return "", err
		}
		seen := one.Seen(x.in)
		if len(seen) == 0 {
			return "", errors.New("there is no message yet")
		}
		return seen[len(seen)-1].Get("id").Text(), nil
	}
	if user, err := x.service.user(strings.TrimPrefix(name, "@")); err == nil {
		return user.ID.String(), nil
	}
	return name, nil
}

// explain adds the reason of bellhop explain to a refusal.
func (x *execution) explain(ctx context.Context, line string, r *refused) error {
	name := line
	if strings.HasPrefix(line, "/") {
		name, _, _ = strings.Cut(line, " ")
	}
	a, err := x.service.client("").Do(ctx, client.Request{
		Method: http.MethodGet, Path: x.service.url + "/_dev/explain", Query: url.Values{"as": {x.as}, "in": {x.in}, "command": {name}},
	})
	if err != nil {
		return err
	}
	v, err := parseAnswer(a)
	if err != nil || a.Status != http.StatusOK || v.Get("allowed").String() == "true" {
		return nil //nolint:nilerr // there is nothing to add
	}
	r.reasons = append(r.reasons, v.Get("reason").Text())
	if v.Get("level").Text() == "default" {
		r.reasons = append(r.reasons, "default_member_permissions")
	}
	for _, missing := range v.Get("missing").Items() {
		r.reasons = append(r.reasons, missing.Text())
	}
	r.message += "\n" + v.Get("explanation").Text()
	return nil
}

// complete gets suggestions for the last option of a line.
func (x *execution) complete(ctx context.Context, s *Step) (answer, error) {
	options := typedOption.FindAllStringSubmatch(quotedText.ReplaceAllString(s.Complete, ""), -1)
	if len(options) == 0 {
		return answer{}, errors.New("the line has no option to complete: write it as in /breakfast dish:pan")
	}
	return x.invokeRegistered(ctx, s, object{"command": s.Complete, "autocomplete": options[len(options)-1][1]})
}

var (
	quotedText  = regexp.MustCompile(`"(\\.|[^"\\])*"?`)
	typedOption = regexp.MustCompile(`\s([^\s:"]+):`)
)

// press presses a button.
func (x *execution) press(ctx context.Context, s *Step) (answer, error) {
	return x.useComponent(ctx, s, fmt.Sprintf("button %q", s.Press), func(c jsonbody.Value) bool {
		return componentType(c) == buttonType &&
			(c.Get("label").Text() == s.Press || c.Get("custom_id").Text() == s.Press || c.Get("emoji").Get("name").Text() == s.Press)
	})
}

// choose uses a select menu.
func (x *execution) choose(ctx context.Context, s *Step) (answer, error) {
	return x.useComponent(ctx, s, fmt.Sprintf("select menu %q", s.Select.Menu), func(c jsonbody.Value) bool {
		kind := componentType(c)
		isMenu := kind == stringSelectType || kind > stringSelectType+1 && kind <= lastSelectType
		return isMenu && (s.Select.Menu == "" || c.Get("placeholder").Text() == s.Select.Menu || c.Get("custom_id").Text() == s.Select.Menu)
	})
}

// optionValue returns the value of an option by its label, or the id of a user, a role or a channel by its name.
func (x *execution) optionValue(menu jsonbody.Value, name string) string {
	for _, o := range menu.Get("options").Items() {
		if o.Get("label").Text() == name {
			return o.Get("value").Text()
		}
	}
	if componentType(menu) == stringSelectType || len(menu.Get("options").Items()) > 0 {
		return name
	}
	for _, kind := range []string{"user", "role", "channel"} {
		if id, ok := x.vars[kind+"."+strings.TrimLeft(name, "@#")]; ok {
			return id
		}
	}
	return name
}

// findComponent returns the component that matches, on the newest message that has one. It waits for it.
func (x *execution) findComponent(ctx context.Context, what string, match func(jsonbody.Value) bool) (message, component jsonbody.Value, err error) {
	one, err := x.currentUser(ctx)
	if err != nil {
		return message, component, err
	}
	end := x.clock.Now().Add(x.file.timeout())
	for {
		for _, m := range slices.Backward(one.Seen(x.in)) {
			if c, ok := findIn(m.Get("components"), match); ok {
				return m, c, nil
			}
		}
		if x.clock.Now().After(end) || ctx.Err() != nil {
			return message, component, fmt.Errorf("no message in the channel has the %s", what)
		}
		clock.Pause(ctx, lookEvery)
	}
}

// findIn returns the first component that matches, at any nesting.
func findIn(list jsonbody.Value, match func(jsonbody.Value) bool) (jsonbody.Value, bool) {
	for _, c := range list.Items() {
		if match(c) {
			return c, true
		}
		inner := slices.Concat(c.Get("components").Items(), []jsonbody.Value{c.Get("accessory"), c.Get("component")})
		inner = slices.DeleteFunc(inner, func(v jsonbody.Value) bool { return v.Kind() != jsonbody.Object })
		if found, ok := findIn(jsonbody.ListOf(inner...), match); ok {
			return found, true
		}
	}
	return jsonbody.Value{}, false
}

func componentType(c jsonbody.Value) int {
	n, err := strconv.Atoi(c.Get("type").Text())
	if err != nil {
		return 0
	}
	return n
}

// useComponent uses the component that matches. The events of an edited message can arrive after the step that edited
// it, so a component that the message no longer has is looked for again.
func (x *execution) useComponent(ctx context.Context, s *Step, what string, match func(jsonbody.Value) bool) (answer, error) {
	end := x.clock.Now().Add(x.file.timeout())
	for {
		message, component, err := x.findComponent(ctx, what, match)
		if err != nil {
			return answer{}, err
		}
		data := object{"component_type": componentType(component), "custom_id": component.Get("custom_id").Text()}
		if s.Select != nil {
			values := make([]string, len(s.Select.Values))
			for i, name := range s.Select.Values {
				values[i] = x.optionValue(component, name)
			}
			data["values"] = values
		}
		got, err := x.invoke(ctx, s, object{"interaction": object{
			"type": 3, "application_id": message.Get("application_id").Text(), "message_id": message.Get("id").Text(), "data": data,
		}})
		outdated := err == nil && got.refused != nil && slices.Contains(got.refused.reasons, "COMPONENT_VALIDATION_FAILED")
		expected := s.Expect != nil && s.Expect.Refused != nil
		if !outdated || expected || x.clock.Now().After(end) {
			return got, err
		}
		clock.Pause(ctx, lookEvery)
	}
}

// submit submits the form that is open.
func (x *execution) submit(ctx context.Context, s *Step) (answer, error) {
	one, err := x.currentUser(ctx)
	if err != nil {
		return answer{}, err
	}
	form, opened, app := one.TakeForm()
	if !form.IsSet() {
		return answer{}, errors.New("no form is open")
	}
	if name := s.Submit.Form; name != "" && form.Get("title").Text() != name && form.Get("custom_id").Text() != name {
		return answer{}, fmt.Errorf("the open form is %q, not %q", form.Get("title").Text(), name)
	}
	components := []any{}
	for name, value := range s.Submit.Fields {
		field, ok := fieldOf(form, name)
		if !ok {
			return answer{}, fmt.Errorf("the form %q has no field %q", form.Get("title").Text(), name)
		}
		filled := object{"type": componentType(field), "custom_id": field.Get("custom_id").Text(), "value": value}
		if value.Kind() == jsonbody.List {
			values := []string{}
			for _, item := range value.Items() {
				values = append(values, x.optionValue(field, item.Text()))
			}
			delete(filled, "value")
			filled["values"] = values
		}
		components = append(components, filled)
	}
	return x.invoke(ctx, s, object{"interaction": object{
		"type": 5, "application_id": app,
		"data": object{"id": opened, "custom_id": form.Get("custom_id").Text(), "components": components},
	}})
}

// fieldOf returns the field of a form with a custom id or a label.
func fieldOf(form jsonbody.Value, name string) (jsonbody.Value, bool) {
	labelled, ok := findIn(form.Get("components"), func(c jsonbody.Value) bool {
		return c.Get("custom_id").Text() == name || c.Get("label").Text() == name
	})
	if inner := labelled.Get("component"); inner.IsSet() {
		return inner, ok
	}
	return labelled, ok
}

// invoke sends an invocation with the dev controls and waits for its outcome.
func (x *execution) invoke(ctx context.Context, s *Step, body object) (answer, error) {
	body["as"], body["in"], body["wait"], body["timeout"] = x.as, x.in, "final", x.file.timeout().String()
	if s.Wait != "" {
		body["wait"] = s.Wait
	}
	if x.locale != "" {
		body["locale"] = x.locale
	}
	q := client.Request{Method: http.MethodPost, Path: x.service.url + "/_dev/invoke", Body: body}
	if len(s.Attachments) > 0 {
		form, contentType, err := x.form(body, s.Attachments)
		if err != nil {
			return answer{}, err
		}
		q.Body, q.Header = form, http.Header{"Content-Type": {contentType}, "X-Bellhop-Dev": {"1"}}
	}
	got, err := x.request(ctx, "", q)
	if err != nil || got.refused != nil {
		return got, err
	}
	got.subject = subjectOf(got.body)
	x.clients[x.as].Answered(got.body)
	return got, nil
}

// subjectOf returns what the paths of a step refer to: the form, the suggestions, or the message.
func subjectOf(outcome jsonbody.Value) jsonbody.Value {
	if form := outcome.Get("modal"); form.IsSet() {
		return form
	}
	if list := outcome.Get("messages").Items(); len(list) > 0 {
		return list[0]
	}
	return jsonbody.ObjectOf(
		jsonbody.Member{Name: "choices", Value: outcome.Get("choices")}, jsonbody.Member{Name: "activity", Value: outcome.Get("activity")},
	)
}

// form returns a form with files.
func (x *execution) form(body object, files []Attachment) (*bytes.Buffer, string, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	text, err := marshal(body)
	if err != nil {
		return nil, "", err
	}
	if err := w.WriteField("payload_json", string(text)); err != nil {
		return nil, "", err
	}
	for i, file := range files {
		content := []byte(file.text)
		if file.path != "" {
			if content, err = os.ReadFile(filepath.Join(filepath.Dir(x.file.path), file.path)); err != nil {
				return nil, "", err
			}
		}
		part, err := w.CreateFormFile("files["+strconv.Itoa(i)+"]", file.name)
		if err != nil {
			return nil, "", err
		}
		if _, err := part.Write(content); err != nil {
			return nil, "", err
		}
	}
	return &b, w.FormDataContentType(), w.Close()
}
