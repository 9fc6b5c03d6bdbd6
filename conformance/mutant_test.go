package conformance_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/conformance"
	"github.com/bellhop/bellhop/snowflake"
)

// mutant is a service with one deliberate bug: Bellhop behind a proxy that changes requests or responses.
type mutant struct {
	bug          string
	check        string // the id of the check that has to find the bug
	message      string // part of the message of the check
	cleanupFails bool   // the bug prevents the cleanup of the run
	// request changes a request before the service gets it.
	request func(*exchange)
	// response changes a response of the service.
	response func(*exchange)
}

// exchange is a request and its response in the proxy.
type exchange struct {
	*http.Request
	sent    any // the body, when it is JSON
	status  int // if request sets it, the proxy answers without the service
	header  http.Header
	body    []byte
	got     any            // the response body, when it is JSON
	server  string         // address of the service
	memory  map[string]any // values that a bug keeps between requests
	bot     string
	editor  string
	dropped bool // the response has no body
}

func (e *exchange) is(method, part string) bool {
	return e.Method == method && strings.Contains(e.URL.Path, part)
}

// definition returns the command definition that is sent, or nil.
func (e *exchange) definition() map[string]any {
	if !e.is("POST", "/commands") && !e.is("PATCH", "/commands/") {
		return nil
	}
	d, _ := e.sent.(map[string]any)
	return d
}

// options returns the options of the definition that is sent.
func (e *exchange) options() []any {
	l, _ := e.definition()["options"].([]any)
	return l
}

// each calls edit for the object of the response, or for every object of a list.
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

// commands calls edit for every command of a response.
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

// pass forwards a request to the service and reads the response.
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

// TestMutants runs, for each bug, the check that has to find it. The check must fail with the expected message.
func TestMutants(t *testing.T) {
	t.Parallel()
	for name, mutants := range map[string][]mutant{"request": requestMutants(), "response": responseMutants()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, manager := bellhoptest.Start(t, bellhoptest.DemoWorld()), bellhoptest.Start(t, managerWorld())
			for _, m := range mutants {
				t.Run(m.check+" "+m.bug, func(t *testing.T) { // not parallel: they share the service
					switch m.check {
					case "LIM-05":
						m.checkCaught(t, bellhoptest.Config{World: bellhoptest.DemoWorld(), Limits: true}.Start(t))
						return
					case "EVT-13":
						m.checkCaught(t, bellhoptest.Start(t, activityWorld()))
						return
					}
					if needsManager(m.check) {
						m.checkCaught(t, manager)
						return // the run deletes what it creates
					}
					m.checkCaught(t, srv)
					srv.Reset(t)
				})
			}
		})
	}
}

// needsManager reports whether a check needs a bot that manages the guild or that sells something.
func needsManager(id string) bool {
	return slices.ContainsFunc(conformance.Checks(), func(c conformance.Check) bool {
		return c.ID == id && c.Needs&(conformance.Manager|conformance.Seller) != 0
	})
}

// checkCaught checks that the check finds the bug.
func (m mutant) checkCaught(t *testing.T, srv *bellhoptest.Server) {
	t.Helper()
	at := target(srv)
	at.BaseURL = m.proxy(t, srv).URL + "/api/v10"
	at.AllowLoad = true
	caught := false
	err := conformance.Run(t.Context(), at, func(c conformance.Check) bool { return c.ID == m.check }, func(r conformance.Result) {
		caught = true
		if r.Verdict != conformance.Failed || !strings.Contains(r.Message, m.message) {
			t.Errorf("%s %s, %q: want it to fail with a message that contains %q", r.ID, r.Verdict, r.Message, m.message)
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
