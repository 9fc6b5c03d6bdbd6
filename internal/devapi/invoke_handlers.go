package adminapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

func (a *API) devInvokeRoutes() []httpapi.Route {
	return []httpapi.Route{{
		Method: http.MethodPost, Path: "/_dev/invoke", Root: true, Name: "dev.invoke",
		Doc:  "Let somebody use a command, and wait for what the app answers.",
		Body: "DevInvoke", Files: true, Answer: map[int]string{200: "DevOutcome"}, Handle: a.devInvoke,
	}}
}

// notUnderstood is the finding on an attempt that does not reach the service.
const notUnderstood jsonbody.Code = "DEV_NOT_UNDERSTOOD"

func (a *API) devInvoke(c *httpapi.Call) error {
	p, err := c.ReadParcel()
	if err != nil {
		return err
	}
	defer p.Drop()
	var t jsonbody.Tree
	attempt := readAttempt(&t, p.Body)
	if t.Failed() {
		return t.Err()
	}
	attempt.Files = p.Files
	_ = http.NewResponseController(c.ResponseWriter).SetReadDeadline(time.Time{}) // waiting may take longer; a recorder has none
	out, err := a.Dev.Invoke(c.Context(), attempt)
	if e, ok := errors.AsType[*devtools.AttemptError](err); ok {
		t.At(e.Field).Add(notUnderstood, e.Text)
		return t.Err()
	}
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, outcomeOf(out))
}

func readAttempt(t *jsonbody.Tree, body jsonbody.Value) devtools.Attempt {
	body, _ = jsonbody.AsObject(t, body)
	a := devtools.Attempt{
		As: readWord(t, body, "as", true), In: readWord(t, body, "in", true),
		Autocomplete: readWord(t, body, "autocomplete", false), Wait: devtools.WaitAnswer,
	}
	switch v, at := body.Get("command"), t.At("command"); {
	case !v.IsSet():
		at.Required()
	case v.Kind() == jsonbody.Object:
		a.Use = readUse(at, v)
	default:
		if a.Line, _ = jsonbody.AsString(at, v); a.Line == "" && !t.Failed() {
			at.Required()
		}
	}
	if wait := devtools.Wait(readWord(t, body, "wait", false)); wait != "" {
		a.Wait = wait
	}
	switch a.Wait {
	case devtools.WaitAnswer, devtools.WaitFinal, devtools.WaitNone:
	default:
		t.At("wait").Add(jsonbody.Choices, `Value must be one of ("answer", "final", "none").`)
	}
	return a
}

func readWord(t *jsonbody.Tree, body jsonbody.Value, name string, required bool) string {
	v := body.Get(name)
	if !v.IsSet() {
		if required {
			t.At(name).Required()
		}
		return ""
	}
	if jsonbody.IsInteger(v) {
		return v.Text() // an id that was not quoted
	}
	s, _ := jsonbody.AsString(t.At(name), v)
	return s
}

func readUse(t *jsonbody.Tree, v jsonbody.Value) devtools.Use {
	u := devtools.Use{Name: readWord(t, v, "name", true), Target: readWord(t, v, "target", false)}
	if n := v.Get("type"); n.IsSet() {
		kind, _ := jsonbody.AsInt(t.At("type"), n, int64(command.ChatInput), int64(command.PrimaryEntryPoint))
		u.Type = command.Type(kind)
	}
	if id := v.Get("application"); id.IsSet() {
		u.Application, _ = jsonbody.AsID[snowflake.Application](t.At("application"), id)
	}
	u.Options = readGiven(t.At("options"), v.Get("options"))
	return u
}

// maxGiven is how many options are read at a time: more than any command has.
const maxGiven = 100

func readGiven(t *jsonbody.Tree, v jsonbody.Value) []devtools.Given {
	if !v.IsSet() {
		return nil
	}
	items, _ := jsonbody.AsItems(t, v, maxGiven)
	var list []devtools.Given
	for i, item := range items {
		item, ok := jsonbody.AsItem(t.Index(i), item)
		if !ok {
			continue
		}
		list = append(list, devtools.Given{
			Name: readWord(t.Index(i), item, "name", true), Value: item.Get("value"),
			Options: readGiven(t.Index(i).At("options"), item.Get("options")),
		})
	}
	return list
}

// outcome is what came of an attempt, as it goes on the wire.
type outcome struct {
	Outcome     *dispatch.Result `json:"outcome"`
	Reason      *string          `json:"reason"`
	ReasonCode  uint8            `json:"reason_code,omitzero"` // that a client is told
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
		Timings: timings{devtools.Milliseconds(o.Checked), devtools.Milliseconds(o.Delivered), devtools.Milliseconds(o.Answered)},
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
