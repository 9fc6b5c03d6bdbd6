package dispatch_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	hello     = `{"type":4,"data":{"content":"hello"}}`
	ephemeral = `{"type":4,"data":{"content":"psst","flags":64}}`
	deferred  = `{"type":5}`
	buttons   = `{"type":4,"data":{"content":"press","components":[{"type":1,"components":[
		{"type":2,"style":1,"label":"Go","custom_id":"go"}]}]}}`
	openModal = `{"type":9,"data":{"custom_id":"fb","title":"Feedback","components":[{"type":1,"components":[
		{"type":4,"style":1,"label":"Text","custom_id":"txt"}]}]}}`
)

// invokePing lets ada use ping in the channel general. It returns the interaction and its token.
func invokePing(d *fixture) (snowflake.Interaction, string) {
	d.t.Helper()
	return invokePingIn(d, ada, guild, general)
}

func invokePingIn(d *fixture, user snowflake.User, in snowflake.Guild, channel snowflake.Channel) (snowflake.Interaction, string) {
	d.t.Helper()
	c := d.register(echo, 0, ping)
	d.invoke(user, withMembers(invokeBody(c, in, channel, ""), `"session_id":"s1"`))
	return d.newestToken()
}

// eventNames returns the names of the events from an index on.
func (d *fixture) eventNames(from int) []string {
	d.events.mu.Lock()
	defer d.events.mu.Unlock()
	var list []string
	for _, e := range d.events.list[from:] {
		list = append(list, e.Name)
	}
	return list
}

func (d *fixture) eventCount() int {
	d.events.mu.Lock()
	defer d.events.mu.Unlock()
	return len(d.events.list)
}

// pressButton uses the button of the newest message that has one.
func pressButton(d *fixture, user snowflake.User) (snowflake.Interaction, string) {
	d.t.Helper()
	return pressButtonWatched(d, user, nil)
}

func pressButtonWatched(d *fixture, user snowflake.User, w *dispatch.Watch) (snowflake.Interaction, string) {
	d.t.Helper()
	for _, e := range reversed(d.waitEvents("MESSAGE_CREATE", 1)) {
		v := parse(d.t, string(e.Data))
		if len(v.Get("components").Items()) == 0 {
			continue
		}
		body := `{"type":3,"application_id":"100","guild_id":"300","channel_id":"310","message_id":"` + v.Get("id").Text() +
			`","data":{"component_type":2,"custom_id":"go"}}`
		if _, err := d.Invoke(d.t.Context(), dispatch.InvokeRequest{User: user, Body: parse(d.t, body), Watch: w}); err != nil {
			d.t.Fatal(err)
		}
		return d.newestToken()
	}
	d.t.Fatal("no message has a button")
	return 0, ""
}

