// Command embedder is a game with its own mux. It embeds the service below /play/, and forbids one command.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellhop/bellhop"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// veto forbids the command /reset.
func veto(_ context.Context, c *bellhop.Call) error {
	var invoked struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal(c.Data, &invoked); err != nil {
		return err
	}
	if invoked.Command == "reset" {
		return bellhop.Refuse("Nobody resets the season.")
	}
	return nil
}

// run serves the game until its own requests are answered.
func run(data string) (err error) {
	world := filepath.Join(data, "world.yaml")
	if err := os.WriteFile(world, []byte(people), 0o600); err != nil {
		return err
	}
	srv, err := bellhop.New(bellhop.Config{
		Data: data, World: world, PublicURL: "https://game.example/play",
		Hooks: []bellhop.Hook{{Name: "veto", Events: []string{bellhop.EventInvocation}, Before: veto}},
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	mux := http.NewServeMux()
	mux.HandleFunc("/score", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "7") })
	mux.Handle("/play/", srv.Handler())
	web := httptest.NewServer(mux)

	err = try(web.URL)
	web.Close()
	stop()
	return errors.Join(err, <-ended, srv.Close())
}

// people is the world of the game: a player, a bot, and a guild with a channel.
const people = `
users: [{id: "200", username: ada, token: kR3vZq81Lm5tXw9PbNf2Ys6A}]
applications: [{id: "100", name: Season, owner: "200", bot_token: Qe7uHs40Jc8yRv2TgDk5Wn1B}]
guilds:
  - {id: "300", name: Lab, owner: "200", channels: [{id: "310", name: general}], installs: [{application: "100", scopes: [bot, applications.commands]}]}
`

// try makes the requests that a player and a bot make.
func try(base string) error {
	if _, err := send("GET", base+"/score", "", ""); err != nil {
		return err
	}
	for _, name := range []string{"reset", "standings"} {
		const bot = "Bot Qe7uHs40Jc8yRv2TgDk5Wn1B"
		text, err := send("POST", base+"/play/api/v10/applications/100/commands", bot, `{"name":"`+name+`","description":"A command"}`)
		if err != nil {
			return err
		}
		var made struct {
			ID      string `json:"id"`
			Version string `json:"version"`
		}
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			return err
		}
		invocation := fmt.Sprintf(`{"type":2,"application_id":"100","guild_id":"300","channel_id":"310","data":{"id":%q,"version":%q,"name":%q,"type":1}}`, made.ID, made.Version, name)
		text, err = send("POST", base+"/play/api/v10/interactions", "kR3vZq81Lm5tXw9PbNf2Ys6A", invocation)
		if err != nil {
			return err
		}
		fmt.Printf("/%s: %s\n", name, text)
	}
	return nil
}

// send sends a request, prints the status, and returns the body.
func send(method, url, token, body string) (string, error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Printf("%s %s: %d\n", method, r.URL.Path, resp.StatusCode)
	return string(text), err
}
