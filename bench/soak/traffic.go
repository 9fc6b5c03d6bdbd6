package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/bellhop/bellhop/bench/clients"
)

const (
	botToken      = "bot-V7mQ2xK9tR4zL8pW3n-1"
	userToken     = "user-H3kD8vB5yN0cF6jX2s-ada"
	carolToken    = "user-T5nR7cJ1wE9bQ4zA8k-carol"
	listenerToken = "bot-P4wZ9gT1uM7eY5hC8q-2"
	socket        = "/gateway/?v=10&encoding=json"
	commands      = "/api/v10/applications/1300000000000000001/commands"
	world         = `
users:
  - {id: "1100000000000000001", username: ada, token: ` + userToken + `}
  - {id: "1200000000000000001", username: bob}
  - {id: "` + carol + `", username: carol, token: ` + carolToken + `}
applications:
  - {id: "1300000000000000001", name: Echo, owner: "1100000000000000001", bot_token: ` + botToken + `}
  - {id: "1300000000000000002", name: Listener, owner: "1100000000000000001", intents: [GUILD_MEMBERS, MESSAGE_CONTENT], bot_token: ` + listenerToken + `}
guilds:
  - id: "1400000000000000001"
    name: Lab
    owner: "1100000000000000001"
    channels: [{id: "1500000000000000001", name: general}]
    members: [{user: "1100000000000000001"}]
    installs:
      - {application: "1300000000000000001", scopes: [bot, applications.commands], permissions: "8"}
      - {application: "1300000000000000002", scopes: [bot]}
`
)

// intents of the sessions. Only the listeners may use the second ones.
const (
	guildsAndMessages = 1 | 1<<9
	everything        = guildsAndMessages | 1<<1 | 1<<2 | 1<<10 | 1<<15 // with members, bans, reactions and contents
)

// identifyAs returns the first frame of a session.
func identifyAs(token string, intents int) string {
	return fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{}}}`, token, intents)
}

// work is one kind of traffic.
type work struct {
	every time.Duration
	do    func(ctx context.Context, n int) error
}

// traffic returns the mix. Each kind deletes what it creates, or overwrites a fixed set of records.
func (r *soakRun) traffic() []work {
	return []work{
		{100 * time.Millisecond, r.useLobby},
		{100 * time.Millisecond, r.editCommand},
		{200 * time.Millisecond, r.invoke},
		{200 * time.Millisecond, r.useMessages},
		{500 * time.Millisecond, r.changeGuild},
		{500 * time.Millisecond, r.joinAndBan},
		{time.Second, r.useWebhook},
		{time.Second, r.openSession},
	}
}

// call sends a request, records its response time, and decodes the response into out unless it is nil.
func (r *soakRun) call(ctx context.Context, method, path, token, body string, out any) (err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.service.Addr+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	began := time.Now()
	resp, err := r.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	text, err := io.ReadAll(resp.Body)
	took := time.Since(began)
	if err != nil || resp.StatusCode >= 300 {
		return errors.Join(fmt.Errorf("%s %s: %s %s", method, path, resp.Status, text), err)
	}
	r.mu.Lock()
	r.took = append(r.took, took)
	r.requests++
	r.mu.Unlock()
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// useLobby creates a lobby, changes it, reads it and deletes it.
func (r *soakRun) useLobby(ctx context.Context, n int) error {
	var lobby struct {
		ID string `json:"id"`
	}
	const token = "Bot " + botToken
	if err := r.call(ctx, http.MethodPost, "/api/v10/lobbies", token, `{"members":[{"id":"1100000000000000001"}]}`, &lobby); err != nil {
		return err
	}
	path := "/api/v10/lobbies/" + lobby.ID
	return errors.Join(
		r.call(ctx, http.MethodPut, path+"/members/1200000000000000001", token, `{}`, nil),
		r.call(ctx, http.MethodPatch, path, token, fmt.Sprintf(`{"metadata":{"n":"%d"}}`, n), nil),
		r.call(ctx, http.MethodGet, path, token, "", nil),
		r.call(ctx, http.MethodDelete, path, token, "", nil),
	)
}

// command is the command that the user invokes.
type command struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// register creates the command.
func (r *soakRun) register(ctx context.Context) error {
	return r.call(ctx, http.MethodPost, commands, "Bot "+botToken, `{"name":"echo","description":"Echo"}`, &r.command)
}

// editCommand overwrites one of twenty commands and lists all.
func (r *soakRun) editCommand(ctx context.Context, n int) error {
	body := fmt.Sprintf(`{"name":"c%d","description":"%d"}`, n%20, n)
	return errors.Join(
		r.call(ctx, http.MethodPost, commands, "Bot "+botToken, body, nil),
		r.call(ctx, http.MethodGet, commands, "Bot "+botToken, "", nil),
	)
}

// invoke uses the command as a user. The app answers it.
func (r *soakRun) invoke(ctx context.Context, n int) error {
	r.mu.Lock()
	r.sent = append(r.sent, time.Now())
	r.invoked++
	r.mu.Unlock()
	return r.call(ctx, http.MethodPost, "/api/v10/interactions", userToken, fmt.Sprintf(
		`{"type":2,"application_id":"1300000000000000001","guild_id":"1400000000000000001","channel_id":"1500000000000000001",`+
			`"session_id":"s","nonce":"%d","data":{"id":%q,"version":%q,"name":"echo","type":1}}`, n, r.command.ID, r.command.Version), nil)
}

// sentWithin returns how many interactions were sent in the last time.
func (r *soakRun) sentWithin(d time.Duration) (n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.sent) > 0 && time.Since(r.sent[0]) > d {
		r.sent = r.sent[1:]
	}
	return int64(len(r.sent))
}

// openSession opens a gateway session and closes it.
func (r *soakRun) openSession(ctx context.Context, _ int) error {
	g, err := clients.Open(ctx, r.service.Addr, socket, identifyAs(listenerToken, everything), 1, opensWith)
	if err != nil {
		return err
	}
	return g.Close()
}