// TestCallbackTypes answers each type of interaction with allowed and forbidden callback types.
func TestCallbackTypes(t *testing.T) {
	t.Parallel()
	command := func(d *fixture) (snowflake.Interaction, string) { return invokePing(d) }
	component := func(d *fixture) (snowflake.Interaction, string) {
		id, token := invokePing(d)
		if err := d.callback(id, token, buttons); err != nil {
			d.t.Fatal(err)
		}
		return pressButton(d, ada)
	}
	submit := func(from func(*fixture) (snowflake.Interaction, string)) func(d *fixture) (snowflake.Interaction, string) {
		return func(d *fixture) (snowflake.Interaction, string) {
			id, token := from(d)
			if err := d.callback(id, token, openModal); err != nil {
				d.t.Fatal(err)
			}
			d.invoke(ada, `{"type":5,"application_id":"100","guild_id":"300","channel_id":"310","data":{"id":"`+id.String()+
				`","custom_id":"fb","components":[{"type":1,"components":[{"type":4,"custom_id":"txt","value":"fine"}]}]}}`)
			return d.newestToken()
		}
	}
	complete := func(d *fixture) (snowflake.Interaction, string) {
		c := d.register(echo, 0, `{"name":"find","description":"Find","type":1,"options":[
			{"type":3,"name":"q","description":"Query","autocomplete":true}]}`)
		d.invoke(ada, strings.Replace(invokeBody(c, guild, general, `,"options":[{"type":3,"name":"q","value":"a","focused":true}]`), `"type":2`, `"type":4`, 1))
		return d.newestToken()
	}
	wrongType := finding{"type", jsonbody.Choices}
	success, made, edited := "INTERACTION_SUCCESS", "MESSAGE_CREATE", "MESSAGE_UPDATE"
	for _, tt := range []struct {
		name   string
		begin  func(*fixture) (snowflake.Interaction, string)
		body   string
		want   error
		events []string
	}{
		{"4 to a command", command, hello, nil, []string{success, made}},
		{"5 to a command", command, deferred, nil, []string{success, made}},
		{"5 with other flags", command, `{"type":5,"data":{"flags":4}}`, finding{"data.flags", jsonbody.Choices}, nil},
		{"6 to a command", command, `{"type":6}`, wrongType, nil},
		{"7 to a command", command, `{"type":7,"data":{"content":"x"}}`, wrongType, nil},
		{"8 to a command", command, `{"type":8,"data":{"choices":[]}}`, wrongType, nil},
		{"9 to a command", command, openModal, nil, []string{success, "INTERACTION_MODAL_CREATE"}},
		{"12 to a command", command, `{"type":12}`, nil, []string{success, "EMBEDDED_ACTIVITY_UPDATE_V2"}},
		{"1 by callback", command, `{"type":1}`, wrongType, nil},
		{"10 is deprecated", command, `{"type":10}`, wrongType, nil},
		{"4 without data", command, `{"type":4,"data":null}`, message.ErrEmpty, nil},
		{"4 to a component", component, hello, nil, []string{success, made}},
		{"5 to a component", component, deferred, nil, []string{success, made}},
		{"6 to a component", component, `{"type":6}`, nil, []string{success}},
		{"7 to a component", component, `{"type":7,"data":{"content":"pressed","components":[]}}`, nil, []string{success, edited}},
		{"7 that changes nothing", component, `{"type":7,"data":{}}`, nil, []string{success, edited}},
		{"9 to a component", component, openModal, nil, []string{success, "INTERACTION_MODAL_CREATE"}},
		{"12 to a component", component, `{"type":12}`, nil, []string{success, "EMBEDDED_ACTIVITY_UPDATE_V2"}},
		{"4 to a modal", submit(command), hello, nil, []string{success, made}},
		{"6 to a modal that a command opened", submit(command), `{"type":6}`, wrongType, nil},
		{"7 to a modal that a component opened", submit(component), `{"type":7,"data":{"content":"x"}}`, nil, []string{success, edited}},
		{"6 to a modal that a component opened", submit(component), `{"type":6}`, nil, []string{success}},
		{"9 to a modal", submit(command), openModal, wrongType, nil},
		{"12 to a modal", submit(command), `{"type":12}`, nil, []string{success, "EMBEDDED_ACTIVITY_UPDATE_V2"}},
		{"8 to an autocomplete", complete, `{"type":8,"data":{"choices":[{"name":"A","value":"a"}]}}`, nil, []string{"APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE"}},
		{"8 without a match", complete, `{"type":8,"data":{"choices":[]}}`, nil, []string{"APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE"}},
		{"4 to an autocomplete", complete, hello, wrongType, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			id, token := tt.begin(d)
			from := d.eventCount()
			err := d.callback(id, token, tt.body)
			if err != nil || tt.want != nil {
				if !isError(err, tt.want) {
					t.Fatalf("Callback() = %v, want %v", err, tt.want)
				}
				return
			}
			if got := strings.Join(d.eventNames(from), " "); got != strings.Join(tt.events, " ") {
				t.Errorf("events %s, want %s", got, tt.events)
			}
			if err := d.callback(id, token, tt.body); !errors.Is(err, interaction.ErrAcknowledged) {
				t.Errorf("a second answer: %v, want %v", err, interaction.ErrAcknowledged)
			}
		})
	}
}

// TestCallbackRefusals sends answers with unknown ids and tokens.
func TestCallbackRefusals(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := invokePing(d)
	for name, err := range map[string]error{
		"an unknown id":    d.callback(id+1, token, hello),
		"no token":         d.callback(id, "", hello),
		"a changed token":  d.callback(id, token[:len(token)-2]+"AA", hello),
		"a token too long": d.callback(id, strings.Repeat("A", 1<<12), hello),
		"an unknown token": d.callback(id, "bm90aGluZw", hello),
	} {
		if !errors.Is(err, interaction.ErrUnknownInteraction) {
			t.Errorf("%s: %v, want %v", name, err, interaction.ErrUnknownInteraction)
		}
	}
	if err := d.callback(id, token, hello); err != nil {
		t.Errorf("the right answer after them: %v", err)
	}
}

