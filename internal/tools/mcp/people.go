package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/component"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/snowflake"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (t *Toolbox) addPeopleTools(s *sdk.Server) {
	add(t, s, "use_command", adds, "Use a command as a person and wait for the answer of the app; or ask for the suggestions of an option.", t.useCommand)
	add(t, s, "press", adds, "Press a button as a person, on the newest message that has it.", t.press)
	add(t, s, "choose", adds, "Select values in a menu as a person, on the newest message that has it.", t.choose)
	add(t, s, "submit", adds, "Fill in and submit the form that the last answer to a person opened.", t.submit)
	add(t, s, "say", adds, "Write a message as a person, or reply, react, edit, delete, vote or type. Collects what apps send during wait.", t.say)
	add(t, s, "read_messages", reads, "Read the newest messages of a channel as a person sees them, with the beginning of each text; or one whole message.", t.readMessages)
}

// Bounds of waits and answers.
const (
	defaultWait = 10 * time.Second
	maxWait     = time.Minute
	fewMessages = 10
	maxMessages = 20
)

// person says who acts, and where.
type person struct {
	As string `json:"as" jsonschema:"the person: username or id"`
	In string `json:"in" jsonschema:"the channel: id, or names as in Lab/general"`
}

type commandUse struct {
	person

	Command      string `json:"command" jsonschema:"the line as typed: /roll sides:6, /say text:\"two words\"; a user or message command has no slash: Report <@200>"`
	Autocomplete string `json:"autocomplete,omitempty" jsonschema:"ask for the suggestions of this option instead"`
	Locale       string `json:"locale,omitempty" jsonschema:"of the person's client, such as de"`
	Wait         string `json:"wait,omitempty" jsonschema:"answer: the first answer; final (default): also the result of a deferred answer; none"`
	Timeout      string `json:"timeout,omitempty" jsonschema:"how long to wait, up to 1m; default 10s"`
}

// outcome is the result of an invocation.
type outcome struct {
	Outcome     string         `json:"outcome" jsonschema:"answered, deferred, launched or failed"`
	Reason      string         `json:"reason,omitempty" jsonschema:"of failed"`
	Interaction string         `json:"interaction,omitempty" jsonschema:"id for explain_failure"`
	AnsweredMS  float64        `json:"answered_ms,omitempty" jsonschema:"when the app answered, in milliseconds after the start"`
	Messages    []shownMessage `json:"messages,omitempty" jsonschema:"what the person sees"`
	Choices     []string       `json:"choices,omitempty" jsonschema:"suggestions as name=value"`
	Form        *shownForm     `json:"form,omitempty" jsonschema:"the form that opened: use submit"`
	Gaps        []string       `json:"gaps,omitempty" jsonschema:"operations of Discord that the bot called and Bellhop does not serve"`
	Next        string         `json:"next,omitempty" jsonschema:"what to look at"`
}

func (t *Toolbox) useCommand(ctx context.Context, in commandUse) (outcome, error) {
	body := component.Object{"command": in.Command}
	if in.Autocomplete != "" {
		body["autocomplete"] = in.Autocomplete
	}
	if in.Locale != "" {
		body["locale"] = in.Locale
	}
	if in.Wait != "" {
		body["wait"] = in.Wait
	}
	return t.invoke(ctx, in.person, in.Timeout, body)
}

// invoke invokes a command or uses a component. While the bot is new, it tries again if there is no such command: many bots register
// their commands after they are connected.
func (t *Toolbox) invoke(ctx context.Context, who person, timeout string, body component.Object) (r outcome, err error) {
	wait, err := duration("timeout", timeout, defaultWait)
	if err != nil {
		return r, err
	}
	if body["wait"] == nil {
		body["wait"] = "final"
	}
	body["as"], body["in"], body["timeout"] = who.As, who.In, wait.String()
	last, err := t.lastExchange(ctx)
	if err != nil {
		return r, err
	}
	began := t.Clock.Now()
	v, err := t.ask(ctx, http.MethodPost, "/_dev/invoke", "", body)
	for err != nil && strings.Contains(remote.Describe(err).Error(), "no command is called") && t.mayRegister() && t.Clock.Now().Sub(began) < registerTime {
		clock.Pause(ctx, lookEvery)
		v, err = t.ask(ctx, http.MethodPost, "/_dev/invoke", "", body)
	}
	if err != nil {
		return r, err
	}
	t.seen.answered(who.As, v)
	r = outcomeOf(v)
	gaps, err := remote.Gaps(ctx, t.Service, last)
	for _, g := range gaps {
		if name := g.Name + ": " + g.Method + " " + g.Path; !slices.Contains(r.Gaps, name) {
			r.Gaps = append(r.Gaps, name)
		}
	}
	return r, err
}

