package dev

import (
	"fmt"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

func (a *API) sayRoutes() []api.Route {
	say := route(http.MethodPost, "/say", "say", "Write, edit, delete, react to or vote on a message as a person, and collect what apps send meanwhile.",
		"DevSay", map[int]string{200: "DevSaid"}, a.say)
	say.Files = true
	say.Handle = withContentType(a.say, "application/json", formType)
	return []api.Route{say}
}

// said is a Said in JSON.
type said struct {
	Message jsontext.Value   `json:"message"`
	Answers []jsontext.Value `json:"answers"`
}

func (a *API) say(c *api.Call) error {
	p, err := c.ReadPayload()
	if err != nil {
		return err
	}
	defer p.Close()
	var t jsonbody.Tree
	action := readAction(&t, p.Body)
	if t.Failed() {
		return t.Err()
	}
	for _, f := range p.Files {
		action.Files = append(action.Files, attachments.Upload(f))
	}
	c.ClearReadTimeout() // the wait may take longer
	done, err := a.Say(c.Context(), action)
	if err != nil {
		return atField(err)
	}
	out := said{Message: orNull(done.Message), Answers: []jsontext.Value{}}
	for _, m := range done.Answers {
		out.Answers = append(out.Answers, m)
	}
	return c.Value(http.StatusOK, out)
}

// verbs are the actions other than a new message, by the member of the request that asks for them.
var verbs = []Verb{VerbReact, VerbUnreact, VerbEdit, VerbDelete, VerbVote, VerbType}

// readAction reads what a person does. A request without any of verbs writes a message.
func readAction(t *jsonbody.Tree, body jsonbody.Value) PersonAction {
	body, _ = jsonbody.AsObject(t, body)
	p := PersonAction{
		As: readText(t, body, "as", false), In: readText(t, body, "in", false), ReplyTo: readText(t, body, "reply_to", false),
		Verb: VerbSend, Body: body, Wait: readWait(t, body),
	}
	for _, v := range verbs {
		if !body.Get(string(v)).IsSet() || (v == VerbDelete || v == VerbType) && !jsonbody.IsTrue(body, string(v)) {
			continue
		}
		if p.Verb != VerbSend || body.Get("content").IsSet() {
			t.At(string(v)).Add(notUnderstood, fmt.Sprintf("one request does one thing, and this one has %q too", p.Verb))
		}
		p.Verb = v
	}
	switch p.Verb {
	case VerbReact, VerbUnreact, VerbEdit:
		p.Text = readText(t, body, string(p.Verb), true)
	case VerbVote:
		p.Vote = body.Get(string(VerbVote))
	case VerbSend, VerbDelete, VerbType: // they have no text of their own
	}
	p.Message = readText(t, body, "message", p.Verb != VerbSend && p.Verb != VerbType)
	if p.Verb == VerbSend && p.Message != "" {
		t.At("message").Add(notUnderstood, `say what to do with the message: "react", "unreact", "edit", "delete" or "vote"`)
	}
	return p
}

// maxCollect bounds how long one request collects messages.
const maxCollect = time.Minute

// readWait reads how long to collect what apps send.
func readWait(t *jsonbody.Tree, body jsonbody.Value) time.Duration {
	text := readText(t, body, "wait", false)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxCollect {
		t.At("wait").Add("DURATION_TYPE_COERCE", `Expected a duration such as "2s", at most "1m".`)
	}
	return d
}