// TestDeadline checks that an interaction fails when the app does not answer in time.
func TestDeadline(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := invokePing(d)
	d.clock.Advance(interaction.Deadline)
	failure := d.waitEvents("INTERACTION_FAILURE", 1)[0]
	if want := `{"id":"` + id.String() + `","reason_code":2}`; string(failure.Data) != want || failure.To.Session != "s1" {
		t.Errorf("failure %s to %+v, want %s", failure.Data, failure.To, want)
	}
	if text := d.metricsText(); !strings.Contains(text, `bellhop_interactions_total{kind="command",outcome="timeout"} 1`) {
		t.Error("the failure was not counted")
	}
	if err := d.callback(id, token, hello); !errors.Is(err, interaction.ErrUnknownInteraction) {
		t.Errorf("an answer after the deadline: %v", err)
	}
	if _, err := d.FollowUp(t.Context(), echo, token, d.response(`{"content":"x"}`)); !errors.Is(err, interaction.ErrUnknownWebhook) {
		t.Errorf("a follow-up of a failed interaction: %v", err)
	}
}

// TestDeadlineGrace checks that an answer that began to arrive in time gets a grace period.
func TestDeadlineGrace(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := invokePing(d)
	arrived := d.clock.Now()
	done := d.Arriving(id)
	d.clock.Advance(interaction.Deadline)
	if list, _ := d.events.named("INTERACTION_FAILURE"); len(list) != 0 {
		t.Fatal("the interaction failed while its answer was being read")
	}
	_, err := d.Callback(t.Context(), id, token, dispatch.Response{Body: parse(t, hello), Arrived: arrived}, false)
	done()
	if err != nil {
		t.Errorf("an answer within the grace period: %v", err)
	}

	id, token = invokePing(d)
	defer d.Arriving(id)()
	arrived = d.clock.Now()
	d.clock.Advance(interaction.Deadline + interaction.Grace)
	d.waitEvents("INTERACTION_FAILURE", 1)
	_, err = d.Callback(t.Context(), id, token, dispatch.Response{Body: parse(t, hello), Arrived: arrived}, false)
	if !errors.Is(err, interaction.ErrUnknownInteraction) {
		t.Errorf("an answer after the grace period: %v", err)
	}
}

// TestFirstAnswerWins sends many answers at the same time. One must be accepted.
func TestFirstAnswerWins(t *testing.T) {
	t.Parallel()
	d := open(t)
	for range 20 {
		id, token := invokePing(d)
		var group sync.WaitGroup
		errs := make(chan error, 8)
		for range cap(errs) {
			group.Go(func() { errs <- d.callback(id, token, hello) })
		}
		group.Wait()
		close(errs)
		won := 0
		for err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, interaction.ErrAcknowledged):
				t.Errorf("another answer: %v", err)
			}
		}
		if won != 1 {
			t.Fatalf("%d answers were accepted", won)
		}
	}
	list, _ := d.events.named("MESSAGE_CREATE")
	if success := d.waitEvents("INTERACTION_SUCCESS", 20); len(success) != 20 || len(list) != 20 {
		t.Errorf("%d successes and %d messages, want 20 each", len(success), len(list))
	}
}

// TestAnswerAgainstDeadline sends an answer at the deadline. Either the answer or the failure must win.
func TestAnswerAgainstDeadline(t *testing.T) {
	t.Parallel()
	d := open(t)
	const rounds = 15
	for range rounds {
		id, token := invokePing(d)
		var group sync.WaitGroup
		var err error
		group.Go(func() { err = d.callback(id, token, hello) })
		group.Go(func() { d.clock.Advance(interaction.Deadline) })
		group.Wait()
		if err != nil && !errors.Is(err, interaction.ErrUnknownInteraction) {
			t.Fatal(err)
		}
	}
	success, _ := d.events.named("INTERACTION_SUCCESS")
	failure, _ := d.events.named("INTERACTION_FAILURE")
	if len(success)+len(failure) != rounds {
		t.Errorf("%d successes and %d failures of %d", len(success), len(failure), rounds)
	}
}

