package v10_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// description is the content of /openapi.json.
type description struct {
	doc   *openapi3.T
	paths []described
	met   *coverage
}

// coverage records which of the described responses the tests have got.
type coverage struct{ answers sync.Map }

func (c *coverage) note(method, path string, status int) {
	c.answers.Store(fmt.Sprintf("%s %s %d", method, path, status), true)
}

// complete fails for every described success of a route that no test has got.
func (c *coverage) complete(t *testing.T, desc *description) {
	t.Helper()
	for _, p := range desc.paths {
		for method, op := range p.item.Operations() {
			for status := range op.Responses.Map() {
				if status == "default" || status >= "400" {
					continue
				}
				if answer := method + " " + p.path + " " + status; !c.has(answer) {
					t.Errorf("no test has got %s", answer)
				}
			}
		}
	}
}

func (c *coverage) has(answer string) bool {
	_, ok := c.answers.Load(answer)
	return ok
}

// described is one path of the description.
type described struct {
	pattern *regexp.Regexp
	path    string
	item    *openapi3.PathItem
}

// parsed is the description that describe returns. nil: not read yet.
var parsed struct {
	sync.Mutex
	description *description
}

// describe reads /openapi.json, which is the same of all services of these tests. met records the responses that the tests get.
func describe(t *testing.T, d *service, met *coverage) *description {
	t.Helper()
	parsed.Lock()
	defer parsed.Unlock()
	if parsed.description == nil {
		parsed.description = parseDescription(t, d.ask(t, "anonymous", http.MethodGet, "/openapi.json", "").body)
	}
	return &description{doc: parsed.description.doc, paths: parsed.description.paths, met: met}
}

func parseDescription(t *testing.T, text string) *description {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	desc := &description{doc: doc}
	for path, item := range doc.Paths.Map() {
		expr := regexp.MustCompile(`\\\{[a-z_]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
		desc.paths = append(desc.paths, described{regexp.MustCompile("^" + expr + "$"), path, item})
	}
	// A literal segment comes before a parameter.
	slices.SortFunc(desc.paths, func(a, b described) int { return strings.Count(a.path, "{") - strings.Count(b.path, "{") })
	return desc
}

// check fails when a response differs from its description: in its status, its content type or a member of its body.
func (desc *description) check(t *testing.T, method, path string, got answer) {
	t.Helper()
	path, _, _ = strings.Cut(path, "?")
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	for _, base := range []string{"/api/v9/", "/v10/", "/v9/"} {
		if rest, ok := strings.CutPrefix(path, base); ok {
			path = "/api/v10/" + rest
		}
	}
	if rest, ok := strings.CutPrefix(path, "/api/"); ok && !strings.HasPrefix(rest, "v") {
		path = "/api/v10/" + rest
	}
	for _, p := range desc.paths {
		if !p.pattern.MatchString(path) {
			continue
		}
		op := p.item.GetOperation(method)
		if op == nil {
			if got.status != http.StatusMethodNotAllowed && got.header.Get("X-Bellhop-Gap") == "" {
				t.Errorf("%s %s is not described and answers %d", method, path, got.status)
			}
			return
		}
		desc.met.note(method, p.path, got.status)
		desc.validate(t, method, p, op, got)
		return
	}
	if got.status != http.StatusNotFound && got.status != http.StatusBadRequest {
		t.Errorf("%s is not described and answers %d", path, got.status)
	}
}

func (desc *description) validate(t *testing.T, method string, p described, op *openapi3.Operation, got answer) {
	t.Helper()
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: httptest.NewRequestWithContext(t.Context(), method, "/", nil),
			Route:   &routers.Route{Spec: desc.doc, Path: p.path, PathItem: p.item, Method: method, Operation: op},
		},
		Status: got.status, Header: got.header, Body: io.NopCloser(bytes.NewBufferString(got.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(t.Context(), in); err != nil {
		t.Errorf("%s %s answers %d, not as described: %v\n%s", method, p.path, got.status, err, got.body)
	}
}
