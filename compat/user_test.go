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

// userClient is the client of a user. It invokes commands over HTTP and receives the results over the gateway.
type userClient struct {
	t        *testing.T
	service  *service
	app      string
	commands map[string]registered
	session  string
	events   chan event
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

// connectUser opens a gateway session of a user who invokes commands of an application.
func (s *service) connectUser(t *testing.T, app string, commands map[string]registered) *userClient {
	t.Helper()
	url := "ws" + strings.TrimPrefix(s.origin, "http") + "/gateway/?v=10&encoding=json"
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil) //nolint:bodyclose // a response with an upgrade has no body
	if err != nil {
		t.Fatal(err)
	}
	u := &userClient{t: t, service: s, app: app, commands: commands, events: make(chan event, 1000)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(u.events)
		for {
			var e event
			if conn.ReadJSON(&e) != nil {
				return
			}
			u.events <- e
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
	u.read(u.waitFor("READY", func(event) bool { return true }), &ready)
	u.session = ready.Session
	return u
}

func (u *userClient) read(e event, into any) {
	u.t.Helper()
	if err := json.Unmarshal(e.D, into); err != nil {
		u.t.Fatalf("%s %s: %v", e.T, e.D, err)
	}
}

// waitFor returns the next event with a name for which the predicate is true.
func (u *userClient) waitFor(name string, match func(event) bool) event {
	u.t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case e, ok := <-u.events:
			if !ok {
				u.t.Fatalf("the connection ended before %s", name)
			}
			if e.T == "INTERACTION_FAILURE" {
				u.t.Fatalf("INTERACTION_FAILURE %s", e.D)
			}
			if e.T == name && match(e) {
				return e
			}
		case <-late:
			u.t.Fatalf("no %s", name)
		}
	}
}

// message returns the next message of the application.
func (u *userClient) message(name string) message {
	u.t.Helper()
	var m message
	u.waitFor(name, func(e event) bool {
		u.read(e, &m)
		return m.Application == u.app
	})
	return m
}

// invoke sends an interaction of a type with data.
func (u *userClient) invoke(kind int, data string) {
	u.t.Helper()
	u.service.call(u.t, http.MethodPost, "/api/v10/interactions", ownerToken, fmt.Sprintf(
		`{"type":%d,"application_id":%q,"guild_id":%q,"channel_id":%q,"session_id":%q,"nonce":"%d","data":%s}`,
		kind, u.app, guild, channel, u.session, nonces.Add(1), data), nil)
}

// data returns the data of an invocation of a command, with further members.
func (u *userClient) data(command, more string) string {
	c := u.commands[command]
	own := fmt.Sprintf(`{"id":%q,"version":%q,"name":%q,"type":%d`, c.ID, c.Version, c.Name, c.Type)
	if rest := strings.Trim(more, "{}"); strings.HasPrefix(more, "{") && rest != "" {
		return own + "," + more[1:]
	}
	return own + "}"
}

// use invokes a command and returns the message with the answer.
func (u *userClient) use(command, more string) message {
	u.t.Helper()
	u.invoke(2, u.data(command, more))
	return u.message("MESSAGE_CREATE")
}

func (u *userClient) checkContent(m message, want string) {
	u.t.Helper()
	if m.Content != want {
		u.t.Errorf("the bot answered %q, want %q", m.Content, want)
	}
}

// checkSuggestion enters a value for an option and checks the suggestion of the bot.
func (u *userClient) checkSuggestion(command, text, name, value string) {
	u.t.Helper()
	u.invoke(4, u.data(command, fmt.Sprintf(`{"options":[{"type":3,"name":"what","value":%q,"focused":true}]}`, text)))
	var got struct {
		Choices []struct{ Name, Value string }
	}
	u.read(u.waitFor("APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", func(event) bool { return true }), &got)
	if len(got.Choices) != 1 || got.Choices[0].Name != name || got.Choices[0].Value != value {
		u.t.Errorf("the bot suggests %+v, want %s", got.Choices, name)
	}
}

// submitModal opens a modal with a command, submits it and checks the answer.
func (u *userClient) submitModal(command, want string) {
	u.t.Helper()
	u.invoke(2, u.data(command, `{}`))
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
	u.read(u.waitFor("INTERACTION_MODAL_CREATE", func(event) bool { return true }), &form)
	if len(form.Components) != 1 {
		u.t.Fatalf("the modal has %d components, want 1", len(form.Components))
	}
	row := form.Components[0]
	filled := `{"type":18,"component":%s}` // a label around the field
	if row.Component == nil {
		filled, row.Component = `{"type":1,"components":[%s]}`, &row.Components[0]
	}
	filled = fmt.Sprintf(filled, fmt.Sprintf(`{"type":4,"custom_id":%q,"value":"Ada"}`, row.Component.CustomID))
	u.invoke(5, fmt.Sprintf(`{"id":%q,"custom_id":%q,"components":[%s]}`, form.ID, form.CustomID, filled))
	u.checkContent(u.message("MESSAGE_CREATE"), want)
}

// checkDeferred waits until the bot completes a deferred message and sends a follow-up.
func (u *userClient) checkDeferred(m message, filled, next string) {
	u.t.Helper()
	if got := u.message("MESSAGE_UPDATE"); got.ID != m.ID || got.Content != filled || got.Flags&128 != 0 {
		u.t.Errorf("the deferred message is now %+v, want content %q", got, filled)
	}
	u.checkContent(u.message("MESSAGE_CREATE"), next)
}
