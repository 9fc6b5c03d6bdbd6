// Package guesthouse is an app for a small guest house. It has a command for each thing that an app can do: options of
// every type, choices, suggestions, buttons, selects, a form, an embed, an answer that only one user sees, a deferred
// answer, commands for users and messages, names in several languages, and an activity.
//
// The app receives interactions over HTTP. It uses nothing but the public API. "bellhop dev" runs it, and the program in
// the folder cmd runs it against any service.
package guesthouse

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"
)

// App is the guest house. New makes it. It is safe for concurrent use.
type App struct {
	api   *client.Client
	id    snowflake.Application
	pause time.Duration                     // how long a deferred answer takes
	key   atomic.Pointer[ed25519.PublicKey] // of the application; nil before Register
	later chan func(context.Context)        // deferred answers; when it is full, they stay unanswered
}

// New returns the guest house as the application with the given id. api has the token of its bot. pause is the time
// that a deferred answer takes.
func New(api *client.Client, id snowflake.Application, pause time.Duration) *App {
	return &App{api: api, id: id, pause: pause, later: make(chan func(context.Context), maxLater)}
}

// maxLater bounds how many deferred answers wait or run.
const maxLater = 16

// Register registers the commands of the app and the URL at which it receives interactions. The service tests the URL,
// so Serve must run.
func (a *App) Register(ctx context.Context, url string) error {
	self, err := a.api.Application(ctx)
	if err != nil {
		return fmt.Errorf("read the application: %w", err)
	}
	key, err := hex.DecodeString(self.VerifyKey)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return fmt.Errorf("the key of the application is %q", self.VerifyKey)
	}
	a.key.Store((*ed25519.PublicKey)(&key))
	items := make([]client.Item, 0, len(Commands))
	for _, d := range Commands {
		items = append(items, client.Item{Definition: d})
	}
	if _, err := a.api.OverwriteCommands(ctx, command.Scope{Application: a.id}, items); err != nil {
		return fmt.Errorf("register the commands: %w", err)
	}
	if _, err := a.api.SetInteractionsEndpoint(ctx, url); err != nil {
		return fmt.Errorf("set the interactions endpoint: %w", err)
	}
	return nil
}

// Serve receives interactions until ctx ends. When it returns, no deferred answer is running.
func (a *App) Serve(ctx context.Context, ln net.Listener) error {
	web := &http.Server{Handler: a, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := web.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	for range maxLater {
		g.Go(func() error {
			a.answerLater(ctx)
			return nil
		})
	}
	g.Go(func() error {
		<-ctx.Done()
		return web.Close()
	})
	return g.Wait()
}

// answerLater sends deferred answers until ctx ends.
func (a *App) answerLater(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case send := <-a.later:
			pause, cancel := context.WithTimeout(ctx, a.pause)
			<-pause.Done()
			cancel()
			send(ctx)
		}
	}
}

// maxBody is the largest accepted request body.
const maxBody = 1 << 20

// ServeHTTP answers an interaction. A request without a valid signature gets 401.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the connection is broken, or MaxBytesReader has answered
	}
	if !a.verify(r.Header, body) {
		http.Error(w, "invalid request signature", http.StatusUnauthorized)
		return
	}
	var in interaction
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, "not an interaction", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, a.answer(&in)) // the service may have closed the connection
}

// verify reports whether the service has signed a body.
func (a *App) verify(h http.Header, body []byte) bool {
	key := a.key.Load()
	signature, err := hex.DecodeString(h.Get("X-Signature-Ed25519"))
	return err == nil && key != nil && ed25519.Verify(*key, append([]byte(h.Get("X-Signature-Timestamp")), body...), signature)
}

// interaction holds the members of an interaction that the app uses.
type interaction struct {
	Application snowflake.Application  `json:"application_id"`
	Type        client.InteractionType `json:"type"`
	Token       string                 `json:"token"`
	Locale      string                 `json:"locale"`
	Data        data                   `json:"data"`
	Member      *struct {
		User user `json:"user"`
	} `json:"member"`
	User user `json:"user"` // in direct messages
}

// data has the values that the user has entered.
type data struct {
	Name       string               `json:"name"`
	Options    []client.OptionValue `json:"options"`
	Target     string               `json:"target_id"`
	CustomID   string               `json:"custom_id"`
	Values     []string             `json:"values"`
	Components []input              `json:"components"`
	Resolved   resolved             `json:"resolved"`
}

// input is a field of a form, in its label.
type input struct {
	Component struct {
		CustomID string `json:"custom_id"`
		Value    string `json:"value"`
	} `json:"component"`
}

// resolved holds the objects that options and targets refer to.
type resolved struct {
	Users       map[string]user       `json:"users"`
	Messages    map[string]message    `json:"messages"`
	Attachments map[string]attachment `json:"attachments"`
}

type user struct {
	ID         string  `json:"id"`
	Username   string  `json:"username"`
	GlobalName *string `json:"global_name"`
}

type message struct {
	Content string `json:"content"`
}

type attachment struct {
	Filename string `json:"filename"`
	Size     int    `json:"size"`
}

// name returns the name that others see.
func (u user) name() string {
	if u.GlobalName != nil {
		return *u.GlobalName
	}
	return u.Username
}

// guest returns the user who invoked the interaction.
func (in *interaction) guest() user {
	if in.Member != nil {
		return in.Member.User
	}
	return in.User
}
