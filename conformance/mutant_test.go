package conformance_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/conformance"
	"github.com/bellhop/bellhop/snowflake"
)

// mutant is a service with one deliberate bug: Bellhop behind a proxy that alters what it hears or says.
type mutant struct {
	bug          string
	check        string // the check that is meant for it
	says         string // part of what the check says
	cleanupFails bool   // the bug keeps the run from cleaning up
	// ask alters a request before the service gets it.
	ask func(*exchange)
	// answer alters what came back.
	answer func(*exchange)
}

// exchange is a request with its answer on the way through the proxy.
type exchange struct {
	*http.Request
	sent    any // the body, when it is JSON
	status  int // set by request: the service is not asked at all
	header  http.Header
	body    []byte
	got     any            // the answer, when it is JSON
	server  string         // address of the service
	kept    map[string]any // for bugs that remember
	bot     string
	editor  string
	dropped bool // the answer has no body
}

func (e *exchange) is(method, part string) bool {
	return e.Method == method && strings.Contains(e.URL.Path, part)
}

// definition returns the definition that is sent, or nil.
func (e *exchange) definition() map[string]any {
	if !e.is("POST", "/commands") && !e.is("PATCH", "/commands/") {
		return nil
	}
	d, _ := e.sent.(map[string]any)
	return d
}

// options returns the options that are sent.
func (e *exchange) options() []any {
	l, _ := e.definition()["options"].([]any)
	return l
}

// each calls edit for every object of the response: itself, or the items of a list.
func (e *exchange) each(edit func(map[string]any)) {
	switch got := e.got.(type) {
	case map[string]any:
		edit(got)
	case []any:
		for _, item := range got {
			if o, ok := item.(map[string]any); ok {
				edit(o)
			}
		}
	}
}

// commands calls edit for every command of an answer.
func (e *exchange) commands(edit func(map[string]any)) {
	if strings.Contains(e.URL.Path, "/commands") && !strings.HasSuffix(e.URL.Path, "/permissions") && e.status < 300 {
		e.each(edit)
	}
}

func (m mutant) proxy(t *testing.T, srv *bellhoptest.Server) *httptest.Server {
	t.Helper()
	memory := map[string]any{}
	editor := srv.Bearer(t, echo, 1100000000000000200, "applications.commands.permissions.update").Authorization
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &exchange{Request: r, server: srv.URL, memory: memory, bot: "Bot " + srv.BotToken(echo), editor: editor, header: http.Header{}}
		if err := m.pass(e); err != nil {
			t.Errorf("proxy: %v", err)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		for name, values := range e.header {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(e.status)
		if !e.dropped {
			_, _ = w.Write(e.body)
		}
	}))
	t.Cleanup(proxy.Close)
	return proxy
}

// pass takes an exchange through the proxy.
func (m mutant) pass(e *exchange) error {
	body, err := io.ReadAll(e.Body)
	if err != nil {
		return err
	}
	isJSON := json.Unmarshal(body, &e.sent) == nil
	if m.request != nil {
		m.request(e)
		if e.status != 0 {
			return nil
		}
		if isJSON {
			if body, err = json.Marshal(e.sent); err != nil {
				return err
			}
		}
	}
	u := e.server + e.URL.EscapedPath()
	if e.URL.RawQuery != "" {
		u += "?" + e.URL.RawQuery
	}
	r, err := http.NewRequestWithContext(e.Context(), e.Method, u, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = e.Header.Clone()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	e.status, e.header = resp.StatusCode, resp.Header
	if e.body, err = io.ReadAll(resp.Body); err != nil || m.response == nil {
		return err
	}
	isJSON = json.Unmarshal(e.body, &e.got) == nil
	m.response(e)
	if isJSON {
		e.body, err = json.Marshal(e.got)
	}
	return err
}

// TestMutants gives the service one bug after another: the check that is meant for it fails, and says what is wrong.
func TestMutants(t *testing.T) {
	t.Parallel()
	for name, mutants := range map[string][]mutant{"request": requestMutants(), "response": responseMutants()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
			for _, m := range mutants {
				t.Run(m.check+" "+m.bug, func(t *testing.T) { // one after another: they share the service
					if m.check == "LIM-05" {
						m.checkCaught(t, bellhoptest.Config{World: bellhoptest.DemoWorld(), Limits: true}.Start(t))
						return
					}
					m.checkCaught(t, srv)
					srv.Reset(t)
				})
			}
		})
	}
}

// catch checks that the bug is caught.
func (m mutant) checkCaught(t *testing.T, srv *bellhoptest.Server) {
	t.Helper()
	at := target(srv)
	at.BaseURL = m.proxy(t, srv).URL + "/api/v10"
	at.AllowLoad = true
	caught := false
	err := conformance.Run(t.Context(), at, func(c conformance.Check) bool { return c.ID == m.check }, func(r conformance.Result) {
		caught = true
		if r.Verdict != conformance.Failed || !strings.Contains(r.Message, m.message) {
			t.Errorf("%s %s, %q: want it to fail and to say %q", r.ID, r.Verdict, r.Message, m.message)
		}
	})
	if !caught {
		t.Errorf("the check did not run: %v", err)
	}
	if err != nil && !m.cleanupFails {
		t.Error(err)
	}
}

func TestMutantsAreMany(t *testing.T) {
	t.Parallel()
	areas := map[string]int{}
	all := append(requestMutants(), responseMutants()...)
	for _, m := range all {
		areas[m.check[:3]]++
	}
	if len(all) < 60 {
		t.Errorf("%d mutants, want 60", len(all))
	}
	for _, c := range conformance.Checks() {
		if areas[c.ID[:3]] == 0 {
			t.Errorf("no mutant has a bug in the area of %s", c.ID)
		}
	}
}

func scope(guild snowflake.Guild) command.Scope {
	return command.Scope{Application: echo, Guild: guild}
}

// cut shortens a text.
func cut(v any, n int) any {
	s, ok := v.(string)
	if r := []rune(s); ok && len(r) > n {
		return string(r[:n])
	}
	return v
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func withoutQuery(e *exchange, name string) {
	q := e.URL.Query()
	q.Del(name)
	e.URL.RawQuery = q.Encode()
}

func before(id string) string {
	n, _ := strconv.ParseUint(id, 10, 64)
	return strconv.FormatUint(n-1, 10)
}