// TestReceipt checks the response to a callback.
func TestReceipt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		body string
		want []string
	}{
		{hello, []string{`"response_message_loading":false`, `"response_message_ephemeral":false`, `"resource":{"type":4,"message":{"id"`}},
		{deferred, []string{`"response_message_loading":true`}},
		{ephemeral, []string{`"response_message_ephemeral":true`}},
		{`{"type":12}`, []string{`"activity_instance_id":"i-`, `"resource":{"type":12,"activity_instance":{"id":"i-`}},
		{openModal, []string{`{"interaction":{"id"`}},
	} {
		d := open(t)
		id, token := invokePing(d)
		r, err := d.Callback(t.Context(), id, token, d.response(tt.body), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range tt.want {
			if text := string(r.AppendJSON(nil)); !strings.Contains(text, part) {
				t.Errorf("response to %s is %s, lacks %s", tt.body, text, part)
			}
		}
	}
}

// TestAudiences checks who receives the events about a message.
func TestAudiences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		guild   snowflake.Guild
		channel snowflake.Channel
		body    string
		want    []events.Audience
	}{
		{"guild", guild, general, hello, []events.Audience{
			{Users: []snowflake.User{ada}},
			{Guild: guild, Channel: general, Except: []snowflake.User{ada}, Intents: events.GuildMessages},
		}},
		{"ephemeral", guild, general, ephemeral, []events.Audience{
			{Users: []snowflake.User{ada}},
			{Application: echo, Intents: events.DirectMessages | events.GuildMessages},
		}},
		{"direct", 0, withEcho, hello, []events.Audience{
			{Users: []snowflake.User{ada}}, {Application: echo, Intents: events.DirectMessages},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			c := d.register(echo, 0, ping)
			d.invoke(ada, withMembers(invokeBody(c, tt.guild, tt.channel, ""), `"nonce":"n1"`))
			id, token := d.newestToken()
			if err := d.callback(id, token, tt.body); err != nil {
				t.Fatal(err)
			}
			got := d.waitEvents("MESSAGE_CREATE", len(tt.want))
			for i, e := range got {
				checkAudience(t, e, tt.want[i], i == 0)
			}
		})
	}
}

func checkAudience(t *testing.T, e events.Event, want events.Audience, invoker bool) {
	t.Helper()
	text := string(e.Data)
	if !sameAudience(e.To, want) {
		t.Errorf("sent to %+v, want %+v", e.To, want)
	}
	if has := strings.Contains(text, `"nonce":"n1"`); has != invoker {
		t.Errorf("%s contains the nonce: %v", text, has)
	}
	if has := strings.Contains(text, `"guild_id":"300"`); has != (e.To.Guild != 0) && !invoker {
		t.Errorf("%s contains the guild: %v", text, has)
	}
	if want.Guild == 0 {
		return
	}
	if strings.Contains(string(e.Reduced), "hello") || !strings.Contains(string(e.Reduced), `"content":""`) {
		t.Errorf("reduced is %s", e.Reduced)
	}
	if len(e.Full) != 1 || e.Full[0] != echo {
		t.Errorf("full content for %v", e.Full)
	}
}

func sameAudience(a, b events.Audience) bool {
	same := func(x, y []snowflake.User) bool {
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if x[i] != y[i] {
				return false
			}
		}
		return true
	}
	return same(a.Users, b.Users) && same(a.Except, b.Except) && a.Guild == b.Guild && a.Channel == b.Channel &&
		a.Application == b.Application && a.Intents == b.Intents && a.Session == b.Session
}

// TestAdvanceClock advances the clock by a day. All deadlines on the way must have passed when Advance returns.
func TestAdvanceClock(t *testing.T) {
	t.Parallel()
	d := open(t)
	w := dispatch.NewWatch()
	defer w.Close()
	c := d.register(echo, 0, ping)
	if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(c, guild, general, "")), Watch: w}); err != nil {
		t.Fatal(err)
	}
	id, token := d.newestToken()
	if err := d.callback(id, token, deferred); err != nil {
		t.Fatal(err)
	}
	if out := d.waitAnswer(w); out.Result != dispatch.Deferred {
		t.Fatalf("outcome %+v", out)
	}
	_, late := invokePing(d)
	d.clock.Advance(24 * time.Hour)
	out, err := w.Final(t.Context())
	if err != nil || out.Result != dispatch.Failed {
		t.Errorf("the outcome of an unfilled answer is %+v, %v", out, err)
	}
	if list, _ := d.events.named("INTERACTION_FAILURE"); len(list) != 1 {
		t.Errorf("%d failures, want 1: of the interaction without an answer", len(list))
	}
	for _, token := range []string{token, late} {
		if _, err := d.Message(t.Context(), echo, token, dispatch.Original); !errors.Is(err, interaction.ErrTokenExpired) {
			t.Errorf("an expired token: %v", err)
		}
	}
}
