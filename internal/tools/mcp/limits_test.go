package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Programs that tools have started end with the toolbox: the bots of several calls at the same time, and the bot of a scenario.
func TestCloseEndsPrograms(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	folder := t.TempDir()
	line := func(name string) string { return "echo $$ >>" + filepath.Join(folder, name) + "; exec sleep 300" }
	file := filepath.Join(folder, "scenarios.yaml")
	text := fmt.Sprintf("app: {run: %q, ready: online}\nscenarios:\n  - name: waits\n    steps: [{as: ada, in: Lab/general, say: hello}]\n", line("apps"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	start := sdk.CallToolParams{Name: "start_bot", Arguments: object{"command": []string{"sh", "-c", line("bots")}}}
	for _, call := range []sdk.CallToolParams{start, start, start, {Name: "run_scenarios", Arguments: object{"files": []string{file}}}} {
		go func() { _, _ = a.session.CallTool(t.Context(), &call) }() // it ends with an error
	}
	awaitPids(t, filepath.Join(folder, "bots"))
	awaitPids(t, filepath.Join(folder, "apps"))
	a.toolbox.Close()
	time.Sleep(300 * time.Millisecond) // a bot that was forgotten writes its id in this time
	for _, name := range []string{"bots", "apps"} {
		for _, pid := range awaitPids(t, filepath.Join(folder, name)) {
			if syscall.Kill(pid, 0) == nil {
				t.Errorf("process %d of the %s still runs", pid, name)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	if text, failed := a.try("start_bot", object{"command": []string{"sh", "-c", line("bots")}}); !failed {
		t.Errorf("a bot starts after Close: %s", text)
	}
}

// awaitPids waits until a file has lines, and returns them as numbers.
func awaitPids(t *testing.T, file string) (pids []int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(file)
		for word := range strings.FieldsSeq(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			pids = append(pids, pid)
		}
		if len(pids) > 0 {
			return pids
		}
		if time.Now().After(end) {
			t.Fatalf("no process has written to %s within 30 s: %v", file, err)
		}
	}
}

// Agents may call tools that only read without asking: none of these starts a program.
func TestReadOnlyTools(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	list, err := a.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range list.Tools {
		if tool.Annotations.ReadOnlyHint {
			got = append(got, tool.Name)
		}
	}
	want := []string{"bot_output", "explain_failure", "explain_permissions", "list_gaps", "read_exchange", "read_messages", "read_traffic", "read_world", "status"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("tools that only read: %v, want %v", got, want)
	}
}

// Lists have the beginning of long texts, and an id shows the whole.
func TestLongResults(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	long := strings.Repeat("Breakfast ", 190) + "end"
	said := a.call("say", ada(object{"content": long, "wait": "10ms"}))
	id := said["message"].(object)["id"]
	if text, _ := a.try("read_messages", ada(nil)); len(text) > 600 || !strings.Contains(text, "Breakfast") {
		t.Errorf("the list has %d bytes", len(text))
	}
	a.call("read_messages", ada(object{"message": id}), "Breakfast end")
	if text, failed := a.try("read_messages", ada(object{"message": "1"})); !failed {
		t.Errorf("an unknown message: %s", text)
	}
	a.call("say", ada(object{"content": "Lunch", "wait": "10ms"}))
	if list := a.call("read_messages", ada(object{"limit": 1}), "Lunch"); len(list["messages"].([]any)) != 1 {
		t.Errorf("limit 1: %v", list)
	}
	var wrong strings.Builder
	wrong.WriteString("users:\n")
	for i := range 2000 {
		fmt.Fprintf(&wrong, "  - {id: %q, nickname: guest%d}\n", strconv.Itoa(1100000000000001000+i), i)
	}
	if text, failed := a.try("apply_world", object{"world": wrong.String()}); !failed || len(text) > 4100 {
		t.Errorf("the result has %d bytes: %.300s", len(text), text)
	}
}

// A world with many guilds has a short status, and one guild can be shown alone.
func TestStatusOfGuilds(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	var text strings.Builder
	text.WriteString("guilds:\n")
	for i := range 20 {
		fmt.Fprintf(&text, "  - {id: %q, name: Branch %d, owner: %q, channels: [{id: %q, name: desk}]}\n",
			strconv.Itoa(1100000000000002000+i), i, "1100000000000000200", strconv.Itoa(1100000000000003000+i))
	}
	a.call("apply_world", object{"world": text.String()})
	if all := a.call("status", nil, `"left_out":16`); len(all["guilds"].([]any)) != 5 {
		t.Errorf("status has %d guilds", len(all["guilds"].([]any)))
	}
	for _, guild := range []string{"Branch 19", "1100000000000002019"} {
		if one := a.call("status", object{"guild": guild}, "desk (1100000000000003019)"); len(one["guilds"].([]any)) != 1 {
			t.Errorf("guild %s: %v", guild, one["guilds"])
		}
	}
}

// A request over HTTP is bounded.
func TestLargeRequest(t *testing.T) {
	t.Parallel()
	h, err := newAgent(t).toolbox.Handler("")
	if err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"apply_world","arguments":{"world":"` + strings.Repeat("#", 9<<20) + `"}}}`
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1"+mcp.Path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code < 400 {
		t.Errorf("status %d: %.200s", w.Code, w.Body)
	}
}
