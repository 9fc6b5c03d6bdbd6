package scenario

import (
	"bytes"
	"cmp"
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
	"github.com/bellhop/bellhop/internal/rules/component"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
)

func marshal(v any) ([]byte, error) { return json.Marshal(v, json.Deterministic(true)) }

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
		return x.messageID(ctx, last, false)
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
	return x.useComponent(ctx, s, fmt.Sprintf("button %q", s.Press), component.Button(s.Press))
}

// choose uses a select menu.
func (x *execution) choose(ctx context.Context, s *Step) (answer, error) {
	return x.useComponent(ctx, s, fmt.Sprintf("select menu %q", s.Select.Menu), component.Menu(s.Select.Menu))
}

// idOf returns the id of a user, a role or a channel of the world by its name.
func (x *execution) idOf(name string) (id string, ok bool) {
	for _, kind := range []string{"user", "role", "channel"} {
		if id, ok = x.vars[kind+"."+name]; ok {
			return id, true
		}
	}
	return "", false
}

// findComponent returns the component that matches, on the newest message that has one. It waits for it.
func (x *execution) findComponent(ctx context.Context, what string, match component.Match) (message, found jsonbody.Value, err error) {
	one, err := x.currentUser(ctx)
	if err != nil {
		return message, found, err
	}
	end := x.clock.Now().Add(x.file.timeout())
	for {
		for _, m := range slices.Backward(one.Seen(x.in)) {
			if c, ok := component.Find(m.Get("components"), match); ok {
				return m, c, nil
			}
		}
		if x.clock.Now().After(end) || ctx.Err() != nil {
			return message, found, fmt.Errorf("no message in the channel has the %s", what)
		}
		clock.Pause(ctx, lookEvery)
	}
}

// useComponent uses the component that matches. The events of an edited message can arrive after the step that edited
// it, so a component that the message no longer has is looked for again.
func (x *execution) useComponent(ctx context.Context, s *Step, what string, match component.Match) (answer, error) {
	end := x.clock.Now().Add(x.file.timeout())
	for {
		message, found, err := x.findComponent(ctx, what, match)
		if err != nil {
			return answer{}, err
		}
		var values []string
		if s.Select != nil {
			values = s.Select.Values
		}
		// A message that does not answer an interaction has no application. The user of a bot has the id of its application.
		app := cmp.Or(message.Get("application_id").Text(), message.Get("author").Get("id").Text())
		got, err := x.invoke(ctx, s, object{"interaction": component.Use(
			app, message.Get("id").Text(), found, values, x.idOf,
		)})
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
	form := one.TakeForm()
	title := form.Modal.Get("title").Text()
	if !form.Modal.IsSet() {
		return answer{}, errors.New("no form is open")
	}
	if name := s.Submit.Form; name != "" && title != name && form.Modal.Get("custom_id").Text() != name {
		return answer{}, fmt.Errorf("the open form is %q, not %q", title, name)
	}
	fields := map[string]any{}
	for name, value := range s.Submit.Fields {
		fields[name] = value
		if value.Kind() == jsonbody.List {
			values := []string{}
			for _, item := range value.Items() {
				values = append(values, item.Text())
			}
			fields[name] = values
		}
	}
	submitted, err := form.Submit(fields, x.idOf)
	if err != nil {
		return answer{}, err
	}
	return x.invoke(ctx, s, object{"interaction": submitted})
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
