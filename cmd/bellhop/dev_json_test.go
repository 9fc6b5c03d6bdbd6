package main

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/tools/devservice"
	"github.com/go-json-experiment/json"
)

// TestDevJSON starts bellhop as a child process. It must exit when its standard input is closed.
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
	var info devservice.Info
	if err := json.Unmarshal(text, &info, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(info.Applications) != 1 || len(info.Users) != 3 || info.Guilds[0].Channels[1].Name != "general" || info.AdminToken == "" {
		t.Errorf("the line is incomplete: %s", text)
	}
	bot := &client.Client{BaseURL: info.BaseURL, Authorization: "Bot " + info.Applications[0].BotToken}
	if app, err := bot.Application(t.Context()); err != nil || app.ID != info.Applications[0].ID {
		t.Errorf("Application() = %+v, %v", app, err)
	}
	user := &client.Client{BaseURL: info.BaseURL, Authorization: info.Users[0].Token}
	if a, err := user.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/users/@me"}); err != nil || a.Status != http.StatusOK {
		t.Errorf("request with a user token: %v, %v", a, err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after standard input was closed: %v", err)
	}
}
