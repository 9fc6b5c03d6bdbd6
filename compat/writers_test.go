package compat_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// writers lists the bots that write in a channel: Go packages in writers/, and scripts. They are written for Discord alone.
var writers = []botProgram{
	{name: "discordgo", source: "writers/discordgo/main.go"},
	{name: "disgo", source: "writers/disgo/main.go"},
	{name: "arikawa", source: "writers/arikawa/main.go"},
	{name: "discordjs", source: "node/writers/discordjs.mjs"},
	{name: "oceanic", source: "node/writers/oceanic.mjs"},
	{name: "eris", source: "node/writers/eris.mjs"},
	{name: "seyfert", source: "node/writers/seyfert.mjs"},
	{name: "discordpy", source: "writers/discordpy.py"},
}

// writerEvents are the events that each writer must get.
var writerEvents = []string{"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE_BULK", "MESSAGE_REACTION_ADD", "THREAD_CREATE", "WEBHOOKS_UPDATE"}

// TestWriters runs bots under "bellhop run". Each sends, edits, replies, reacts, uploads, bulk-deletes, opens a thread and runs a webhook
// in a channel of its own, and receives the events.
func TestWriters(t *testing.T) {
	t.Parallel()
	binaries := build(t, ".", "compat/writers", "./writers/discordgo", "./writers/disgo", "./writers/arikawa")
	installPackages(t)
	s := startService(t)
	for i, b := range writers {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			var made struct {
				ID string `json:"id"`
			}
			s.call(t, http.MethodPost, "/_dev/world", "", writerWorld(i), &made)
			b.runWriter(t, s, i, binaries)
			checkWritten(t, s, i)
		})
	}
}

// writerApplication and writerChannel return the ids of the application and of the channel of a writer.
func writerApplication(i int) string { return botApplication(100 + i) }
func writerChannel(i int) string     { return strconv.Itoa(1200000000000001000 + i) }
func writerGuild(i int) string       { return strconv.Itoa(1200000000000002000 + i) }

// writerWorld returns the world of a writer as a world file.
func writerWorld(i int) string {
	return fmt.Sprintf(`{"applications":[{"id":%[1]q,"name":"writer %[5]d","owner":%[2]q,"bot_token":%[6]q}],
		"guilds":[{"id":%[3]q,"name":"Office %[5]d","owner":%[2]q,"channels":[{"id":%[4]q,"name":"general"}],"members":[{"user":%[2]q}],
		"installs":[{"application":%[1]q,"scopes":["bot"],"permissions":"8"}]}]}`,
		writerApplication(i), owner, writerGuild(i), writerChannel(i), i, botToken(writerApplication(i)))
}

// runWriter runs the bot until it has written everything and has received all events.
func (b botProgram) runWriter(t *testing.T, s *service, i int, binaries string) {
	t.Helper()
	b.runUnder(t, s, binaries, writerApplication(i), []string{"CHANNEL_ID=" + writerChannel(i)}, "written", writerEvents, func() {})
}

// runUnder runs a bot under "bellhop run" until it has printed the line done and each of the events. at is called with the line done.
func (b botProgram) runUnder(t *testing.T, s *service, binaries, app string, env []string, done string, events []string, at func()) {
	t.Helper()
	command := []string{filepath.Join(binaries, b.name)}
	switch filepath.Ext(b.source) {
	case ".mjs":
		command = []string{"node", b.source}
	case ".py":
		command = []string{"/usr/bin/python3", b.source} // the interpreter of Debian's packages
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, append([]string{"run", "--base-url", s.origin, "--"}, command...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(append(os.Environ(), "BELLHOP_BOT_TOKEN="+botToken(app)), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{done: true}
	for _, name := range events {
		missing["event "+name] = true
	}
	var all strings.Builder
	for lines := bufio.NewScanner(out); len(missing) > 0 && lines.Scan(); {
		fmt.Fprintln(&all, lines.Text())
		line := strings.TrimPrefix(lines.Text(), "bot     | ")
		if line == done {
			at()
		}
		delete(missing, line)
	}
	cancel()
	_ = cmd.Wait() // it was interrupted
	if len(missing) > 0 {
		t.Errorf("the bot has not printed %v:\n%s", missing, all.String())
	}
}

// checkWritten checks the messages that a writer has left.
func checkWritten(t *testing.T, s *service, i int) {
	t.Helper()
	var list []struct {
		Content   string `json:"content"`
		Webhook   string `json:"webhook_id"`
		Reference *struct {
			Message string `json:"message_id"`
		} `json:"message_reference"`
		Reactions   []struct{ Count int }       `json:"reactions"`
		Attachments []struct{ Filename string } `json:"attachments"`
		Thread      *struct{ ID, Name string }  `json:"thread"`
	}
	auth := "Bot " + botToken(writerApplication(i))
	s.call(t, http.MethodGet, "/api/v10/channels/"+writerChannel(i)+"/messages", auth, "", &list)
	var got []string
	for _, m := range list {
		text := []string{m.Content}
		if m.Webhook != "" {
			text = append(text, "by webhook")
		}
		if m.Reference != nil && m.Content == "reply" {
			text = append(text, "to a message")
		}
		for _, r := range m.Reactions {
			text = append(text, fmt.Sprint("with reaction ", r.Count))
		}
		for _, a := range m.Attachments {
			text = append(text, "with "+a.Filename)
		}
		if m.Thread != nil {
			text = append(text, "with thread "+m.Thread.Name)
			var inside []struct{ Content string }
			s.call(t, http.MethodGet, "/api/v10/channels/"+m.Thread.ID+"/messages", auth, "", &inside)
			if len(inside) == 0 || inside[0].Content != "in thread" {
				t.Errorf("messages of the thread: %v", inside)
			}
		}
		got = append(got, strings.Join(text, " "))
	}
	want := []string{"hooked by webhook", "file with notes.txt", "reply to a message", "two with reaction 1 with thread talk"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("messages %q, want %q", got, want)
	}
}
