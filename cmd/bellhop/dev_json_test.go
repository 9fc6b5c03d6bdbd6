package main

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/bellhop/bellhop/client"
	"github.com/go-json-experiment/json"
)

// TestDevJSON starts bellhop as another program does, and lets go of it.
func TestDevJSON(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], "dev", "--json", "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var line devLine
	if err := json.Unmarshal(text, &line, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(line.Applications) != 1 || len(line.Users) != 3 || line.Guilds[0].Channels[1].Name != "general" || line.AdminToken == "" {
		t.Errorf("the line lacks something: %s", text)
	}
	bot := &client.Client{BaseURL: line.BaseURL, Authorization: "Bot " + line.Applications[0].BotToken}
	if app, err := bot.Application(t.Context()); err != nil || app.ID != line.Applications[0].ID {
		t.Errorf("Application() = %+v, %v", app, err)
	}
	person := &client.Client{BaseURL: line.BaseURL, Authorization: line.Users[0].Token}
	if a, err := person.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/users/@me"}); err != nil || a.Status != http.StatusOK {
		t.Errorf("a person's token: %v, %v", a, err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("bellhop ends with %v when its parent lets go", err)
	}
}