func outcomeOf(v jsonbody.Value) outcome {
	r := outcome{Outcome: v.Get("outcome").Text(), Reason: v.Get("reason").Text(), Interaction: v.Get("interaction").Get("id").Text()}
	if r.Outcome != "failed" { // the time of a failure is no answer
		r.AnsweredMS, _ = strconv.ParseFloat(v.Get("timings_ms").Get("answered").Text(), 64) // 0 without an answer
	}
	for _, m := range v.Get("messages").Items() {
		r.Messages = append(r.Messages, shownOf(m, maxContent))
	}
	for _, c := range v.Get("choices").Items() {
		r.Choices = append(r.Choices, c.Get("name").Text()+"="+c.Get("value").Text())
	}
	if form, ok := component.FormOf(v); ok {
		r.Form = formOf(form.Modal)
	}
	if r.Outcome == "failed" {
		r.Next = "explain_failure with this interaction"
	}
	return r
}

// duration reads a time of at most maxWait.
func duration(name, text string, byDefault time.Duration) (time.Duration, error) {
	if text == "" {
		return byDefault, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxWait {
		return 0, fmt.Errorf("%s: want a duration up to %v, such as 5s", name, maxWait)
	}
	return d, nil
}

type buttonPress struct {
	person

	Button  string `json:"button" jsonschema:"label, custom id or emoji"`
	Message string `json:"message,omitempty" jsonschema:"id of the message; default: the newest that has the button"`
	Timeout string `json:"timeout,omitempty" jsonschema:"how long to wait for the answer, up to 1m; default 10s"`
}

func (t *Toolbox) press(ctx context.Context, in buttonPress) (outcome, error) {
	return t.useComponent(ctx, in.person, in.Message, in.Timeout, fmt.Sprintf("button %q", in.Button), component.Button(in.Button), nil)
}

type menuChoice struct {
	person

	Menu    string   `json:"menu,omitempty" jsonschema:"placeholder or custom id; default: the first menu"`
	Values  []string `json:"values" jsonschema:"labels or values of options; in menus of users, roles and channels: ids"`
	Message string   `json:"message,omitempty" jsonschema:"id of the message; default: the newest that has the menu"`
	Timeout string   `json:"timeout,omitempty" jsonschema:"how long to wait for the answer, up to 1m; default 10s"`
}

func (t *Toolbox) choose(ctx context.Context, in menuChoice) (outcome, error) {
	return t.useComponent(ctx, in.person, in.Message, in.Timeout, fmt.Sprintf("menu %q", in.Menu), component.Menu(in.Menu), in.Values)
}

// useComponent uses the component that matches on the newest message that the person has seen.
func (t *Toolbox) useComponent(ctx context.Context, who person, message, timeout, what string, match component.Match, values []string) (outcome, error) {
	channel, err := t.channelID(ctx, who.In)
	if err != nil {
		return outcome{}, err
	}
	known := t.seen.messages(who.As, channel)
	listed, err := t.messages(ctx, who.As, channel, newest)
	if err != nil {
		return outcome{}, err
	}
	// Ephemeral messages are only in what the person has seen; what the channel has is newer than that.
	for _, m := range slices.Concat(listed, known) {
		if message != "" && m.Get("id").Text() != message {
			continue
		}
		if c, ok := component.Find(m.Get("components"), match); ok {
			use := component.Use(m.Get("application_id").Text(), m.Get("id").Text(), c, values, nil)
			return t.invoke(ctx, person{who.As, channel}, timeout, component.Object{"interaction": use})
		}
	}
	return outcome{}, fmt.Errorf("no message in the channel has the %s: read_messages lists the messages with their components", what)
}

type formSubmit struct {
	person

	Fields  map[string]any `json:"fields" jsonschema:"by label or custom id: a text, or a list of texts for a menu"`
	Timeout string         `json:"timeout,omitempty" jsonschema:"how long to wait for the answer, up to 1m; default 10s"`
}

func (t *Toolbox) submit(ctx context.Context, in formSubmit) (outcome, error) {
	form, ok := t.seen.takeForm(in.As)
	if !ok {
		return outcome{}, fmt.Errorf("no form is open for %s", in.As)
	}
	fields := map[string]any{}
	for name, value := range in.Fields {
		fields[name] = value
		if list, ok := value.([]any); ok {
			values := make([]string, len(list))
			for i, v := range list {
				values[i] = fmt.Sprint(v)
			}
			fields[name] = values
		}
	}
	submitted, err := form.Submit(fields, nil)
	if err != nil {
		return outcome{}, err
	}
	return t.invoke(ctx, in.person, in.Timeout, component.Object{"interaction": submitted})
}

type saying struct {
	person

	Content string `json:"content,omitempty" jsonschema:"text of a new message"`
	ReplyTo string `json:"reply_to,omitempty" jsonschema:"id of the message that the new one replies to"`
	Message string `json:"message,omitempty" jsonschema:"id of the message to react to, edit, delete or vote on"`
	React   string `json:"react,omitempty" jsonschema:"emoji"`
	Unreact string `json:"unreact,omitempty" jsonschema:"emoji"`
	Edit    string `json:"edit,omitempty" jsonschema:"new text"`
	Delete  bool   `json:"delete,omitempty"`
	Vote    []int  `json:"vote,omitempty" jsonschema:"answers of a poll, from 1"`
	Typing  bool   `json:"typing,omitempty"`
	Wait    string `json:"wait,omitempty" jsonschema:"how long to collect messages of apps, up to 1m; default 2s"`
}

type said struct {
	Message *shownMessage  `json:"message,omitempty"`
	Answers []shownMessage `json:"answers" jsonschema:"what apps sent during the wait"`
}

// sayWait is the default time to wait for messages of apps.
const sayWait = 2 * time.Second

func (t *Toolbox) say(ctx context.Context, in saying) (r said, err error) {
	wait, err := duration("wait", in.Wait, sayWait)
	if err != nil {
		return r, err
	}
	a := client.PersonAction{
		As: in.As, In: in.In, Content: in.Content, React: in.React, Unreact: in.Unreact, Edit: in.Edit, Delete: in.Delete, Vote: in.Vote,
		Typing: in.Typing, Wait: wait.String(),
	}
	for _, id := range []struct {
		name, text string
		to         *snowflake.Message
	}{{"reply_to", in.ReplyTo, &a.ReplyTo}, {"message", in.Message, &a.Message}} {
		if id.text == "" {
			continue
		}
		if *id.to, err = snowflake.Parse[snowflake.Message](id.text); err != nil {
			return r, fmt.Errorf("%s: %w", id.name, err)
		}
	}
	v, err := t.ask(ctx, http.MethodPost, "/_dev/say", "", a)
	if err != nil {
		return r, err
	}
	if m := v.Get("message"); m.IsSet() {
		shown := shownOf(m, maxContent)
		r.Message = &shown
	}
	r.Answers = []shownMessage{}
	for _, m := range v.Get("answers").Items() {
		r.Answers = append(r.Answers, shownOf(m, maxContent))
	}
	return r, nil
}

type channelMessages struct {
	Messages []shownMessage `json:"messages" jsonschema:"the newest first"`
}

type messageQuery struct {
	person

	Message string `json:"message,omitempty" jsonschema:"id of one message: its whole text"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many messages, up to 20; default 10"`
}

func (t *Toolbox) readMessages(ctx context.Context, in messageQuery) (channelMessages, error) {
	channel, err := t.channelID(ctx, in.In)
	if err != nil {
		return channelMessages{}, err
	}
	if in.Message != "" {
		m, err := t.message(ctx, in.As, channel, in.Message)
		return channelMessages{[]shownMessage{shownOf(m, maxBody)}}, err
	}
	list, err := t.messages(ctx, in.As, channel, newest)
	limit := fewMessages
	if in.Limit > 0 {
		limit = in.Limit
	}
	shown := []shownMessage{}
	for _, m := range list[:min(limit, len(list))] {
		shown = append(shown, shownOf(m, maxInList))
	}
	return channelMessages{shown}, err
}

// message returns a message of a channel that a person can read, or has seen in an answer.
func (t *Toolbox) message(ctx context.Context, as, channel, id string) (jsonbody.Value, error) {
	listed, err := t.messages(ctx, as, channel, "limit=1&around="+url.QueryEscape(id))
	if err != nil {
		return jsonbody.Value{}, err
	}
	for _, m := range slices.Concat(listed, t.seen.messages(as, channel)) { // ephemeral messages are only in what the person has seen
		if m.Get("id").Text() == id {
			return m, nil
		}
	}
	return jsonbody.Value{}, fmt.Errorf("the channel has no message %q: read_messages lists the newest", id)
}

// newest is the query for the newest messages of a channel.
var newest = "limit=" + strconv.Itoa(maxMessages)

// messages returns the messages of a channel that a person can read, the newest first.
func (t *Toolbox) messages(ctx context.Context, as, channel, query string) ([]jsonbody.Value, error) {
	v, err := t.readAs(ctx, as, "/channels/"+channel+"/messages?"+query)
	return v.Items(), err
}

// readAs returns what the API answers to a person at a path.
func (t *Toolbox) readAs(ctx context.Context, as, path string) (jsonbody.Value, error) {
	user, err := t.userID(ctx, as)
	if err != nil {
		return jsonbody.Value{}, err
	}
	token, err := t.userToken(ctx, user)
	if err != nil {
		return jsonbody.Value{}, err
	}
	a, err := t.client(token).Do(ctx, client.Request{Method: http.MethodGet, Path: path})
	if err != nil {
		return jsonbody.Value{}, err
	}
	v, err := jsonbody.Parse(a.Body)
	if err != nil {
		return jsonbody.Value{}, err
	}
	if a.Status != http.StatusOK {
		return jsonbody.Value{}, errors.New(as + " cannot read the channel: " + v.Get("message").Text())
	}
	return v, nil
}
