package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// pageTimeout is the longest time that a test waits for a page to show something, also on a busy machine.
const pageTimeout = 30 * time.Second

// chromiums are the programs that tools/deps looks for. The headless shell has no windows, so it starts fastest.
var chromiums = []string{
	os.Getenv("CHROMIUM"), "/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
}

// browser is a page in Chromium. It speaks the DevTools protocol over a pipe: messages in JSON that end with a zero byte.
type browser struct {
	*testing.T

	commands io.Writer
	messages chan []byte // closed when Chromium ends
	session  string      // of the page, "" before it is open
	id       int         // of the last command
	problems []string    // script errors and violations of the content security policy
}

// openBrowser starts Chromium with an empty page. It skips the test if Chromium is not installed.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	engines.Need(t, "chromium")
	var program string
	for _, program = range chromiums {
		if _, err := os.Stat(program); err == nil {
			break
		}
	}
	profile, err := os.MkdirTemp("", "bellhop-chromium-") //nolint:usetesting // removeProfile waits for all processes of Chromium
	if err != nil {
		t.Fatal(err)
	}
	fromTest, commands := pipe(t)
	answers, toTest := pipe(t)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "--headless", "--no-sandbox", "--disable-dev-shm-usage",
		"--disable-gpu", "--no-first-run", "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{fromTest, toTest} // 3 and 4, as Chromium expects
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = fromTest.Close(), toTest.Close() // Chromium has its own copies
	b := &browser{T: t, commands: commands, messages: make(chan []byte, 1000)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has nothing to save
		_ = cmd.Wait()
		removeProfile(t, profile)
	})
	go func() { // ends with Chromium
		defer close(b.messages)
		for r := bufio.NewReader(answers); ; {
			m, err := r.ReadBytes(0)
			if err != nil {
				return
			}
			b.messages <- m[:len(m)-1]
		}
	}()
	b.attach()
	return b
}

// removeProfile removes the folder of a Chromium that has ended. Its other processes end a moment later, and may write until then.
func removeProfile(t *testing.T, folder string) {
	t.Helper()
	err := os.RemoveAll(folder)
	for end := time.Now().Add(pageTimeout); err != nil && time.Now().Before(end); err = os.RemoveAll(folder) {
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		t.Errorf("the folder of Chromium is still there after %v: %v", pageTimeout, err)
	}
}

// pipe returns both ends of a pipe. The test closes them.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

// attach opens a page and asks for its events.
func (b *browser) attach() {
	b.Helper()
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Runtime.enable", "Log.enable", "Page.enable"} {
		b.call(domain, nil, nil)
	}
}

// message is an answer to a command, or an event.
type message struct {
	ID     int
	Method string
	Params struct {
		ExceptionDetails struct{ Exception struct{ Description string } }
		Entry            struct{ Level, Source, Text string }
	}
	Result json.RawMessage
	Error  *struct{ Message string }
}

// call sends a command and reads its result into the value that result points to, if it is not nil.
func (b *browser) call(method string, params, result any) {
	b.Helper()
	b.id++
	command := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	text, err := json.Marshal(command)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := b.commands.Write(append(text, 0)); err != nil {
		b.Fatalf("%s: %v", method, err)
	}
	m := b.answer(method)
	if m.Error != nil {
		b.Fatalf("%s: %s", method, m.Error.Message)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		b.Fatalf("%s: %v in %s", method, err, m.Result)
	}
}

// answer returns the answer to the last command. It records the problems that Chromium reports meanwhile.
func (b *browser) answer(method string) (m message) {
	b.Helper()
	deadline := time.After(pageTimeout)
	for {
		select {
		case text, ok := <-b.messages:
			m = message{}
			if err := json.Unmarshal(text, &m); err != nil || !ok {
				b.Fatalf("%s: Chromium ended, or sent %q", method, text)
			}
		case <-deadline:
			b.Fatalf("%s: no answer from Chromium after %s", method, pageTimeout)
		}
		switch {
		case m.ID == b.id:
			return m
		case m.Method == "Runtime.exceptionThrown":
			b.problems = append(b.problems, m.Params.ExceptionDetails.Exception.Description)
		case m.Method == "Log.entryAdded" && m.Params.Entry.Level == "error" && m.Params.Entry.Source == "security":
			b.problems = append(b.problems, m.Params.Entry.Text)
		}
	}
}

// open opens a URL.
func (b *browser) open(url string) {
	b.Helper()
	b.call("Page.navigate", map[string]any{"url": url}, nil)
}

// eval evaluates an expression in the page and returns the result as text.
func (b *browser) eval(expression string) string {
	b.Helper()
	var got struct{ Result struct{ Value any } }
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
	return fmt.Sprint(got.Result.Value)
}

// wait waits until an expression is true in the page. After pageTimeout the test fails and shows the text of the page.
func (b *browser) wait(expression string) {
	b.Helper()
	for deadline := time.Now().Add(pageTimeout); b.eval(expression) != "true"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("waited %s for %s, problems %q, the page shows:\n%s", pageTimeout, expression, b.problems, b.eval("document.body.innerText"))
		}
	}
}

// see waits until an element contains a text.
func (b *browser) see(selector, text string) {
	b.Helper()
	b.wait(fmt.Sprintf("[...document.querySelectorAll(%q)].some(e => e.checkVisibility() && e.textContent.includes(%q))", selector, text))
}

// click clicks the first element that contains a text.
func (b *browser) click(selector, text string) {
	b.Helper()
	b.see(selector, text)
	b.eval(fmt.Sprintf("[...document.querySelectorAll(%q)].find(e => e.checkVisibility() && e.textContent.includes(%q)).click()", selector, text))
}

// write puts text into an input, as a keyboard does.
func (b *browser) write(selector, text string) {
	b.Helper()
	b.see(selector, "")
	b.eval(fmt.Sprintf("document.querySelector(%q).focus(), document.querySelector(%[1]q).select()", selector))
	b.call("Input.insertText", map[string]any{"text": text}, nil)
}

// enter presses the enter key.
func (b *browser) enter() {
	b.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13}, nil)
	}
}

// check fails the test if the page had script errors or violated its content security policy.
func (b *browser) check() {
	b.Helper()
	b.eval("1") // collects the last events
	if len(b.problems) > 0 {
		b.Errorf("the page has problems:\n%s", strings.Join(b.problems, "\n"))
	}
}
