package dev

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

func (a *API) invokeRoutes() []api.Route {
	invoke := route(http.MethodPost, "/invoke", "invoke", "Invoke a command as a user, and wait for the app's response.",
		"DevInvoke", map[int]string{200: "DevOutcome"}, a.invoke)
	invoke.Files = true
	invoke.Handle = withContentType(a.invoke, "application/json", formType)
	return []api.Route{invoke}
}

// notUnderstood is the error code for an invocation that names an unknown user, channel, command or option.
const notUnderstood jsonbody.Code = "DEV_NOT_UNDERSTOOD"

// atField returns an *InvocationError as a *jsonbody.Tree with the field that it names, and another error unchanged.
func atField(err error) error {
	e, ok := errors.AsType[*InvocationError](err)
	if !ok {
		return err
	}
	var t jsonbody.Tree
	t.At(e.Field).Add(notUnderstood, e.Text)
	return t.Err()
}

func (a *API) invoke(c *api.Call) error {
	p, err := c.ReadPayload()
	if err != nil {
		return err
	}
	defer p.Close()
	var t jsonbody.Tree
	inv := readInvocation(&t, p.Body)
	if t.Failed() {
		return t.Err()
	}
	for _, f := range p.Files {
		inv.Files = append(inv.Files, attachments.Upload(f))
	}
	c.ClearReadTimeout() // the app may take longer
	out, err := a.Invoke(c.Context(), inv)
	if err != nil {
		return atField(err)
	}
	return c.Value(http.StatusOK, outcomeOf(out))
}

// Invoke invokes a command as a user and returns its outcome. The error is an *InvocationError, or the error with which
// the service refuses the invocation. With WaitNone the outcome has no result, unless the service did not ask the app.
func (a *API) Invoke(ctx context.Context, inv Invocation) (dispatch.Outcome, error) {
	call, err := a.call(ctx, inv)
	if err != nil {
		return dispatch.Outcome{}, err
	}
	call.Watch = dispatch.NewWatch()
	defer call.Watch.Close()
	if _, err := a.Interactions.Invoke(ctx, call); err != nil {
		return dispatch.Outcome{}, err
	}
	return a.wait(ctx, call.Watch, inv)
}

func readInvocation(t *jsonbody.Tree, body jsonbody.Value) Invocation {
	body, _ = jsonbody.AsObject(t, body)
	inv := Invocation{
		As: readText(t, body, "as", false), In: readText(t, body, "in", false),
		Autocomplete: readText(t, body, "autocomplete", false), Wait: WaitAnswer,
	}
	inv.Interaction, inv.Locale, inv.Timeout = body.Get("interaction"), readLocale(t, body), readTimeout(t, body)
	switch v, at := body.Get("command"), t.At("command"); {
	case inv.Interaction.IsSet():
	case !v.IsSet():
		at.Required()
	case v.Kind() == jsonbody.Object:
		inv.Use = readUse(at, v)
	default:
		if inv.Line, _ = jsonbody.AsString(at, v); inv.Line == "" && !t.Failed() {
			at.Required()
		}
	}
	if wait := Wait(readText(t, body, "wait", false)); wait != "" {
		inv.Wait = wait
	}
	switch inv.Wait {
	case WaitAnswer, WaitFinal, WaitNone:
	default:
		t.At("wait").Add(jsonbody.Choices, `Value must be one of ("answer", "final", "none").`)
	}
	return inv
}

// readLocale reads the locale of the user's client.
func readLocale(t *jsonbody.Tree, body jsonbody.Value) locale.Code {
	code := readText(t, body, "locale", false)
	if code != "" && !locale.Known(code) {
		t.At("locale").Add(jsonbody.Choices, `Expected a locale such as "de" or "en-US".`)
	}
	return code
}

// readTimeout reads how long to wait.
func readTimeout(t *jsonbody.Tree, body jsonbody.Value) time.Duration {
	text := readText(t, body, "timeout", false)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.At("timeout").Add("DURATION_TYPE_COERCE", `Expected a duration such as "5s".`)
	}
	return d
}

func readText(t *jsonbody.Tree, body jsonbody.Value, name string, required bool) string {
	v := body.Get(name)
	if !v.IsSet() {
		if required {
			t.At(name).Required()
		}
		return ""
	}
	if jsonbody.IsInteger(v) {
		return v.Text() // an id without quotes
	}
	s, _ := jsonbody.AsString(t.At(name), v)
	return s
}

func readUse(t *jsonbody.Tree, v jsonbody.Value) Use {
	u := Use{Name: readText(t, v, "name", true), Target: readText(t, v, "target", false)}
	if n := v.Get("type"); n.IsSet() {
		kind, _ := jsonbody.AsInt(t.At("type"), n, int64(command.ChatInput), int64(command.PrimaryEntryPoint))
		u.Type = command.Type(kind)
	}
	if id := v.Get("application"); id.IsSet() {
		u.Application, _ = jsonbody.AsID[snowflake.Application](t.At("application"), id)
	}
	u.Options = readOptions(t.At("options"), v.Get("options"))
	return u
}

// maxOptions bounds the options of one level. No command has so many.
const maxOptions = 100

func readOptions(t *jsonbody.Tree, v jsonbody.Value) []GivenOption {
	if !v.IsSet() {
		return nil
	}
	items, _ := jsonbody.AsItems(t, v, maxOptions)
	var list []GivenOption
	for i, item := range items {
		item, ok := jsonbody.AsItem(t.Index(i), item)
		if !ok {
			continue
		}
		list = append(list, GivenOption{
			Name: readText(t.Index(i), item, "name", true), Value: item.Get("value"),
			Options: readOptions(t.Index(i).At("options"), item.Get("options")),
		})
	}
	return list
}

// outcome is the result of an invocation in JSON.
type outcome struct {
	Outcome     *dispatch.Result `json:"outcome"`
	Reason      *string          `json:"reason"`
	ReasonCode  uint8            `json:"reason_code,omitzero"` // the code that clients get with INTERACTION_FAILURE
	Interaction jsontext.Value   `json:"interaction"`
	Response    jsontext.Value   `json:"response"`
	Messages    []jsontext.Value `json:"messages"`
	Choices     jsontext.Value   `json:"choices"`
	Modal       jsontext.Value   `json:"modal"`
	Activity    *activity        `json:"activity,omitzero"`
	Timings     timings          `json:"timings_ms"`
}

type activity struct {
	InstanceID string `json:"instance_id"`
	URL        string `json:"url,omitzero"`
}

type timings struct {
	Checked   float64 `json:"checked"`
	Delivered float64 `json:"delivered"`
	Answered  float64 `json:"answered"`
}

func outcomeOf(o dispatch.Outcome) outcome {
	out := outcome{
		Interaction: orNull(o.Interaction), Response: orNull(o.Response), Messages: []jsontext.Value{},
		Choices: jsontext.Value("[]"), Modal: orNull(o.Modal),
		Timings: timings{milliseconds(o.Checked), milliseconds(o.Delivered), milliseconds(o.Answered)},
	}
	if o.Result != "" {
		out.Outcome = &o.Result
	}
	if o.Result == dispatch.Failed {
		out.Reason, out.ReasonCode = &o.Detail, uint8(o.Reason)
	}
	for _, m := range o.Messages {
		out.Messages = append(out.Messages, m)
	}
	if o.Choices != nil {
		out.Choices = o.Choices
	}
	if o.Instance != "" {
		out.Activity = &activity{o.Instance, o.URL}
	}
	return out
}

func orNull(text []byte) jsontext.Value {
	if text == nil {
		return jsontext.Value("null")
	}
	return text
}
