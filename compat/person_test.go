package compat_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// person is the client of a user. It invokes commands over HTTP and receives the results over the gateway.
type person struct {
	t        *testing.T
	service  *service
	app      string
	commands map[string]registered
	session  string
	heard    chan event
}

// nonces numbers the invocations. The service treats two with the same nonce as one.
var nonces atomic.Int64

// event is a gateway event.
type event struct {
	Op int             `json:"op"`
	T  string          `json:"t"`
	D  json.RawMessage `json:"d"`
}

// message is a message as the user receives it.
type message struct {
	ID          string `json:"id"`
	Application string `json:"application_id"`
	Content     string `json:"content"`
	Flags       int    `json:"flags"`
}

// meet opens a gateway session of a user who invokes commands of an application.
func (s *service) meet(t *testing.T, app string, commands map[string]registered) *person {
	t.Helper()
	url := "ws" + strings.TrimPrefix(s.origin, "http") + "/gateway/?v=10&encoding=json"
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil) //nolint:bodyclose // there is none after an upgrade
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, service: s, app: app, commands: commands, heard: make(chan event, 1000)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(p.heard)
		for {
			var e event
			if conn.ReadJSON(&e) != nil {
				return
			}
			p.heard <- e
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-ended
	})
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"op":2,"d":{"token":"`+ownerToken+`","properties":{}}}`)); err != nil {
		t.Fatal(err)
	}
	var ready struct {
		Session string `json:"session_id"`
	}
	p.read(p.hear("READY", func(event) bool { return true }), &ready)
	p.session = ready.Session
	return p
}

func (p *person) read(e event, into any) {
	p.t.Helper()
	if err := json.Unmarshal(e.D, into); err != nil {
		p.t.Fatalf("%s %s: %v", e.T, e.D, err)
	}
}

// hear returns the next event with a name for which the predicate is true.
func (p *person) hear(name string, isIt func(event) bool) event {
	p.t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case e, ok := <-p.heard:
			if !ok {
				p.t.Fatalf("the connection ended before %s", name)
			}
			if e.T == "INTERACTION_FAILURE" {
				p.t.Fatalf("INTERACTION_FAILURE %s", e.D)
			}
			if e.T == name && isIt(e) {
				return e
			}
		case <-late:
			p.t.Fatalf("no %s", name)
		}
	}
}

// message returns the next message of the application.
func (p *person) message(name string) message {
	p.t.Helper()
	var m message
	p.hear(name, func(e event) bool {
		p.read(e, &m)
		return m.Application == p.app
	})
	return m
}

// invoke sends an interaction of a type with data.
func (p *person) invoke(kind int, data string) {
	p.t.Helper()
	p.service.call(p.t, http.MethodPost, "/api/v10/interactions", ownerToken, fmt.Sprintf(
		`{"type":%d,"application_id":%q,"guild_id":%q,"channel_id":%q,"session_id":%q,"nonce":"%d","data":%s}`,
		kind, p.app, guild, channel, p.session, nonces.Add(1), data), nil)
}

// data returns the data of an invocation of a command, with further members.
func (p *person) data(command, more string) string {
	c := p.commands[command]
	own := fmt.Sprintf(`{"id":%q,"version":%q,"name":%q,"type":%d`, c.ID, c.Version, c.Name, c.Type)
	if rest := strings.Trim(more, "{}"); strings.HasPrefix(more, "{") && rest != "" {
		return own + "," + more[1:]
	}
	return own + "}"
}

// use invokes a command and returns the message with the answer.
func (p *person) use(command, more string) message {
	p.t.Helper()
	p.invoke(2, p.data(command, more))
	return p.message("MESSAGE_CREATE")
}

func (p *person) says(m message, want string) {
	p.t.Helper()
	if m.Content != want {
		p.t.Errorf("the bot answered %q, want %q", m.Content, want)
	}
}

// suggests enters a value for an option and checks the suggestions of the bot.
func (p *person) suggests(command, text, name, value string) {
	p.t.Helper()
	p.invoke(4, p.data(command, fmt.Sprintf(`{"options":[{"type":3,"name":"what","value":%q,"focused":true}]}`, text)))
	var got struct {
		Choices []struct{ Name, Value string }
	}
	p.read(p.hear("APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", func(event) bool { return true }), &got)
	if len(got.Choices) != 1 || got.Choices[0].Name != name || got.Choices[0].Value != value {
		p.t.Errorf("the bot suggests %+v, want %s", got.Choices, name)
	}
}

// fills opens a modal with a command and submits it.
func (p *person) fills(command, want string) {
	p.t.Helper()
	p.invoke(2, p.data(command, `{}`))
	type field struct {
		CustomID string `json:"custom_id"`
	}
	var form struct {
		ID         string `json:"id"`
		CustomID   string `json:"custom_id"`
		Components []struct {
			Component  *field  `json:"component"`
			Components []field `json:"components"`
		} `json:"components"`
	}
	p.read(p.hear("INTERACTION_MODAL_CREATE", func(event) bool { return true }), &form)
	if len(form.Components) != 1 {
		p.t.Fatalf("the form has %d parts, want 1", len(form.Components))
	}
	row := form.Components[0]
	filled := `{"type":18,"component":%s}` // a label around the field
	if row.Component == nil {
		filled, row.Component = `{"type":1,"components":[%s]}`, &row.Components[0]
	}
	filled = fmt.Sprintf(filled, fmt.Sprintf(`{"type":4,"custom_id":%q,"value":"Ada"}`, row.Component.CustomID))
	p.invoke(5, fmt.Sprintf(`{"id":%q,"custom_id":%q,"components":[%s]}`, form.ID, form.CustomID, filled))
	p.says(p.message("MESSAGE_CREATE"), want)
}

// becomes waits until a deferred message is completed and a follow-up arrives.
func (p *person) becomes(m message, filled, next string) {
	p.t.Helper()
	if got := p.message("MESSAGE_UPDATE"); got.ID != m.ID || got.Content != filled || got.Flags&128 != 0 {
		p.t.Errorf("the message becomes %+v, want %q", got, filled)
	}
	p.says(p.message("MESSAGE_CREATE"), next)
}
