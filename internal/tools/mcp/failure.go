package mcp

import (
	"cmp"
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
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

type interactionQuery struct {
	Interaction string `json:"interaction" jsonschema:"id of the interaction, from the outcome of use_command, press, choose or submit"`
}

type explanation struct {
	Findings  []string  `json:"findings" jsonschema:"what happened, in order"`
	Delivered string    `json:"delivered,omitempty" jsonschema:"what the app got: the command with the names and values of its options, or the custom id of the component or form"`
	Steps     []entry   `json:"steps" jsonschema:"the traffic of the interaction, the oldest first"`
	Bot       botStatus `json:"bot"`
}

// answerTime is the time in which the first answer of an app counts.
const answerTime = 3 * time.Second

// Codes of errors that mean something for an interaction.
const (
	unknownInteraction  = "10062"
	alreadyAcknowledged = "40060"
)

func (t *Toolbox) explainFailure(ctx context.Context, in interactionQuery) (r explanation, err error) {
	id, err := snowflake.Parse[snowflake.Interaction](in.Interaction)
	if err != nil {
		return r, fmt.Errorf("interaction: %w", err)
	}
	list, err := t.dev().Requests(ctx, url.Values{"limit": {allEntries}})
	if err != nil {
		return r, err
	}
	slices.Reverse(list) // the oldest first
	var c interactionCase
	for i := range list {
		e := &list[i]
		c.take(e, id)
		if e.Interaction == id {
			r.Steps = append(r.Steps, entryOf(e))
		}
	}
	if len(r.Steps) == 0 {
		return r, errors.New("the traffic has no such interaction: it is too old, or the id is wrong")
	}
	if len(r.Steps) > manyEntries {
		r.Steps = r.Steps[:manyEntries]
	}
	r.Bot = t.bot.status(fewLines)
	r.Delivered = c.delivered
	r.Findings = c.findings(r.Bot)
	return r, nil
}

// interactionCase collects what is known about an interaction.
type interactionCase struct {
	delivery  *client.Exchange // nil: the app did not get the interaction
	delivered string
	answers   []*client.Exchange // requests of the app that answer the interaction
	edited    bool               // the app has sent or edited a message after its first answer
	refused   []*client.Exchange // other requests of the app that failed after the delivery
}

// take adds an exchange, in the order of time.
func (c *interactionCase) take(e *client.Exchange, id snowflake.Interaction) {
	own := e.Interaction == id
	switch {
	case own && e.Kind == "delivery":
		c.delivery = e
		if e.Request != nil {
			c.delivered = describe(e.Request.Body, "")
		}
	case own && e.Kind == "frame" && e.Route == "INTERACTION_CREATE" && e.Application != 0 && e.Response != nil:
		c.delivery = e
		c.delivered = describe(e.Response.Body, "d")
	case own && e.Kind == "request" && strings.HasSuffix(e.Route, "/callback"):
		c.answers = append(c.answers, e)
	case c.delivery == nil || e.Kind != "request" || e.Application != c.delivery.Application && !own:
	case e.Status >= http.StatusBadRequest:
		c.refused = append(c.refused, e)
	case own && e.Method != http.MethodGet:
		c.edited = true
	}
}

// findings says what happened.
func (c *interactionCase) findings(bot botStatus) []string {
	var list []string
	if bot.State == "ended" {
		list = append(list, fmt.Sprintf("The bot has ended with exit code %d. Its last lines are in bot.output.", bot.ExitCode))
	}
	switch {
	case c.delivery == nil:
		list = append(list, "The app did not get the interaction: it has no gateway session and no endpoint URL. Start the bot.")
	case c.delivery.Kind == "delivery":
		list = append(list, c.endpointFinding())
	case len(c.answers) == 0:
		list = append(list, "The app got the interaction and sent no answer. It may not handle this name, option or custom id, or an error stopped it: "+
			"compare delivered with the code, and read bot.output.")
	}
	for _, a := range c.answers {
		list = append(list, c.answerFinding(a))
	}
	for _, e := range c.refused {
		list = append(list, fmt.Sprintf("The app sent %s %s and got %s.", e.Method, e.Path, errorText(e)))
	}
	return list
}

// endpointFinding describes the answer of an endpoint.
func (c *interactionCase) endpointFinding() string {
	d := c.delivery
	text := fmt.Sprintf("The endpoint of the app answered %d after %.0f ms.", d.Status, d.TookMS)
	if d.Error != "" {
		text = fmt.Sprintf("The delivery to the endpoint of the app failed after %.0f ms: %s.", d.TookMS, d.Error)
	}
	if d.TookMS >= float64(answerTime.Milliseconds()) {
		text += " " + deferFirst
	}
	return text
}

const deferFirst = "The first answer counts within 3 s: send a deferred answer first (type 5, or 6 for a component), and edit the original response later."

// answerFinding describes an answer over the API.
func (c *interactionCase) answerFinding(a *client.Exchange) string {
	after := time.Duration(0)
	if c.delivery != nil {
		after = a.Time.Sub(c.delivery.Time).Round(time.Millisecond)
	}
	code := errorCode(a)
	switch {
	case a.Status < http.StatusBadRequest:
		text := fmt.Sprintf("The app answered after %v with %s.", after, answerType(a))
		if strings.HasPrefix(answerType(a), "a deferred") && !c.edited {
			text += " It has not filled in the answer since: edit the original response."
		}
		return text
	case code == unknownInteraction && after >= answerTime:
		return fmt.Sprintf("The app answered after %v and got %s. %s", after, errorText(a), deferFirst)
	case code == alreadyAcknowledged:
		return fmt.Sprintf("The app answered a second time and got %s. Send a follow-up message instead.", errorText(a))
	default:
		return fmt.Sprintf("The app answered after %v, and the answer was refused: %s.", after, errorText(a))
	}
}

// answerType names the type of an answer.
func answerType(a *client.Exchange) string {
	names := map[string]string{
		"4": "a message", "5": "a deferred message", "6": "a deferred update", "7": "an update of the message", "8": "suggestions", "9": "a form",
	}
	if a.Request == nil {
		return "an answer"
	}
	v, err := jsonbody.Parse([]byte(a.Request.Body))
	if err != nil {
		return "an answer"
	}
	return cmp.Or(names[v.Get("type").Text()], "an answer of type "+v.Get("type").Text())
}

// errorCode returns the code of an error response, or "".
func errorCode(e *client.Exchange) string {
	if e.Response == nil {
		return ""
	}
	v, err := jsonbody.Parse([]byte(e.Response.Body))
	if err != nil {
		return ""
	}
	return v.Get("code").Text()
}

// errorText returns the status and the text of an error response.
func errorText(e *client.Exchange) string {
	if e.Gap != "" {
		return fmt.Sprintf("%d: Bellhop does not serve %s", e.Status, e.Gap)
	}
	if e.Response == nil {
		return strconv.Itoa(e.Status)
	}
	return fmt.Sprintf("%d %s", e.Status, cut(e.Response.Body, maxError))
}

// describe returns what an interaction asks for. It is the member of the body with a name, or the whole body if the name is empty.
func describe(body, member string) string {
	v, err := jsonbody.Parse([]byte(body))
	if err != nil {
		return ""
	}
	if member != "" {
		v = v.Get(member)
	}
	data := v.Get("data")
	if id := data.Get("custom_id").Text(); id != "" {
		kind := "component"
		if v.Get("type").Text() == "5" {
			kind = "form"
		}
		var text strings.Builder
		fmt.Fprintf(&text, "%s with custom_id %q", kind, id)
		for _, value := range data.Get("values").Items() {
			fmt.Fprintf(&text, ", value %q", value.Text())
		}
		return text.String()
	}
	return "command " + data.Get("name").Text() + optionsText(data.Get("options"))
}

// optionsText lists options with their values.
func optionsText(options jsonbody.Value) string {
	var b strings.Builder
	for _, o := range options.Items() {
		if o.Get("value").IsSet() {
			fmt.Fprintf(&b, " %s:%q", o.Get("name").Text(), o.Get("value").Text())
			continue
		}
		b.WriteString(" " + o.Get("name").Text() + optionsText(o.Get("options")))
	}
	return b.String()
}
